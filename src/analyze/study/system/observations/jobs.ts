/** Observations of jobs: shapes, readers and writers, metadata operations. */
import { jobIntervals, metadataIntervals, userIntervals, writeIntervals } from "../intervals.ts";
import { above, below } from "../../common/judge.ts";
import { CORRELATION, SHARE, type Make } from "./draft.ts";

export const jobDrafts: Make = (prepared, value) => {
  const jobs = jobIntervals(prepared);
  const users = userIntervals(prepared);
  const writes = writeIntervals(prepared);
  const metadata = metadataIntervals(prepared);
  return [
    {
      id: "O01",
      title: "Most jobs are short and small",
      statement: "The majority of jobs run for less than two hours on fewer than 100 nodes.",
      n: prepared.studied.length,
      unit: "jobs",
      claims: [
        above("B04.below2Hours", 0.5, "most jobs run for less than two hours", jobs.short, SHARE),
        above("B04.below100Nodes", 0.5, "most jobs use fewer than 100 nodes", jobs.small, SHARE),
      ],
      sensitivity: [
        ["mean duration, hours", "B04.durationMeanHours"],
        ["median duration, hours", "B04.durationMedianHours"],
        ["median nodes", "B04.nodesMedian"],
      ],
    },
    {
      id: "O02",
      title: "Reads and writes are spread evenly over users",
      statement: "Some users only write, some only read, and the others do both.",
      n: value("B05.users"),
      unit: "users",
      claims: [
        below(
          "B05.distanceToUniform",
          0.25,
          "shares of reads differ from a uniform distribution by less than 0.25",
          users.distance,
          SHARE,
        ),
        above("B05.mostlyRead", 0.05, "some users (5 % or more) mostly read", users.read, SHARE),
        above("B05.mostlyWritten", 0.05, "some users (5 % or more) mostly write", users.written, SHARE),
      ],
      sensitivity: [
        ["users who mostly read", "B05.mostlyRead"],
        ["users who mostly write", "B05.mostlyWritten"],
        ["users in between", "B05.between"],
      ],
    },
    {
      id: "O03",
      title: "Few write efficiently",
      statement: "Most heavy writers use small calls, and few of the users who write most write efficiently.",
      n: Math.min(value("B06.heavy"), value("B06.usersHeavy")),
      unit: "heavy users",
      scarce: "B06.usersEfficientShare",
      claims: [
        above("B06.inefficientShare", 0.5, "most heavy jobs write in small calls", writes.inefficient, SHARE),
        below(
          "B06.usersEfficientShare",
          0.5,
          "less than half of the heavy users write efficiently",
          writes.usersEfficient,
          SHARE,
        ),
      ],
      sensitivity: [
        ["heavy share of the population", "B06.heavyShare"],
        ["efficient share of heavy jobs", "B06.efficientShare"],
        ["inefficient share of heavy users", "B06.usersInefficientShare"],
        ["heavy users", "B06.usersHeavy"],
        ["efficient heavy users, ratios summed over jobs", "B06.users.sumOfRatios.efficient"],
        ["efficient heavy users, bytes / calls", "B06.users.ratioOfSums.efficient"],
      ],
    },
    {
      id: "O04",
      title: "Metadata operations grow with writes",
      statement: "Jobs that write more make more files and directories.",
      n: Math.max(0, prepared.counted.filter((job) => (prepared.jobs.written[job] as number) > 0).length),
      unit: "jobs that wrote",
      claims: [
        above(
          "B07.mkdirsR",
          0.5,
          "mkdir calls and bytes written are correlated",
          metadata.mkdirs,
          CORRELATION,
        ),
        above(
          "B07.mknodsR",
          0.5,
          "mknod calls and bytes written are correlated",
          metadata.mknods,
          CORRELATION,
        ),
      ],
      sensitivity: [
        ["sum of all calls", "B07.sumR"],
        ["mkdir, all jobs", "B07.mkdirsRAllJobs"],
        ["mknod, all jobs", "B07.mknodsRAllJobs"],
        ["mknod, ranks", "B07.mknodsSpearman"],
        ["mknod, raw", "B07.mknodsRawR"],
      ],
    },
    {
      id: "O05",
      title: "Half of the jobs do I/O",
      statement: "More than half of the jobs read or write.",
      n: prepared.counted.length,
      unit: "jobs with counters",
      claims: [above("B12.ioShareOfJobs", 0.5, "more than half of the jobs move bytes", jobs.io, SHARE)],
      sensitivity: [["with metadata operations", "B12.anyShareOfJobs"]],
    },
  ];
};
