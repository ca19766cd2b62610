/** Words and small sums that the rules on ranks, files, storage and time share. */
import { formatBytes, formatSeconds } from "../../../base/units.ts";
import type { EvidenceFile, Severity } from "../../../model/finding.ts";
import type { Job, JobFile } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import type { Judgement, Rule } from "../rule.ts";

/** Files that are not standard streams. */
export function realFiles(job: Job): readonly JobFile[] {
  return job.files.filter(({ path }) => !path.startsWith("<"));
}

export const bytesOf = ({ bytesRead, bytesWritten }: { bytesRead: number; bytesWritten: number }) =>
  (bytesRead || 0) + (bytesWritten || 0);

/** Zero for what was not recorded: for sums over layers that count different things. */
export const known = (value: number) => (Number.isNaN(value) ? 0 : value);

/** Highest byte that was touched, plus one: the size of a new file, a lower bound for an old one. */
export function extentOf({ layers, called, bytesRead, bytesWritten }: JobFile): number {
  let last = Number.NaN;
  for (const { maxByteRead, maxByteWritten } of layers.values())
    for (const end of [maxByteRead, maxByteWritten]) if (!(end <= last) && end >= 0) last = end;
  const moved = bytesOf({ bytesRead, bytesWritten }) + bytesOf(called);
  if (moved === 0) return 0;
  return Number.isNaN(last) ? moved : last + 1;
}

/** Layers that reach the file system themselves, not through one that is recorded below. */
const LOWEST = ["POSIX", "STDIO", "DFS", "DAOS"] as const;

export function lowestRecords({ layers }: JobFile): LayerRecord[] {
  return LOWEST.flatMap((name) => layers.get(name) ?? []);
}

export function sum<T>(list: Iterable<T>, value: (one: T) => number): number {
  let total = 0;
  for (const one of list) total += known(value(one));
  return total;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1
    ? (sorted[middle] as number)
    : ((sorted[middle - 1] as number) + (sorted[middle] as number)) / 2;
}

/** `96 %`, `3.4 %`; never `100 %` for less than all, never `0 %` for more than nothing. */
export function percent(share: number): string {
  const value = 100 * share;
  if (value >= 99.5 && value < 100) return "over 99 %";
  if (value > 0 && value < 0.1) return "under 0.1 %";
  return value >= 9.95 || value === 0 ? `${Math.round(value)} %` : `${Number(value.toPrecision(2))} %`;
}

/** `10,000`. */
export const count = (value: number) => Math.round(value).toLocaleString("en-US");
/** `7.2`. */
export const times = (ratio: number) => Number(ratio.toPrecision(2)).toLocaleString("en-US");
/** `1 file`, `12 files`. */
export const many = (value: number, one: string, several = `${one}s`) =>
  `${value.toLocaleString("en-US")} ${value === 1 ? one : several}`;

/** `41 % (3.1 GB of 7.6 GB)`: the share with what it is of; `all (7.6 GB)`. */
export const shareOfBytes = (part: number, whole: number) =>
  part === whole
    ? `all (${formatBytes(whole)})`
    : `${percent(part / whole)} (${formatBytes(part)} of ${formatBytes(whole)})`;
export const shareOfSeconds = (part: number, whole: number) =>
  `${percent(part / whole)} (${formatSeconds(part)} of ${formatSeconds(whole)})`;

/** How bad something is that costs this share of the run time, and so many seconds of a rank. */
export function severityOf(shareOfRun: number, seconds: number): Severity {
  // Runs of a second are tests, whatever they spend their time on.
  if (!(seconds >= 0.5)) return "info";
  if (shareOfRun >= 0.1) return "high";
  return shareOfRun >= 0.01 ? "warn" : "info";
}

const LISTED = 10;

/** The files with most weight, as evidence. */
export function worstFiles(
  files: readonly JobFile[],
  weight: (file: JobFile) => number,
  note: (file: JobFile) => string,
): { readonly files: EvidenceFile[]; readonly filesTotal: number } {
  const listed = [...files]
    .sort((a, b) => known(weight(b)) - known(weight(a)) || (a.path < b.path ? -1 : 1))
    .slice(0, LISTED)
    .map((file) => ({ fileId: file.fileId, path: file.path, note: note(file) }));
  return { files: listed, filesTotal: files.length };
}

/** Whether another rule would fire with its own limits: for rules that stay silent where it explains more. */
export const fires = (rule: Rule, job: Job): boolean => judgementOf(rule, job) !== undefined;

/** What a rule says with its own limits; undefined when it is silent or lacks its data. */
export function judgementOf(rule: Rule, job: Job): Judgement | undefined {
  if (!rule.needs.every((group) => group.some((module) => job.modules.has(module)))) return undefined;
  const limits = Object.fromEntries(
    Object.entries(rule.thresholds).map(([name, { value }]) => [name, value]),
  );
  return rule.judge(job, limits);
}

/** What to add to a reason when the log lost records. */
export function unlessPartial(job: Job, reason: string): string {
  return job.partialModules.size === 0
    ? reason
    : `${reason}; the log lost records of ${[...job.partialModules].join(", ")}`;
}

/** Directory of a path, for commands that work on directories. */
export const folderOf = (path: string) => path.slice(0, Math.max(1, path.lastIndexOf("/")));
export const nameOf = (path: string) => path.slice(path.lastIndexOf("/") + 1);
