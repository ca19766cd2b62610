/** Columns of calls that are kept: they grow, can be put in order, and go to bytes and back. */
import { withRoom } from "../../base/room.ts";
import { IntegerSorter } from "../../base/integer-sort.ts";
import type { CallBlock } from "../../model/index.ts";

/** A block with every column. */
export interface WholeBlock extends CallBlock {
  readonly movedBytes: Float64Array;
  readonly offset: Float64Array;
}

/** Rows of a block that is handed out: its columns stay in the second-level cache. */
export const BLOCK_ROWS = 8192;

const REALS = ["startNs", "endNs", "bytes", "movedBytes", "offset"] as const;
const WORDS = ["process", "file"] as const;
const CODES = ["operation", "layer", "flags"] as const;
const COLUMNS = [...REALS, ...WORDS, ...CODES] as const;
const ROW_BYTES = 8 * REALS.length + 4 * WORDS.length + CODES.length;

export class CallRows implements WholeBlock {
  count = 0;
  startNs = new Float64Array(0);
  endNs = new Float64Array(0);
  bytes = new Float64Array(0);
  movedBytes = new Float64Array(0);
  offset = new Float64Array(0);
  process = new Uint32Array(0);
  file = new Uint32Array(0);
  operation = new Uint8Array(0);
  layer = new Uint8Array(0);
  flags = new Uint8Array(0);

  constructor(room: number) {
    this.#resize(room);
  }

  get room(): number {
    return this.startNs.length;
  }

  reach(rows: number): void {
    if (rows > this.room) this.#resize(Math.max(rows, 2 * this.room));
  }

  /** Adds a row of another block. */
  push(from: WholeBlock, row: number): void {
    const at = this.count++;
    this.startNs[at] = from.startNs[row] as number;
    this.endNs[at] = from.endNs[row] as number;
    this.bytes[at] = from.bytes[row] as number;
    this.movedBytes[at] = from.movedBytes[row] as number;
    this.offset[at] = from.offset[row] as number;
    this.process[at] = from.process[row] as number;
    this.file[at] = from.file[row] as number;
    this.operation[at] = from.operation[row] as number;
    this.layer[at] = from.layer[row] as number;
    this.flags[at] = from.flags[row] as number;
  }

  /** Becomes rows `from` to `to` of another, in an order: column by column, so that few streams of memory are open. */
  copy(rows: CallRows, from: number, to: number, order: Uint32Array | undefined): void {
    for (const name of COLUMNS)
      if (order === undefined) this[name].set(rows[name].subarray(from, to) as never);
      else gather(rows[name], order, from, to, this[name]);
    this.count = to - from;
  }

  #resize(room: number): void {
    for (const name of REALS) this[name] = withRoom(this[name], room);
    for (const name of WORDS) this[name] = withRoom(this[name], room);
    for (const name of CODES) this[name] = withRoom(this[name], room);
  }
}

type Column = Float64Array | Uint32Array | Uint8Array;

function gather(column: Column, order: Uint32Array, from: number, to: number, into: Column): void {
  if (column instanceof Float64Array) gatherReals(column, order, from, to, into as Float64Array);
  else for (let i = from; i < to; i++) into[i - from] = column[order[i] as number] as number;
}

function gatherReals(
  column: Float64Array,
  order: Uint32Array,
  from: number,
  to: number,
  into: Float64Array,
): void {
  for (let i = from; i < to; i++) into[i - from] = column[order[i] as number] as number;
}

/** What comes first: the group, where calls are grouped, then the start. */
export type GroupColumn = "process" | "file" | undefined;

const sorter = new IntegerSorter();

/** Blocks of the rows in an order of `orderOf`; each is valid until the next is asked for. */
export function* inOrder(rows: CallRows, order: Uint32Array | undefined): Generator<WholeBlock> {
  const block = new CallRows(Math.min(BLOCK_ROWS, rows.count));
  for (let from = 0; from < rows.count; from += BLOCK_ROWS) {
    const to = Math.min(rows.count, from + BLOCK_ROWS);
    block.copy(rows, from, to, order);
    yield block;
  }
}

/** The rows by group and start; undefined where they are in order already. */
export function orderOf({ startNs, count, ...rows }: CallRows, by: GroupColumn): Uint32Array | undefined {
  const order = sorter.order(startNs, count)?.slice();
  return by === undefined ? order : grouped(rows[by], count, order);
}

/** The same order within each group, group after group. */
function grouped(groups: Uint32Array, count: number, order: Uint32Array | undefined): Uint32Array {
  let most = 0;
  for (let i = 0; i < count; i++) most = Math.max(most, groups[i] as number);
  const places = new Uint32Array(most + 2);
  for (let i = 0; i < count; i++) {
    const next = (groups[i] as number) + 1;
    places[next] = (places[next] as number) + 1;
  }
  for (let group = 1; group < places.length; group++)
    places[group] = (places[group] as number) + (places[group - 1] as number);
  const result = new Uint32Array(count);
  for (let i = 0; i < count; i++) {
    const row = order === undefined ? i : (order[i] as number);
    const group = groups[row] as number;
    const place = places[group] as number;
    places[group] = place + 1;
    result[place] = row;
  }
  return result;
}

/** The first `count` rows, column after column. */
export function packed(block: WholeBlock): Uint8Array {
  const bytes = new Uint8Array(block.count * ROW_BYTES);
  let at = 0;
  for (const name of COLUMNS) {
    const column = block[name].subarray(0, block.count);
    bytes.set(new Uint8Array(column.buffer, column.byteOffset, column.byteLength), at);
    at += column.byteLength;
  }
  return bytes;
}

export const packedBytes = (count: number) => count * ROW_BYTES;

export function unpack(bytes: Uint8Array, count: number, into: CallRows): void {
  into.reach(count);
  let at = 0;
  for (const name of COLUMNS) {
    const column = into[name];
    const length = count * column.BYTES_PER_ELEMENT;
    new Uint8Array(column.buffer, column.byteOffset, length).set(bytes.subarray(at, at + length));
    at += length;
  }
  into.count = count;
}
