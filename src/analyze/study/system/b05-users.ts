import { bars } from "./charts.ts";
import { clusterId, clusterTitle } from "./cluster-parts.ts";
import { defineItem, drawn, share, table } from "./item.ts";
import type { Prepared } from "./prepare.ts";
import { distanceToUniform } from "./statistics.ts";
import { jobsWithoutUser, readShares } from "./users.ts";

const BARS_MAX = 100;

export const b05 = defineItem({
  id: "B05",
  definition: "B05@1",
  title: "Reads and writes of users",
  place: "figure 3",
  section: "users",
  about:
    "Per user: bytes read over bytes read and written, summed over the jobs with counters and a user. Shares of users with more than 80 % reads, more than 80 % writes, and in between; and the Kolmogorov distance of the shares from a uniform distribution on 0 to 1. Bytes are those of these jobs.",
  reading:
    "Evenly distributed means that as many users mostly read as mostly write, and the others are spread evenly. The distance is then near 0.",
  options: ["cluster", "from", "to", "maxHours"],
  values: {
    users: ["count", "users"],
    mostlyRead: ["share", "users who mostly read", undefined, "some users"],
    mostlyWritten: ["share", "users who mostly write", undefined, "some users"],
    between: ["share", "users in between"],
    distanceToUniform: ["none", "distance from a uniform distribution"],
    bytesRead: ["bytes", "bytes read"],
    bytesWritten: ["bytes", "bytes written"],
  },
  narrative: ({ text }) =>
    `Of ${text("users")} users who moved bytes ${text("mostlyRead")} mostly read and ${text("mostlyWritten")} mostly write; ${text("between")} lie in between. The shares differ from a uniform distribution by ${text("distanceToUniform")} at most.`,
  measure(prepared) {
    const { jobs } = prepared;
    const shares = readShares(prepared);
    const n = shares.length;
    const mostlyRead = shares.filter((one) => one > 0.8).length;
    const mostlyWritten = shares.filter((one) => one < 0.2).length;
    const users = prepared.users();
    return {
      n,
      unit: "users",
      dropped: {
        "users who moved no bytes": users.length - n,
        "jobs without a user": jobsWithoutUser(prepared),
        "jobs without counters": prepared.studied.length - prepared.counted.length,
      },
      values: {
        users: n,
        mostlyRead: share(mostlyRead, n),
        mostlyWritten: share(mostlyWritten, n),
        between: share(n - mostlyRead - mostlyWritten, n),
        distanceToUniform: distanceToUniform(shares),
        bytesRead: jobs.usersBytesRead,
        bytesWritten: jobs.usersBytesWritten,
      },
      tables: n === 0 ? [] : [usersTable(prepared)],
      figures: () =>
        prepared.clusterParts().flatMap(({ name, prepared: part }) => {
          const own = name === "" ? shares : readShares(part);
          return own.length === 0 ? [] : [figure(own, name)];
        }),
    };
  },
});

function usersTable(prepared: Prepared) {
  const rows = [...prepared.users()].sort(
    (a, b) => b.read + b.written - a.read - a.written || a.user - b.user,
  );
  const all = rows.reduce((sum, one) => sum + one.read + one.written, 0);
  return table(
    "users",
    "Users with most bytes, at most 500.",
    [
      ["user", "User", "text", "User name or id."],
      ["jobs", "Jobs", "count", "Jobs with counters."],
      ["read", "Read", "bytes", "Bytes read."],
      ["written", "Written", "bytes", "Bytes written."],
      ["share", "Share", "share", "Share of the bytes of all users."],
      ["perCall", "Per write call", "bytes", "Bytes written / write calls."],
    ],
    rows
      .slice(0, 500)
      .map((one) => [
        prepared.userName(one.user),
        one.jobs,
        one.read,
        one.written,
        share(one.read + one.written, all),
        one.writes > 0 ? one.written / one.writes : null,
      ]),
    rows.length,
  );
}

/** One bar for each user; of many users one bar for each hundredth of them. */
function figure(shares: Float64Array, cluster: string) {
  const count = Math.min(BARS_MAX, shares.length);
  const means = Array.from({ length: count }, (_, i) => {
    const part = shares.subarray(
      Math.floor((i * shares.length) / count),
      Math.floor(((i + 1) * shares.length) / count),
    );
    return part.reduce((sum, one) => sum + one, 0) / part.length;
  });
  const each =
    shares.length > BARS_MAX
      ? `each bar is about ${Math.round(shares.length / count)} users`
      : "one bar per user";
  return drawn({
    id: clusterId("figure-3-users", cluster),
    title: clusterTitle("Reads and writes of users", cluster),
    caption: `${shares.length} users by their share of reads; ${each}.`,
    summary: `Users range from ${(100 * (shares[0] as number)).toFixed(0)} % to ${(100 * (shares.at(-1) as number)).toFixed(0)} % reads.`,
    chart: bars(
      means.map((_, i) => String(i + 1)),
      "users, by rising share of reads",
      { label: "share of bytes", unit: "share" },
      [
        { name: "read", role: "read", values: means },
        { name: "written", role: "write", values: means.map((one) => 1 - one) },
      ],
      true,
    ),
  });
}
