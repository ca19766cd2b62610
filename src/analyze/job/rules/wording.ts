/**
 * Numbers in sentences, so that all statements read alike: three significant digits, counts in full with commas.
 * Which units bytes have is said in base/units.ts: amounts 1.07 GB, sizes of calls, stripes and chunks 4 KiB, and one of
 * the two in a sentence.
 */
import {
  formatBytes,
  formatCount,
  formatMany,
  formatSeconds,
  formatShare,
  formatSize,
} from "../../../base/units.ts";
import type { Job } from "../job.ts";
import { ioSeconds } from "./measures.ts";

/** `32,768`. */
export const grouped = formatCount;

/** `1,024 writes`, `1 write`. */
export const many = formatMany;

/** `2.5`, `1,200`: a mean or a quotient. */
export const rough = (value: number) =>
  Math.abs(value) >= 1000 ? grouped(Number(value.toPrecision(3))) : String(Number(value.toPrecision(3)));

/** `3.14 times`. */
export const times = (ratio: number) => `${rough(ratio)} times`;

/** `93.1 %`; what is not all is never written as 100 %, what is not nothing never as 0 %. */
export function percent(part: number, whole = 1): string {
  const share = part / whole;
  if (share < 1 && share >= 0.9995) return "over 99.9 %";
  if (share > 0 && share < 0.001) return "under 0.1 %";
  return formatShare(share);
}

/** `93.1 % of writes (30,512 of 32,768)`. */
export const partOf = (part: number, whole: number, what: string) =>
  `${percent(part, whole)} of ${what} (${grouped(part)} of ${grouped(whole)})`;

/** `41.2 % of the data (3.1 GB of 7.52 GB)`, `all of the data (7.52 GB)`. */
export const partOfBytes = (part: number, whole: number, what: string) =>
  part === whole
    ? `all of ${what} (${formatBytes(whole)})`
    : `${percent(part, whole)} of ${what} (${formatBytes(part)} of ${formatBytes(whole)})`;

/** `93.1 % of the run time (67.8 s of 72.8 s)`. */
export const partOfSeconds = (part: number, whole: number, what: string) =>
  `${percent(part, whole)} of ${what} (${secondsText(part)} of ${secondsText(whole)})`;

/** `98.8 % of the I/O time (71.9 s of 72.8 s over all ranks)`. */
export function partOfIoTime(job: Job, seconds: number): string {
  const all = ioSeconds(job);
  // Layers nest: calls of a lower layer can take a little longer than those of the layer that is called.
  const part = Math.min(seconds, all);
  return `${percent(part, all)} of the I/O time (${secondsText(part)} of ${secondsText(all)} in all)`;
}

/** ` They take 98.8 % of the I/O time (71.9 s of 72.8 s over all ranks).`; empty when no times were recorded. */
export const costSentence = (job: Job, seconds: number, what = "They take") =>
  seconds > 0 && ioSeconds(job) > 0 ? ` ${what} ${partOfIoTime(job, seconds)}.` : "";

/** `4 KiB`, `46.4 KiB`. */
export const sizeText = formatSize;

/** `6.17 s`, `570,000 s`; of single calls `10.2 ms`, `25 µs`. */
export function secondsText(seconds: number): string {
  if (seconds >= 1000) return `${grouped(Number(seconds.toPrecision(3)))} s`;
  if (seconds > 0 && seconds < 1e-4) return `${rough(seconds * 1e6)} µs`;
  if (seconds > 0 && seconds < 0.1) return `${rough(seconds * 1e3)} ms`;
  return formatSeconds(seconds);
}

/** `this file` or `these files`. */
export const theseFiles = (count: number) => (count === 1 ? "this file" : "these files");
