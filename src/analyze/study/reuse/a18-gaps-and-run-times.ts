import { mean } from "../../../base/statistics.ts";
import type { Queryable } from "../../../model/index.ts";
import { partOr } from "../common/parts.ts";
import { BAD_CLOCK } from "./census.ts";
import { defineItem, number, share } from "./item.ts";
import type { Column } from "./sweep/index.ts";

/** How long the runs took whose clock is right; where all are, none is asked for its clock. */
export const durationsSql = (badClocks: boolean): string =>
  `select end_unix_ns - start_unix_ns as ns from reuse_period_runs
  where ${badClocks ? `not ${BAD_CLOCK} and ` : ""}end_unix_ns >= start_unix_ns`;

/** Run times without these last bits are about a second apart. */
const BIN_BITS = 30;
/** Run times by the second, which are few; the median is then looked for among those of one second. */
export const durationBinsSql = (badClocks: boolean): string =>
  `select ns >> ${BIN_BITS} as bin, count(*) as n, sum(ns) as ns,
  count(*) filter (ns < 7200000000000) as short from (${durationsSql(badClocks)}) group by bin`;

export const a18 = defineItem({
  id: "A18",
  from: "files",
  definition: "A18@1",
  title: "Gaps against run times",
  place: "section 3.1, finding 3",
  section: "reuse",
  about:
    "Run times of all logs of the period with a correct clock, and the mean gaps of files (A08) over the mean run time. A gap is from start to start unless the option gap says otherwise.",
  reading:
    "The paper says that more than 80 % of the jobs end within two hours, so that gaps of two days are much longer than runs. A log is one run of a program; a job may have several.",
  options: ["period", "zone", "gap", "partial"],
  values: {
    runMeanHours: ["hours", "mean run time"],
    runMedianHours: ["hours", "median run time"],
    below2Hours: ["share", "runs of less than 2 h", 0.8, "over 80 %"],
    readGapOverRun: ["ratio", "mean read gap / mean run time", undefined, "much longer"],
    writeGapOverRun: ["ratio", "mean write gap / mean run time", undefined, "much longer"],
  },
  narrative: ({ number: of, text }) =>
    `${text("below2Hours")} of the runs end within two hours (paper: more than 80 % of the jobs), on average after ${of("runMeanHours")} hours; files are idle ${of("readGapOverRun")} times as long between read runs and ${of("writeGapOverRun")} times between write runs.`,
  async measure({ db, scan, badClocks }) {
    const { n, ns, short, median } = await runTimes(db, badClocks);
    const run = ns / 3.6e12 / n;
    const gap = (hours: Column) => mean(hours.known());
    return {
      n,
      unit: "runs",
      values: {
        runMeanHours: run,
        runMedianHours: median,
        below2Hours: share(short, n),
        readGapOverRun: gap(scan.sequences.gapRead) / run,
        writeGapOverRun: gap(scan.sequences.gapWrite) / run,
      },
    };
  },
});

/** Whole nanoseconds add up to the same in any order. */
async function runTimes(db: Queryable, badClocks: boolean) {
  const [row] = await db.rows(`with bins as (select bin, sum(n) as n, sum(ns) as ns, sum(short) as short
        from ${partOr(db, "duration_bins", durationBinsSql(badClocks))} group by bin),
      ranked as (select *, sum(n) over (order by bin) as upto, sum(n) over () as total from bins),
      ends as (select min(bin) filter (upto > (total - 1) // 2) as low, min(bin) filter (upto > total // 2) as high
        from ranked)
    select sum(n) as n, sum(ns) as ns, sum(short) as short, any_value(low) as low, any_value(high) as high,
      coalesce(sum(n) filter (bin < low), 0) as below from bins, ends`);
  const n = number(row?.n) || 0;
  if (row === undefined || n === 0) return { n, ns: 0, short: 0, median: Number.NaN };
  // The mean of the two in the middle.
  const [middle] = await db.rows(`with counted as (select ns, count(*) as n
        from ${partOr(db, "durations", durationsSql(badClocks))} where ns >> ${BIN_BITS} between ${row.low} and ${row.high} group by ns),
      ranked as (select ns, ${row.below} + sum(n) over (order by ns) as upto from counted)
    select (min(ns) filter (upto > (${n} - 1) // 2) / 3.6e12 + min(ns) filter (upto > ${n} // 2) / 3.6e12) / 2 as median
    from ranked`);
  return { n, ns: number(row.ns), short: number(row.short), median: number(middle?.median) };
}
