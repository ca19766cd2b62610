/** A recorded run in a few lines, and as JSON. */
import { formatCount, formatMany, formatRate, formatScaled, formatSeconds } from "../../base/units.ts";
import { SYNC_NOTE } from "../../formats/trace/index.ts";
import type { RecordRun } from "../../record/launch.ts";
import { metricsJson } from "../../analyze/metric/index.ts";
import type { MeasuredRecording } from "../../inputs/measure/recording.ts";

export function recordJson(
  { metrics, syncs, metadata }: MeasuredRecording,
  { folder, way, exitCode, signal, seconds, lost }: RecordRun,
): Record<string, unknown> {
  const run = { folder, with: way, exitCode, signal, seconds };
  return { ...metricsJson(metrics), ...run, syncs, metadata, lost: lost ?? null };
}

export function summaryLines(found: MeasuredRecording, { folder, way, seconds, lost }: RecordRun): string[] {
  const { metrics } = found;
  const { accesses, processes, files } = metrics;
  const lines = [
    `recorded ${formatMany(accesses, "access", "accesses")} of ${formatMany(processes, "process", "processes")} on ${formatMany(files, "file")} in ${folder}${way === "strace" ? " (strace)" : ""}`,
    ...(accesses > 0 ? [bytesLine(found)] : []),
    ...timeLine(found, seconds),
    ...(accesses > 0 ? [metricsLine(found)] : []),
  ];
  // The line of times has that of syncs.
  const notes = metrics.notes.filter(({ id }) => id !== SYNC_NOTE).map(({ text }) => text);
  if (accesses === 0 && metrics.notes.length === 0 && lost === undefined) notes.push(NOTHING_COUNTS);
  return [...lines, ...notes];
}

const size = (value: bigint) => formatScaled(Number(value), "B");

function bytesLine({ metrics }: MeasuredRecording): string {
  const moved = metrics.movedBytes === null ? "moved bytes unknown" : `${size(metrics.movedBytes)} moved`;
  return `${size(metrics.bytes)} requested (${size(metrics.readBytes)} read, ${size(metrics.writtenBytes)} written), ${moved}`;
}

/** Read and write time, sync time and metadata time side by side: the time with such a call in progress. */
function timeLine({ metrics, syncs, metadata }: MeasuredRecording, seconds: number): string[] {
  const parts = [
    ...(metrics.accesses > 0 ? [`reads and writes ${formatSeconds(metrics.ioTimeSeconds)}`] : []),
    ...(syncs === null || syncs.calls === 0
      ? []
      : [`syncs ${formatSeconds(syncs.unionSeconds)} (${formatMany(syncs.calls, "call")})`]),
    ...(metadata === null || metadata.calls === 0
      ? []
      : [`metadata ${formatSeconds(metadata.unionSeconds)} (${formatMany(metadata.calls, "call")})`]),
  ];
  return parts.length === 0 ? [] : [`I/O time: ${parts.join(", ")}; run time ${formatSeconds(seconds)}`];
}

function metricsLine({ metrics }: MeasuredRecording): string {
  const { bps, iops, bandwidthBytesPerSecond, arptSeconds, options } = metrics;
  const rate = (value: number | null, unit: string) =>
    value === null ? "no time" : formatScaled(value, unit);
  const bandwidth = bandwidthBytesPerSecond === null ? "no time" : formatRate(bandwidthBytesPerSecond);
  const arpt = arptSeconds === null ? "no time" : formatScaled(arptSeconds * 1e6, "us");
  return `BPS ${rate(bps, "blocks/s")} (of ${formatCount(options.blockBytes)} B), IOPS ${rate(iops, "/s")}, bandwidth ${bandwidth}, ARPT ${arpt.replace(/^([\d.]+) kus$/, (_, ms) => `${ms} ms`)}`;
}

const NOTHING_COUNTS =
  "no reads or writes of data files; system files, pipes, sockets and terminals are skipped (--all records them)";
