import { mean } from "../../../base/statistics.ts";
import { bars } from "./charts.ts";
import { defineItem, drawn, share } from "./item.ts";
import { OPERATIONS } from "./jobs.ts";
import type { Prepared } from "./prepare.ts";

interface Shares {
  /** I/O minutes over minutes of run time, of jobs with I/O; and with writes. */
  readonly io: Float64Array;
  readonly write: Float64Array;
  /** Minutes that hold 90 % of the bytes, over minutes of run time. */
  readonly most: Float64Array;
}

/** Of jobs whose run time is known. */
export function sharesOf({ series }: Prepared): Shares {
  const [io, write, most]: [number[], number[], number[]] = [[], [], []];
  for (let i = 0; i < series.count; i++) {
    if ((series.job[i] as number) < 0) continue;
    const bins = series.bins[i] as number;
    if ((series.ioMinutes[i] as number) > 0) {
      io.push((series.ioMinutes[i] as number) / bins);
      most.push((series.mostMinutes[i] as number) / bins);
    }
    if ((series.writeMinutes[i] as number) > 0) write.push((series.writeMinutes[i] as number) / bins);
  }
  return { io: Float64Array.from(io), write: Float64Array.from(write), most: Float64Array.from(most) };
}

function jobShares({ jobs, counted }: Prepared) {
  let [io, any] = [0, 0];
  for (const job of counted) {
    const moved = (jobs.read[job] as number) + (jobs.written[job] as number);
    if (moved > 0) io++;
    if (moved > 0 || OPERATIONS.some((name) => (jobs.operations[name][job] as number) > 0)) any++;
  }
  return { io: share(io, counted.length), any: share(any, counted.length) };
}

export const b12 = defineItem({
  id: "B12",
  definition: "B12@1",
  title: "I/O share of run time",
  place: "figures 9 and 10",
  section: "run",
  about:
    "Per job with minutes: minutes with at least one byte read or written over minutes of run time, from the minute of the start to that of the end, inclusive; a job within one minute has one. Means over jobs with I/O, and over jobs with writes (minutes with a write). Samples up to lateMinutes after the end count in the last minute. mostBytesShareOfMinutes: minutes with 90 % of a job's bytes over its minutes. ioShareOfJobs: of all jobs with counters.",
  reading:
    "One byte marks a whole minute. The share of minutes with 90 % of the bytes shows how much of the run really moves data. A burst may appear one sample late.",
  options: ["cluster", "from", "to", "maxHours", "lateMinutes"],
  values: {
    jobsWithIo: ["count", "jobs with I/O", { quartz: 11_425 }],
    jobsWithWrites: ["count", "jobs with writes", { quartz: 10_443 }],
    metadataOnlyJobs: ["count", "metadata-only jobs"],
    ioShareOfMinutes: ["share", "minutes with I/O", { quartz: 0.788 }],
    writeShareOfMinutes: ["share", "minutes with writes", { quartz: 0.804 }],
    mostBytesShareOfMinutes: ["share", "minutes with 90 % of the bytes"],
    ioMinutes: ["count", "I/O minutes"],
    oneMinuteJobs: ["count", "jobs of one minute"],
    bytesRead: ["bytes", "bytes read"],
    bytesWritten: ["bytes", "bytes written"],
    ioShareOfJobs: ["share", "jobs that move bytes", { cab: 0.53, quartz: 0.53 }, "more than 53 %"],
    anyShareOfJobs: ["share", "jobs that move bytes or do metadata operations"],
  },
  narrative: ({ text }) =>
    `${text("jobsWithIo")} jobs with minutes read or wrote, in ${text("ioShareOfMinutes")} of their minutes on average (paper: 78.8 %); ${text("jobsWithWrites")} wrote, in ${text("writeShareOfMinutes")} (80.4 %). But 90 % of the bytes lie in ${text("mostBytesShareOfMinutes")} of the minutes. ${text("ioShareOfJobs")} of the jobs with counters moved bytes (over 53 %).`,
  measure(prepared) {
    const { series } = prepared;
    const { io, write, most } = sharesOf(prepared);
    const all = jobShares(prepared);
    let [minutes, oneBin, read, written, known] = [0, 0, 0, 0, 0];
    for (let i = 0; i < series.count; i++) {
      if ((series.job[i] as number) < 0) continue;
      known++;
      minutes += series.ioMinutes[i] as number;
      if (series.bins[i] === 1) oneBin++;
      read += series.read[i] as number;
      written += series.written[i] as number;
    }
    return {
      n: known,
      unit: "jobs with minutes",
      dropped: { "jobs with minutes whose run time is not known": series.count - known },
      values: {
        jobsWithIo: io.length,
        jobsWithWrites: write.length,
        metadataOnlyJobs: known - io.length,
        ioShareOfMinutes: mean(io),
        writeShareOfMinutes: mean(write),
        mostBytesShareOfMinutes: mean(most),
        ioMinutes: minutes,
        oneMinuteJobs: oneBin,
        bytesRead: whole(read),
        bytesWritten: whole(written),
        ioShareOfJobs: all.io,
        anyShareOfJobs: all.any,
      },
      figures: () =>
        io.length === 0
          ? []
          : [
              histogram("figure-9", "any I/O", io),
              ...(write.length === 0 ? [] : [histogram("figure-10", "a write", write)]),
            ],
    };
  },
});

/** Sums below 2^53 are exact, beyond they are rounded. */
const whole = (sum: number): bigint => BigInt(Math.round(sum));

const BINS = 20;

function histogram(id: string, what: string, shares: Float64Array) {
  const counts = new Array<number>(BINS).fill(0);
  for (const one of shares) counts[Math.min(BINS - 1, Math.floor(one * BINS + 1e-9))]!++;
  return drawn({
    id: `${id}-io-share`,
    title: `Minutes of a run with ${what}`,
    caption: `${shares.length} jobs; mean ${(100 * mean(shares)).toFixed(1)} % of the minutes.`,
    summary: `Jobs have ${what} in ${(100 * mean(shares)).toFixed(1)} % of their minutes on average.`,
    chart: bars(
      counts.map((_, i) => `${(100 * i) / BINS}–${(100 * (i + 1)) / BINS} %`),
      `share of minutes with ${what}`,
      { label: "jobs", unit: "count" },
      [{ name: "jobs", role: what === "a write" ? "write" : "neutral", values: counts }],
    ),
  });
}
