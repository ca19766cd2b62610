import { mean } from "../../../base/statistics.ts";
import { defineItem, exact, share } from "./item.ts";

export const a04 = defineItem({
  id: "A04",
  definition: "A04@1",
  title: "Selected files: census and skew",
  place: "section 2.2",
  section: "data",
  about:
    "Runs, applications, users, files and bytes of the selection; how many users use more than two files, files per user, and the share of the bytes of the top 1, 5 and 10 users.",
  reading: "If one user has a large share, the findings describe that user rather than the centre.",
  options: ["minBytes", "minRuns", "application", "metadataOnly", "partial"],
  repeats: ["files"],
  values: {
    files: ["count", "files", 8500, "about 8,500"],
    runs: ["count", "runs", 400e3, "about 400,000"],
    applications: ["count", "applications", 791],
    users: ["count", "users", 149],
    bytesRead: ["bytes", "bytes read", 4_700_000_000_000_000n],
    bytesWritten: ["bytes", "bytes written", 3_100_000_000_000_000n],
    bytes: ["bytes", "bytes", 7_800_000_000_000_000n],
    usersOfMoreThan2Files: ["share", "users of more than 2 files", 0.7, "over 70 %"],
    filesPerUser: ["none", "files per user", 57],
    topUserShare: ["share", "bytes of the top user"],
    top5UsersShare: ["share", "bytes of the top 5 users"],
    top10UsersShare: ["share", "bytes of the top 10 users"],
    accesses: ["count", "accesses"],
    partialAccesses: ["count", "partial accesses"],
    metadataOnlyAccesses: ["count", "metadata-only accesses"],
    badClockAccesses: ["count", "accesses with a wrong clock"],
  },
  narrative: ({ number, text }) =>
    `The selection spans ${text("runs")} runs, ${text("applications")} applications, ${text("users")} users, ${text("files")} files and ${text("bytes")} (${text("bytesRead")} read, ${text("bytesWritten")} written). ${text("usersOfMoreThan2Files")} of the users perform I/O to more than 2 files, with ${number("filesPerUser")} files per user on average (paper: over 70 %, 57 files). The top user moves ${text("topUserShare")} of the data, the top ten ${text("top10UsersShare")}.`,
  async measure(prepared) {
    const { db, options } = prepared;
    const { names, sharing, facts } = prepared.scan;
    const [bytes] = await db.rows(
      "select sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written from reuse_selected",
    );
    // A user whose runs all moved nothing has no file, when those are left out.
    const perUser = sharing.filesOfUsers().filter((files) => files > 0);
    const top = Array.from({ length: names.counts.users + 1 }, (_, user) => sharing.userBytes.about(user))
      .sort((a, b) => b - a)
      .slice(0, 10);
    const [bytesRead, bytesWritten] = [exact(bytes?.bytes_read), exact(bytes?.bytes_written)];
    const all = Number(bytesRead + bytesWritten);
    const topShare = (count: number) =>
      share(
        top.slice(0, count).reduce((sum, bytes) => sum + bytes, 0),
        all,
      );
    return {
      n: prepared.files,
      unit: "files",
      values: {
        files: prepared.files,
        runs: (await prepared.scan.runs).count,
        applications: options.application === "exe" ? names.counts.applications : names.counts.who,
        users: names.counts.users,
        bytesRead,
        bytesWritten,
        bytes: bytesRead + bytesWritten,
        usersOfMoreThan2Files: share(perUser.filter((files) => files > 2).length, perUser.length),
        filesPerUser: mean(perUser),
        topUserShare: topShare(1),
        top5UsersShare: topShare(5),
        top10UsersShare: topShare(10),
        accesses: prepared.accesses,
        partialAccesses: facts.partial,
        metadataOnlyAccesses: facts.zero,
        badClockAccesses: facts.badClock,
      },
    };
  },
});
