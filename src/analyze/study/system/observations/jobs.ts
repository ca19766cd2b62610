/** Observations of jobs: shapes, readers and writers, metadata operations. */
import { jobIntervals, metadataIntervals, userIntervals, writeIntervals } from "../intervals.ts";
import { claim, MINIMUM } from "../../common/judge.ts";
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
      minimum: MINIMUM,
      unit: "jobs",
      claims: [
        claim("B04.below2Hours", "most jobs run for less than two hours", "above", 0.5, jobs.short, SHARE),
        claim("B04.below100Nodes", "most jobs use fewer than 100 nodes", "above", 0.5, jobs.small, SHARE),
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
      minimum: MINIMUM,
      unit: "users",
      claims: [
        claim(
          "B05.distanceToUniform",
          "shares of reads differ from an even spread by less than 0.25",
          "below",
          0.25,
          users.distance,
          SHARE,
        ),
        claim("B05.mostlyRead", "some users (5 % and more) read mostly", "above", 0.05, users.read, SHARE),
        claim(
          "B05.mostlyWritten",
          "some users (5 % and more) write mostly",
          "above",
          0.05,
          users.written,
          SHARE,
        ),
      ],
      sensitivity: [
        ["users who mostly read", "B05.mostlyRead"],
        ["users who mostly write", "B05.mostlyWritten"],
        ["users between", "B05.between"],
      ],
    },
    {
      id: "O03",
      title: "Few write efficiently",
      statement: "Most heavy writers use small calls, and few of the users who write most write efficiently.",
      n: Math.min(value("B06.heavy"), value("B06.usersHeavy")),
      minimum: MINIMUM,
      unit: "heavy users",
      scarce: "B06.usersEfficientShare",
      claims: [
        claim(
          "B06.inefficientShare",
          "most heavy jobs write in small calls",
          "above",
          0.5,
          writes.inefficient,
          SHARE,
        ),
        claim(
          "B06.usersEfficientShare",
          "less than half of the heavy users write efficiently",
          "below",
          0.5,
          writes.usersEfficient,
          SHARE,
        ),
      ],
      sensitivity: [
        ["heavy jobs, all of population", "B06.heavyShare"],
        ["efficient, of heavy jobs", "B06.efficientShare"],
        ["inefficient, of heavy users", "B06.usersInefficientShare"],
        ["heavy users", "B06.usersHeavy"],
        ["efficient heavy users, ratios summed over jobs", "B06.users.sumOfRatios.efficient"],
        ["efficient heavy users, bytes over calls", "B06.users.ratioOfSums.efficient"],
      ],
    },
    {
      id: "O04",
      title: "Metadata operations grow with writes",
      statement: "Jobs that write more make more files and directories.",
      n: Math.max(0, prepared.counted.filter((job) => (prepared.jobs.written[job] as number) > 0).length),
      minimum: MINIMUM,
      unit: "jobs that wrote",
      claims: [
        claim(
          "B07.mkdirsR",
          "mkdir calls and bytes written are correlated",
          "above",
          0.5,
          metadata.mkdirs,
          CORRELATION,
        ),
        claim(
          "B07.mknodsR",
          "mknod calls and bytes written are correlated",
          "above",
          0.5,
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
      minimum: MINIMUM,
      unit: "jobs with counters",
      claims: [
        claim("B12.ioShareOfJobs", "more than half of the jobs move bytes", "above", 0.5, jobs.io, SHARE),
      ],
      sensitivity: [["with metadata operations", "B12.anyShareOfJobs"]],
    },
  ];
};
