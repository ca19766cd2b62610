/** Record of a run: every write, times and amounts, in the form of simulated runs. */
import { assert } from "../../../base/assert.ts";
import { csvRow } from "../../../base/csv.ts";
import { CALL_MOVED, CALL_UNUSED, type WriteRun } from "../../../model/index.ts";
import { type JoinedWrites, joinedWrites } from "../host/write-lists.ts";
import type { HostReport } from "../host/setting.ts";

interface RunAbout {
  readonly label: string;
  readonly title: string;
  readonly policy: string;
  readonly writers: number;
  readonly targetNames: readonly string[];
  readonly slowed: readonly { readonly target: number; readonly how: string }[];
}

export interface StepRecord {
  readonly run: WriteRun;
  /** Process and file number of each write; parallel to `run.calls`. */
  readonly host: Uint32Array;
  readonly fileId: Float64Array;
  /** Bytes of the dataset, including those kept of an interrupted write. */
  readonly keptBytes: number;
  readonly cpuSeconds: number;
  /** Peak memory of each process, summed over processes. */
  readonly memoryBytes: number;
  /** Time until all processes were ready. */
  readonly startSeconds: number;
}

export function recordOf(
  about: RunAbout,
  reports: readonly HostReport[],
  more: { readonly keptBytes: number; readonly readyAt: number; readonly outcome: string },
): StepRecord {
  const { calls, host, fileId } = joinedWrites(reports.map((report) => report.writes));
  markUnused(calls, fileId, reports);
  const opens = reports.flatMap((report) => report.opens);
  // Later opens of replacement files are part of the write time.
  const opened = Math.round(1e9 * most(opens.map(({ at }) => at)));
  const fromNs = opens.length === 0 ? 0 : Math.min(opened, calls.startNs[0] ?? Number.POSITIVE_INFINITY);
  const decided = most(reports.map(({ decidedAt }) => decidedAt).filter((at) => at > 0));
  let [lastNs, bytes] = [fromNs, 0];
  for (let i = 0; i < calls.count; i++) {
    if (((calls.flags[i] as number) & CALL_UNUSED) === 0) {
      lastNs = Math.max(lastNs, calls.endNs[i] as number);
      bytes += calls.bytes[i] as number;
    }
    calls.startNs[i]! -= fromNs;
    calls.endNs[i]! -= fromNs;
  }
  const messages = new Map<string, number>();
  for (const report of reports)
    for (const [kind, count] of Object.entries(report.messages))
      messages.set(kind, (messages.get(kind) ?? 0) + count);
  return {
    run: {
      ...about,
      simulated: false,
      targets: about.targetNames.length,
      bytes,
      seconds: (lastNs - fromNs) / 1e9,
      commitSeconds: Number.isFinite(decided) ? decided - fromNs / 1e9 : Number.NaN,
      openSeconds: opens.map(({ seconds }) => seconds),
      calls,
      messages: [...messages].map(([kind, count]) => ({ kind, count })),
      outcome: more.outcome,
    },
    host,
    fileId,
    keptBytes: more.keptBytes,
    cpuSeconds: reports.reduce((sum, one) => sum + one.cpuSeconds, 0),
    memoryBytes: reports.reduce((sum, one) => sum + one.memoryBytes, 0),
    startSeconds: more.readyAt,
  };
}

const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);

function markUnused(
  { count, offset, flags }: JoinedWrites["calls"],
  fileId: Float64Array,
  reports: readonly HostReport[],
): void {
  const used = reports.find((one) => one.used !== undefined)?.used;
  if (used === undefined) return;
  const known = new Set(used);
  assert(known.size === used.length, "no two entries of the index name the same bytes");
  for (let i = 0; i < count; i++) if (!known.has(`${fileId[i]}/${offset[i]}`)) flags[i]! |= CALL_UNUSED;
}

/** Columns as lists, readable by any program; times in seconds. */
export function recordJson({ run, host, fileId, ...more }: StepRecord): string {
  const { calls, ...rest } = run;
  const list = (values: Iterable<number>) => Array.from(values);
  const seconds = (values: Float64Array) => Array.from(values, (one) => one / 1e9);
  const ops = {
    rank: list(calls.process),
    block: list(calls.owner),
    target: list(calls.file),
    bytes: list(calls.bytes),
    start: seconds(calls.startNs),
    end: seconds(calls.endNs),
    flags: Array.from(calls.flags, storedFlags),
    host: list(host),
    file: list(fileId),
    offset: list(calls.offset ?? []),
  };
  return `${JSON.stringify({ version: 1, ...more, run: { ...rest, ops } })}\n`;
}

/** Stored flags: 1 for a moved write, 2 for an unused one. */
const STORED_SHIFT = 6;
const storedFlags = (flags: number): number => (flags & (CALL_MOVED | CALL_UNUSED)) >> STORED_SHIFT;
export const flagsFromStored = (stored: number): number =>
  (stored << STORED_SHIFT) & (CALL_MOVED | CALL_UNUSED);

/** One line a write, as `plimsoll bps` reads them. */
export function opsCsv({ run, host }: StepRecord): string {
  const { calls, targetNames = [] } = run;
  const { count, process, owner, file, bytes, startNs, endNs, flags, offset } = calls;
  assert(host.length === count && offset?.length === count, "every write has its process and its place");
  const lines = ["pid,rank,bytes,offset,start,end,op,file,target,block,flags"];
  for (let i = 0; i < count; i++) {
    const target = file[i] as number;
    const name = targetNames[target] ?? `target ${target}`;
    const times = [startNs, endNs].map((column) => ((column[i] as number) / 1e9).toFixed(9));
    const place = [name, target, owner[i], storedFlags(flags[i] as number)];
    lines.push(csvRow([host[i], process[i], bytes[i], offset[i], ...times, "write", ...place]));
  }
  return `${lines.join("\n")}\n`;
}
