/** The writes of one process in columns: the same that simulated runs have. */
import { assert } from "../../../base/assert.ts";

/** `block`: whose data, the rank itself unless another wrote for it; `host`: the process that did it. */
const COLUMNS = [
  ...(["rank", "block", "target", "file", "offset", "bytes"] as const),
  ...(["start", "end", "flags", "host"] as const),
] as const;
type Column = (typeof COLUMNS)[number];

/** One array per column; times in seconds since the run began. */
export type OpColumns = { readonly [Name in Column]: number[] };
type Op = { readonly [Name in Column]: number };

export const noOps = (): OpColumns => Object.fromEntries(COLUMNS.map((name) => [name, []])) as never;

export function addOp(ops: OpColumns, op: Op): void {
  assert(op.bytes > 0 && op.end >= op.start, "a write that is noted moved bytes, and took time");
  for (const name of COLUMNS) ops[name].push(op[name]);
}

/** Of all processes, by start. */
export function joinOps(all: readonly OpColumns[]): OpColumns {
  const joined = noOps();
  for (const ops of all) for (let i = 0; i < ops.rank.length; i++) addOp(joined, opAt(ops, i));
  const order = joined.start
    .map((_, i) => i)
    .sort((a, b) => (joined.start[a] as number) - (joined.start[b] as number));
  const sorted = noOps();
  for (const i of order) addOp(sorted, opAt(joined, i));
  const rows = all.reduce((sum, { rank }) => sum + rank.length, 0);
  assert(sorted.rank.length === rows, "every write of every process is joined once");
  return sorted;
}

const opAt = (ops: OpColumns, i: number): Op => {
  assert(i >= 0 && i < ops.rank.length, "a write that was noted");
  return Object.fromEntries(COLUMNS.map((name) => [name, ops[name][i]])) as never;
};
