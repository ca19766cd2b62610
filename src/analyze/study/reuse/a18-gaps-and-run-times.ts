import { mean, passing } from "../../../base/statistics.ts";
import { defineItem, number, share } from "./item.ts";

export const a18 = defineItem({
  id: "A18",
  from: "files",
  definition: "A18@1",
  title: "Gaps against run times (section 3.1, finding 3)",
  section: "reuse",
  about:
    "Run times of all logs of the period whose clock is right, and the mean gaps of files (A08) over their mean. A gap is from start to start unless the option gap says otherwise.",
  reading:
    "The paper says that more than 80 % of the jobs end within two hours, so that gaps of two days are much longer than runs. A log is one run of a program; a job may have several.",
  options: ["period", "zone", "gap", "partial"],
  values: {
    runMeanHours: ["hours", "mean run time"],
    runMedianHours: ["hours", "median run time"],
    below2Hours: ["share", "runs of less than 2 h", 0.8],
    readGapOverRun: ["ratio", "mean read gap over mean run time"],
    writeGapOverRun: ["ratio", "mean write gap over mean run time"],
  },
  narrative: ({ number: of, text }) =>
    `${text("below2Hours")} of the runs end within two hours (paper: more than 80 % of the jobs), on average after ${of("runMeanHours")} hours; files rest ${of("readGapOverRun")} times as long between read runs and ${of("writeGapOverRun")} times between write runs.`,
  async measure({ db, scan }) {
    const [row] = await db.rows(`select count(*) as n, avg(hours) as mean, median(hours) as median,
        count(*) filter (hours < 2) as short
      from (select (end_unix_ns - start_unix_ns) / 3.6e12 as hours from reuse_period_runs
        where run_id not in (select run_id from reuse_bad_runs) and end_unix_ns >= start_unix_ns)`);
    const n = number(row?.n) || 0;
    const run = number(row?.mean);
    const gap = (hours: Float64Array) => mean(passing(hours, (one) => !Number.isNaN(one)));
    return {
      n,
      unit: "runs",
      values: {
        runMeanHours: run,
        runMedianHours: number(row?.median),
        below2Hours: share(number(row?.short) || 0, n),
        readGapOverRun: gap(scan.sequences.gapRead) / run,
        writeGapOverRun: gap(scan.sequences.gapWrite) / run,
      },
    };
  },
});
