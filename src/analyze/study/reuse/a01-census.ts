import { defineItem, number } from "./item.ts";

export const a01 = defineItem({
  id: "A01",
  definition: "A01@1",
  title: "Corpus census",
  place: "section 2.1",
  section: "data",
  about:
    "All logs of the period: their number, the distinct files (record id and mount), applications and users, and the bytes read and written below MPI-IO. Files on excluded mounts are skipped and counted. Distinct counts are exact.",
  reading: "Read plus written is exactly the total. Bytes of incomplete records are lower bounds.",
  options: ["period", "zone", "excludeMounts", "application"],
  values: {
    logs: ["count", "logs", 84e6, "about 84 million"],
    files: ["count", "files", 52e6, "about 52 million"],
    applications: ["count", "applications", 8489],
    users: ["count", "users", 651],
    bytesRead: ["bytes", "bytes read", 6_900_000_000_000_000n],
    bytesWritten: ["bytes", "bytes written", 5_900_000_000_000_000n],
    bytes: ["bytes", "bytes", 12_800_000_000_000_000n],
    accesses: ["count", "accesses"],
    runsWithBadClock: ["count", "runs with a wrong clock"],
    partialAccesses: ["count", "partial accesses"],
    zeroByteAccesses: ["count", "accesses of zero bytes"],
    negativeCounters: ["count", "negative counters"],
    excludedBytes: ["bytes", "bytes on excluded mounts"],
  },
  narrative: ({ text }) =>
    `The store holds ${text("logs")} logs, one per execution, with information on ${text("files")} unique files, ${text("applications")} applications and ${text("users")} users, and ${text("bytes")} of data transfer (${text("bytesRead")} read, ${text("bytesWritten")} written). The paper had 84 million logs, 52 million files, 8,489 applications, 651 users and 12.8 PB.`,
  async measure(prepared) {
    const { db } = prepared;
    const input = await prepared.input();
    const [{ files } = { files: 0 }] = await db.rows("select sum(files) as files from reuse_grouped");
    return {
      n: input.runs,
      unit: "logs",
      dropped: {
        "runs outside the period": input.outsidePeriodRuns,
        "runs without a clock to place them in the period": input.unplacedRuns,
        "accesses on excluded mounts": input.excludedAccesses,
        "accesses without recorded bytes": input.bytesNotRecorded,
      },
      values: {
        logs: input.runs,
        files: number(files) || 0,
        applications: input.applications,
        users: input.users,
        bytesRead: input.bytesRead,
        bytesWritten: input.bytesWritten,
        bytes: input.bytesRead + input.bytesWritten,
        accesses: input.accesses,
        runsWithBadClock: input.badClockRuns,
        partialAccesses: input.partialAccesses,
        zeroByteAccesses: input.zeroByteAccesses,
        negativeCounters: input.negativeCounters,
        excludedBytes: input.excludedBytes,
      },
      notes: [
        ...(input.badClockRuns > 0
          ? ["Runs with a wrong clock are skipped in every item that needs times."]
          : []),
        ...(input.partialAccesses > 0
          ? ["Accesses of incomplete modules count in sums, which are lower bounds, and in nothing else."]
          : []),
      ],
    };
  },
});
