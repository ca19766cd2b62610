/** What a run leaves: every write, times and amounts, in the shape that simulated runs have. */
import { assert } from "../../../base/assert.ts";
import { csvRow } from "../../../base/csv.ts";
import { OP_UNUSED, type WriteOps, type WriteRun } from "../../../model/index.ts";
import { joinOps, type OpColumns } from "../host/ops.ts";
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
  /** The process of each write, and where it wrote; beside `run.ops`. */
  readonly host: readonly number[];
  readonly file: readonly number[];
  readonly offset: readonly number[];
  /** Bytes of the dataset: with those kept of an earlier try. */
  readonly keptBytes: number;
  readonly cpuSeconds: number;
  /** Most that any moment of any process had in memory, summed over processes. */
  readonly memoryBytes: number;
  /** When all processes were there, since the start. */
  readonly startSeconds: number;
}

export function recordOf(
  about: RunAbout,
  reports: readonly HostReport[],
  more: { readonly keptBytes: number; readonly readyAt: number; readonly outcome: string },
): StepRecord {
  const ops = joinOps(reports.map((report) => report.ops));
  markUnused(ops, reports);
  const opens = reports.flatMap((report) => report.opens);
  // Files that are opened later, in the place of others, are part of the writing.
  const from = opens.length === 0 ? 0 : Math.min(most(opens.map(({ at }) => at)), least(ops.start));
  const decided = most(reports.map(({ decidedAt }) => decidedAt).filter((at) => at > 0));
  const used = ops.flags.map((flags) => (flags & OP_UNUSED) === 0);
  const last = Math.max(from, most(ops.end.filter((_, i) => used[i])));
  const bytes = ops.bytes.reduce((sum, one, i) => sum + (used[i] ? one : 0), 0);
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
      seconds: last - from,
      commitSeconds: Number.isFinite(decided) ? decided - from : Number.NaN,
      openSeconds: opens.map(({ seconds }) => seconds),
      ops: columnsFrom(ops, from),
      messages: [...messages].map(([kind, count]) => ({ kind, count })),
      outcome: more.outcome,
    },
    host: ops.host,
    file: ops.file,
    offset: ops.offset,
    keptBytes: more.keptBytes,
    cpuSeconds: reports.reduce((sum, one) => sum + one.cpuSeconds, 0),
    memoryBytes: reports.reduce((sum, one) => sum + one.memoryBytes, 0),
    startSeconds: more.readyAt,
  };
}

const most = (values: readonly number[]) => values.reduce((a, b) => Math.max(a, b), Number.NEGATIVE_INFINITY);
const least = (values: readonly number[]) =>
  values.reduce((a, b) => Math.min(a, b), Number.POSITIVE_INFINITY);

function markUnused(ops: OpColumns, reports: readonly HostReport[]): void {
  const used = reports.find((one) => one.used !== undefined)?.used;
  if (used === undefined) return;
  const known = new Set(used);
  assert(known.size === used.length, "no two entries of the index name the same bytes");
  for (let i = 0; i < ops.file.length; i++)
    if (!known.has(`${ops.file[i]}/${ops.offset[i]}`)) ops.flags[i] = (ops.flags[i] as number) | OP_UNUSED;
}

function columnsFrom(ops: OpColumns, from: number): WriteOps {
  return {
    count: ops.rank.length,
    rank: Int32Array.from(ops.rank),
    block: Int32Array.from(ops.block),
    target: Int32Array.from(ops.target),
    bytes: Float64Array.from(ops.bytes),
    start: Float64Array.from(ops.start, (at) => at - from),
    end: Float64Array.from(ops.end, (at) => at - from),
    flags: Uint8Array.from(ops.flags),
  };
}

/** Columns as lists, so that it can be read again by anything. */
export function recordJson({ run, host, file, offset, ...more }: StepRecord): string {
  const { ops, ...rest } = run;
  const list = (values: ArrayLike<number>) => Array.from(values);
  const { rank, block, target, bytes, start, end, flags } = ops;
  const columns = {
    rank: list(rank),
    block: list(block),
    target: list(target),
    bytes: list(bytes),
    start: list(start),
    end: list(end),
    flags: list(flags),
    host,
    file,
    offset,
  };
  return `${JSON.stringify({ version: 1, ...more, run: { ...rest, ops: columns } })}\n`;
}

/** One line a write, as `plimsoll bps` reads them. */
export function opsCsv({ run, host, offset }: StepRecord): string {
  const { ops, targetNames = [] } = run;
  assert(
    host.length === ops.count && offset.length === ops.count,
    "every write has its process and its place",
  );
  const lines = ["pid,rank,bytes,offset,start,end,op,file,target,block,flags"];
  for (let i = 0; i < ops.count; i++) {
    const target = ops.target[i] as number;
    const name = targetNames[target] ?? `target ${target}`;
    const [start, end] = [ops.start[i] as number, ops.end[i] as number];
    lines.push(
      csvRow([
        host[i],
        ops.rank[i],
        ops.bytes[i],
        offset[i],
        start.toFixed(9),
        end.toFixed(9),
        "write",
        name,
        target,
        ops.block[i],
        ops.flags[i],
      ]),
    );
  }
  return `${lines.join("\n")}\n`;
}
