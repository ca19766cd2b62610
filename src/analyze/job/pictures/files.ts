/** Files that weigh most: by opens, stats, bytes or time, whichever the finding is about. */
import { formatBytes, formatCount, formatMany, formatSeconds } from "../../../base/units.ts";
import type { Unit } from "../../../model/index.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { Job, JobFile } from "../job.ts";
import type { PictureOf } from "../rule.ts";
import { fileCalls } from "../rules/index.ts";
import type { Drawn, Evident } from "./picture.ts";

const FILES_MAX = 10;
/** More are thinned: a pixel can show one. */
const ITEMS_MAX = 512;

interface Measure {
  readonly name: string;
  readonly unit: Unit;
  value(file: JobFile, job: Job): number;
  format(value: number): string;
}

const MEASURES: Readonly<Record<PictureOf<"files">["by"], Measure>> = {
  opens: {
    ...{ name: "opens", unit: "calls" },
    value: (file, job) => fileCalls(job, file).opens,
    format: (count) => formatMany(count, "open"),
  },
  stats: {
    ...{ name: "stats", unit: "calls" },
    value: (file, job) => fileCalls(job, file).stats,
    format: (count) => formatMany(count, "stat"),
  },
  bytes: {
    ...{ name: "bytes moved", unit: "bytes" },
    value: ({ bytesRead, bytesWritten }) => (bytesRead || 0) + (bytesWritten || 0),
    format: formatBytes,
  },
  time: { name: "time", unit: "seconds", value: ({ seconds }) => seconds || 0, format: formatSeconds },
};

export function files(job: Job, { evidence }: Evident, by: PictureOf<"files">["by"]): Drawn | undefined {
  const { name, unit, value, format } = MEASURES[by];
  if (evidence.filesTotal > FILES_MAX) {
    // Only their values are drawn, which need no names.
    const values = Float64Array.from(job.files, (file) => value(file, job)).filter((one) => one > 0);
    if (values.length === 0) return undefined;
    return unit === "calls"
      ? callsAndFiles(values, name, format)
      : everyFile(values.sort().reverse(), evidence.filesTotal, name, unit, format);
  }
  const named = new Set(evidence.files.map(({ fileId }) => fileId));
  const all = job.files.map((file) => ({ file, value: value(file, job) })).filter((one) => one.value > 0);
  if (all.length === 0) return undefined;
  // Culprits first among equals.
  const rank = ({ file }: { file: JobFile }) => (named.has(file.fileId) ? 0 : 1);
  all.sort((a, b) => b.value - a.value || rank(a) - rank(b));
  const shown = all.slice(0, FILES_MAX);
  let marked = shown.flatMap(({ file }, at) => (named.has(file.fileId) ? [at] : []));
  if (marked.length === 0) marked = [0];
  const sum = marked.reduce((total, at) => total + (shown[at]?.value ?? 0), 0);
  const others = all.length - shown.length;
  const total = evidence.filesTotal > marked.length ? ` of ${formatCount(evidence.filesTotal)}` : "";
  const label =
    marked.length === 1 ? format(sum) : `${formatMany(marked.length, "file")}${total}: ${format(sum)}`;
  return {
    title: `Files by ${name}`,
    caption: `The ${formatMany(shown.length, "file")} with the most${others > 0 ? `; ${formatMany(others, "other")} not drawn` : ""}.`,
    summary: `${label}.`,
    definition: DEFINITIONS.bytes.id,
    chart: {
      direction: "horizontal",
      itemLabel: "file",
      items: shown.map(({ file, value: number }) => ({ name: file.path, value: number })),
      value: { label: name, unit },
      marked,
      markLabel: label,
      ...(others > 0 && { restLabel: `${formatMany(others, "other file")}` }),
    },
  };
}

/** Calls beside the files that they are for: where each file has many, one bar is far longer. */
function callsAndFiles(all: Float64Array, name: string, format: (value: number) => string) {
  const total = all.reduce((sum, value) => sum + value, 0);
  const label = `${format(total)} for ${formatMany(all.length, "file")}`;
  return {
    title: `${name.replace(/^./, (letter) => letter.toUpperCase())}, and files that they are for`,
    caption: `${formatMany(all.length, "file")}, ${Number((total / all.length).toPrecision(3))} ${name} each on average.`,
    summary: `${label}.`,
    definition: DEFINITIONS.counts.id,
    chart: {
      direction: "horizontal" as const,
      itemLabel: "over all ranks",
      items: [
        { name, value: total },
        { name: "files", value: all.length },
      ],
      value: { label: "number", unit: "count" as const },
      marked: [0],
      markLabel: label,
    },
  };
}

/** Many culprits: all files in one row, most first. */
function everyFile(
  all: Float64Array,
  culprits: number,
  name: string,
  unit: Unit,
  format: (value: number) => string,
) {
  const every = Math.ceil(all.length / ITEMS_MAX);
  const items = Array.from(
    all.filter((_, at) => at % every === 0),
    (value, at) => ({ name: formatCount(every * at + 1), value }),
  );
  const count = Math.min(culprits, all.length);
  const total = all.subarray(0, count).reduce((sum, value) => sum + value, 0);
  const label = `${formatMany(count, "file")}: ${format(total)}`;
  const rest = all.length - count;
  return {
    title: `${name.replace(/^./, (letter) => letter.toUpperCase())} of each file, most first`,
    caption: `${formatMany(all.length, "file")}${every > 1 ? `, one of every ${formatCount(every)} drawn` : ""}.`,
    summary: `${label}.`,
    definition: DEFINITIONS.bytes.id,
    chart: {
      direction: "vertical" as const,
      itemLabel: "file",
      items,
      value: { label: name, unit },
      marked: items.flatMap((_, at) => (at * every < count ? [at] : [])),
      markLabel: label,
      ...(rest > 0 && { restLabel: formatMany(rest, "other file") }),
    },
  };
}
