import { mean, passing } from "../../../base/statistics.ts";
import { BAD_CLOCK } from "./census.ts";
import { defineItem, number, share } from "./item.ts";

/** How long the runs took whose clock is right. */
export const DURATIONS = `select end_unix_ns - start_unix_ns as ns from reuse_period_runs
  where not ${BAD_CLOCK} and end_unix_ns >= start_unix_ns`;

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
    `${text("below2Hours")} of the runs end within two hours (paper: more than 80 % of the jobs), on average after ${of("runMeanHours")} hours; files are idle ${of("readGapOverRun")} times as long between read runs and ${of("writeGapOverRun")} times between write runs.`,
  async measure({ db, scan }) {
    const lengths = db.part?.("durations");
    // Whole nanoseconds add up to the same in any order.
    const [row] = await db.rows(
      lengths === undefined
        ? `select count(*) as n, sum(ns) as ns, median(ns / 3.6e12) as median, count(*) filter (ns < 7.2e12) as short
          from (${DURATIONS})`
        : countedLengths(lengths),
    );
    const n = number(row?.n) || 0;
    const run = number(row?.ns) / 3.6e12 / n;
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

/** The same of lengths with how often each occurs: the median is the mean of the two in the middle. */
const countedLengths = (
  lengths: string,
): string => `with counted as (select ns, sum(n) as n from ${lengths} group by ns),
    ranked as (select *, sum(n) over (order by ns) as upto, sum(n) over () as total from counted)
  select sum(n) as n, sum(n * ns) as ns, sum(n) filter (ns < 7.2e12) as short,
    (min(ns) filter (upto > (total - 1) // 2) / 3.6e12 + min(ns) filter (upto > total // 2) / 3.6e12) / 2 as median
  from ranked`;
