/** The writes of one process in columns: the same that simulated runs have. */
import { assert } from "../../../base/assert.ts";

/** One array per column; times in seconds since the run began. */
export interface OpColumns {
  readonly rank: number[];
  /** Whose data: the rank itself unless another wrote for it. */
  readonly block: number[];
  readonly target: number[];
  readonly file: number[];
  readonly offset: number[];
  readonly bytes: number[];
  readonly start: number[];
  readonly end: number[];
  readonly flags: number[];
  /** The process that did it. */
  readonly host: number[];
}

type Op = { readonly [Column in keyof OpColumns]: number };

export const noOps = (): OpColumns => ({
  rank: [],
  block: [],
  target: [],
  file: [],
  offset: [],
  bytes: [],
  start: [],
  end: [],
  flags: [],
  host: [],
});

export function addOp(ops: OpColumns, op: Op): void {
  assert(op.bytes > 0 && op.end >= op.start, "a write that is noted moved bytes, and took time");
  for (const column of Object.keys(ops) as (keyof OpColumns)[]) ops[column].push(op[column]);
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
  const at = (column: keyof OpColumns) => ops[column][i] as number;
  return {
    rank: at("rank"),
    block: at("block"),
    target: at("target"),
    file: at("file"),
    offset: at("offset"),
    bytes: at("bytes"),
    start: at("start"),
    end: at("end"),
    flags: at("flags"),
    host: at("host"),
  };
};
