/** Bytes over time: phases of I/O, with those marked that the finding is about. */
import { formatBytes, formatSeconds } from "../../../base/units.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { Job } from "../job.ts";
import type { Drawn, Evident } from "./picture.ts";

const BINS_MAX = 200;
/** A bin with at least this part of the busiest belongs to a burst. */
const BUSY = 0.1;

export function timeline(job: Job, { evidence }: Evident): Drawn | undefined {
  const { activity } = job;
  if (activity === undefined) return undefined;
  const { bytesRead, bytesWritten, binSeconds } = activity;
  const join = Math.ceil(bytesRead.length / BINS_MAX);
  const bins: number[] = [];
  for (let at = 0; at < bytesRead.length; at++) {
    const bin = Math.floor(at / join);
    bins[bin] = (bins[bin] ?? 0) + (bytesRead[at] || 0) + (bytesWritten[at] || 0);
  }
  const most = bins.reduce((high, value) => Math.max(high, value), 0);
  if (!(most > 0)) return undefined;
  const width = binSeconds * join;
  const { span } = evidence;
  const isIn = (at: number) =>
    span === undefined || ((at + 1) * width > span.startSeconds && at * width < span.endSeconds);
  const marked = bins.flatMap((value, at) => (value >= BUSY * most && isIn(at) ? [at] : []));
  const bytes = marked.reduce((sum, at) => sum + (bins[at] as number), 0);
  const label = `${formatBytes(bytes)} in ${formatSeconds(marked.length * width)}`;
  return {
    title: "Bytes over time",
    caption: `All ranks, in steps of ${formatSeconds(width)}, from ${activity.source === "HEATMAP" ? "the heat map" : "traced calls"}.`,
    summary: `${label}, of ${formatSeconds(bins.length * width)}.`,
    definition: DEFINITIONS.heat.id,
    chart: {
      direction: "vertical",
      itemLabel: "time since the start of the job",
      items: bins.map((value, at) => ({ name: formatSeconds(at * width), value })),
      value: { label: "bytes", unit: "bytes" },
      marked,
      markLabel: label,
    },
  };
}
