import { mean, quantileOf } from "../../../base/statistics.ts";
import type { SpansChart } from "../../../model/index.ts";
import { defineItem, drawn, share } from "./item.ts";
import type { Prepared } from "./prepare.ts";
import type { KeptSeries } from "./series.ts";

/** For each job that was searched for a period: 1 when it has one, and whether it is heavy. */
export function periodFlags({ series }: Prepared): {
  periodic: Uint8Array;
  heavy: Uint8Array;
  places: Uint32Array;
} {
  const places = Uint32Array.from({ length: series.count }, (_, i) => i).filter(
    (i) => !Number.isNaN(series.period[i]),
  );
  const limit = mean(Float64Array.from(places, (i) => series.written[i] as number));
  return {
    places,
    periodic: Uint8Array.from(places, (i) => (series.isPeriodic(i) ? 1 : 0)),
    heavy: Uint8Array.from(places, (i) => ((series.written[i] as number) > limit ? 1 : 0)),
  };
}

const ones = (flags: Uint8Array) => flags.reduce((sum, flag) => sum + flag, 0);

export const b13 = defineItem({
  id: "B13",
  definition: "B13@1",
  title: "Writes over time",
  place: "figure 11",
  section: "run",
  about:
    "Per job with writes and at least periodBins minutes: the autocorrelation of log10(1 + bytes written) by minute, divided by that at lag zero; the period is the lag of its highest local maximum between two minutes and half the run. Strength is that maximum, corrected for the shorter overlap. Confidence is one minus the share of shuffled series with as high a maximum (the search stops once it must fall below 95 %). Writes are periodic with a confidence of 95 % and at least periodStrength. Heavy jobs write more than the mean of those searched.",
  reading:
    "The paper shows three jobs and says that most I/O-heavy jobs look like that; it gives no number. The resolution is one minute.",
  options: ["periodStrength", "periodBins", "shuffles", "seed"],
  values: {
    periodicJobs: ["count", "periodic jobs"],
    periodicShare: ["share", "periodic jobs, share"],
    periodicShareOfWriters: ["share", "periodic share of all jobs that write"],
    heavyJobs: ["count", "heavy jobs"],
    heavyPeriodicShare: ["share", "periodic share of heavy jobs"],
    meanPeriodMinutes: ["minutes", "mean period"],
    medianPeriodMinutes: ["minutes", "median period"],
    meanStrength: ["none", "mean strength"],
  },
  narrative: ({ text }) =>
    `${text("periodicShare")} of the jobs with a long enough series write periodically (${text("periodicJobs")}), with a median period of ${text("medianPeriodMinutes")}; of the heavy ones ${text("heavyPeriodicShare")}. The paper says "most" and gives no number.`,
  measure(prepared) {
    const { series } = prepared;
    const { places, periodic, heavy } = periodFlags(prepared);
    const found = places.filter((_, i) => periodic[i] === 1);
    const minutes = Float64Array.from(found, (i) => series.period[i] as number);
    const heavyPeriodic = periodic.reduce((sum, flag, i) => sum + flag * (heavy[i] as number), 0);
    let writers = 0;
    for (let i = 0; i < series.count; i++) if ((series.writeMinutes[i] as number) > 0) writers++;
    return {
      n: places.length,
      unit: "jobs with writes and at least periodBins minutes",
      dropped: { "jobs with writes shorter than periodBins minutes": writers - places.length },
      values: {
        periodicJobs: found.length,
        periodicShare: share(found.length, places.length),
        periodicShareOfWriters: share(found.length, writers),
        heavyJobs: ones(heavy),
        heavyPeriodicShare: share(heavyPeriodic, ones(heavy)),
        meanPeriodMinutes: mean(minutes),
        medianPeriodMinutes: quantileOf(minutes, 0.5),
        meanStrength: mean(Float64Array.from(found, (i) => series.strength[i] as number)),
      },
      figures: () => series.kept.map((one, i) => figure(one, i, prepared.jobs.id[one.job])),
    };
  },
});

/** This many minutes of a job are drawn, from its first write on. */
const DRAWN_MINUTES = 720;

function figure({ written, period }: KeptSeries, index: number, id = Number.NaN) {
  const from = Math.max(
    0,
    written.findIndex((bytes) => bytes > 0),
  );
  const some = written.subarray(from, from + DRAWN_MINUTES);
  const chart: SpansChart = {
    kind: "spans",
    x: { label: "minute of the run", unit: "none" },
    y: { label: "bytes written in the minute", unit: "bytes" },
    spans: Array.from(some, (bytes, i) => ({
      x1: from + i,
      x2: from + i + 1,
      y1: 0,
      y2: bytes,
      role: "write" as const,
    })).filter(({ y2 }) => y2 > 0),
  };
  const text =
    period.minutes === 0
      ? "no period"
      : `period ${period.minutes} min, strength ${period.strength.toFixed(2)}, confidence ${(100 * period.confidence).toFixed(0)} %`;
  return drawn({
    id: `figure-11${"abc"[index] ?? ""}-writes-of-a-job`,
    title: `Writes of ${Number.isNaN(id) ? `a job (${index + 1})` : `job ${id}`} over time`,
    caption: `One of the jobs with most bytes written${some.length < written.length ? `; ${some.length} of its ${written.length} minutes` : ""}: ${text}.`,
    summary: `Bytes written per minute: ${text}.`,
    chart,
  });
}
