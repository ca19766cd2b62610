import { formatMany } from "../../../base/units.ts";
import { bars } from "./charts.ts";
import { judgedFinding } from "../common/judge.ts";
import { busyHours, hourCorrelation, hoursOf, peaksOf, shareByHour } from "./contention.ts";
import { defineItem, drawn, share, table } from "./item.ts";
import { NO_USER } from "./jobs.ts";
import { contentionDraft } from "./observations/series.ts";
import type { Prepared } from "./prepare.ts";

const two = (hour: number) => String(hour).padStart(2, "0");

/** Jobs, or sides of runs, with I/O: those that could be in groups, and those of whom no user is known. */
function withIo({ series, sides, jobs, options }: Prepared) {
  if (options.similarity === "cluster")
    return { known: sides.reduce((sum, { start }) => sum + start.length, 0), without: 0 };
  let [known, without] = [0, 0];
  for (let i = 0; i < series.count; i++) {
    if (series.ioMinutes[i] === 0) continue;
    const job = series.job[i] as number;
    if (job < 0 || jobs.user[job] === NO_USER) without++;
    else known++;
  }
  return { known, without };
}

export const b17 = defineItem({
  id: "B17",
  definition: "B17@1",
  title: "Hour of the day",
  place: "figure 14",
  section: "contention",
  about:
    "By the local hour in which a job started: (a) share of the bytes of jobs with counters; (b) I/O minutes of a job relative to the maximum of similar jobs, mean per hour in percent (percentOfMost). Similar jobs are groups of at least groupJobs jobs of the same known user with the same nodes and the same integer binary logarithms of bytes read and written; or with similarity program the same user, program, nodes and decade of bytes written. With similarity cluster they are Darshan runs of one program and user, reads and writes separately: clustered by 13 standardised features (bytes, ten classes of request sizes, shared and unique files) by average linkage up to clusterDistance, at least clusterRuns of them, and I/O time is that of the logs, summed over ranks; cluster and maxHours do not apply to them. Peaks are the two highest hours above both their neighbours. Spearman's correlation of (a) and (b) over the hours.",
  reading:
    "The paper does not define similar. Only 24 points: read the correlation with its interval. I/O time is counted in minutes, so short jobs show little.",
  options: ["zone", "similarity", "groupJobs", "clusterRuns", "clusterDistance"],
  values: {
    earlierPeakHour: ["hour", "earlier peak of data", { cab: 5, quartz: 5 }],
    laterPeakHour: ["hour", "later peak of data", { cab: 11, quartz: 11 }],
    groups: ["count", "groups of similar jobs"],
    groupedJobs: ["count", "similar jobs"],
    spearman: ["none", "Spearman's ρ of data and I/O time"],
    slowestHour: ["hour", "slowest hour", undefined, "5 and 11 h"],
    busyAndSlowHours: ["count", "hours that are busy and slow"],
  },
  narrative: ({ text }) =>
    `Most data moves in jobs that start at ${text("earlierPeakHour")} and ${text("laterPeakHour")} (paper: 5 and 11 h). Similar jobs take longest when they start at ${text("slowestHour")}. Data and I/O time have a rank correlation of ${text("spearman")} over the hours.`,
  measure(prepared) {
    const { options } = prepared;
    const { bytes, jobs } = hoursOf(prepared);
    const all = bytes.reduce((sum, one) => sum + one, 0);
    const [earlier, later] = peaksOf(bytes);
    const similar = prepared.similar();
    const { shares, jobs: grouped } = shareByHour(similar);
    // Where clients were not read, bytes of the minutes tell which hours are busy.
    const busyBytes = all > 0 ? bytes : similar.bytes;
    const spearman = hourCorrelation(busyBytes, shares);
    const judged: Record<string, number> = { "B17.groups": similar.groups, "B17.spearman": spearman };
    const numbers = { value: (key: string) => judged[key] ?? Number.NaN, published: () => null };
    const { verdict } = judgedFinding(contentionDraft(prepared, numbers.value), numbers);
    const busy = verdict === "confirmed" ? busyHours(busyBytes, shares) : [];
    const n = prepared.counted.length;
    const known = n > 0 || similar.hour.length > 0;
    const moved = withIo(prepared);
    return {
      n: Math.max(n, similar.hour.length),
      unit: n > 0 ? "jobs with counters" : "similar jobs with minutes",
      dropped: {
        "jobs without counters (a)": prepared.studied.length - n,
        "jobs with I/O without a user (b)": moved.without,
        "jobs with I/O in too small groups (b)": moved.known - similar.hour.length,
      },
      values: {
        earlierPeakHour: earlier,
        laterPeakHour: later,
        groups: similar.groups,
        groupedJobs: similar.hour.length,
        spearman,
        slowestHour: highest(shares),
        busyAndSlowHours: verdict === "insufficient" ? Number.NaN : busy.length,
      },
      tabled: {
        ...Object.fromEntries(Array.from(bytes, (one, hour) => [`hour${two(hour)}`, share(one, all)])),
        ...Object.fromEntries(Array.from(shares, (one, hour) => [`percentOfMost${two(hour)}`, 100 * one])),
      },
      tables: !known
        ? []
        : [
            table(
              "hours",
              `Hours of the day by job start; busy and slow: more data and longer I/O than in the mean hour${verdict === "insufficient" ? ", not judged here (O15: not enough data)" : ""}.`,
              [
                ["hour", "Hour", "index", "Local hour in which the job started."],
                ["bytes", "Data", "bytes", "Bytes of jobs with counters."],
                ["jobs", "Jobs", "count", "Jobs with counters."],
                ["timeShare", "I/O time", "share", "Relative to the longest of similar jobs, mean."],
                ["similarJobs", "Similar jobs", "count", "Number of jobs for the I/O time."],
                [
                  "busy",
                  "Busy and slow",
                  "text",
                  "yes: better start at another hour; empty if O15 could not be judged.",
                ],
              ],
              Array.from(bytes, (one, hour) => [
                hour,
                one,
                jobs[hour] as number,
                Number.isNaN(shares[hour]) ? null : (shares[hour] as number),
                grouped[hour] as number,
                verdict === "insufficient" ? null : busy.includes(hour) ? "yes" : "no",
              ]),
            ),
          ],
      figures: () => [
        ...(all === 0
          ? []
          : [
              hourFigure(
                "figure-14a-data-by-hour",
                "Data by hour of the day",
                `${n} jobs with counters by the local hour of their start.`,
                "data",
                "bytes",
                bytes,
                options.zone,
              ),
            ]),
        ...(similar.hour.length === 0
          ? []
          : [
              hourFigure(
                "figure-14b-time-by-hour",
                "I/O time by hour of the day",
                `I/O minutes of ${similar.hour.length} jobs relative to the maximum of their ${formatMany(similar.groups, "group")} of similar jobs, mean per hour.`,
                "I/O time, relative to longest",
                "share",
                shares,
                options.zone,
              ),
            ]),
      ],
    };
  },
});

function highest(values: Float64Array): number {
  let best = Number.NaN;
  values.forEach((value, i) => {
    if (!Number.isNaN(value) && (Number.isNaN(best) || value > (values[best] as number))) best = i;
  });
  return best;
}

function hourFigure(
  id: string,
  title: string,
  caption: string,
  label: string,
  unit: "bytes" | "share",
  values: Float64Array,
  zone: string,
) {
  return drawn({
    id,
    title,
    caption,
    summary: `The highest hour is ${highest(values)}.`,
    chart: bars(
      Array.from(values, (_, hour) => String(hour)),
      `hour of the start, ${zone}`,
      { label, unit },
      [{ name: label, role: "neutral", values: [...values] }],
    ),
  });
}
