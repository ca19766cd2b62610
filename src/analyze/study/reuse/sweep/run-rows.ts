/** Accesses as they are grouped by run: in parts, so that what is known of the runs of a part fits in the cache. */
import type { Spill } from "../../../../base/spill.ts";
import { FLAGS, type Records, RUN } from "./records.ts";
import { mixed } from "../../common/hash.ts";

/** Words of a row of runs: id of the run, bytes read, bytes written, two each, and flags. */
export const RUN_STRIDE = 7;

/** Accesses to group by run: rows of `stride` words, in each the run with its bytes from `run` on, and its flags. */
export interface RunRows {
  readonly words: Uint32Array;
  readonly rows: number;
  readonly stride: number;
  readonly run: number;
  readonly flags: number;
}

export const runRows = ({ words, stride, starts }: Records): RunRows => ({
  words,
  rows: starts[starts.length - 1] as number,
  stride,
  run: RUN,
  flags: FLAGS,
});

/** Rows of runs that are nothing else. */
export const plainRunRows = (words: Uint32Array, rows: number): RunRows => ({
  words,
  rows,
  stride: RUN_STRIDE,
  run: 0,
  flags: RUN_STRIDE - 1,
});

/** The part of a run, of 2^bits; `>>>` takes only five bits of its right side. */
const partOf = (low: number, high: number, bits: number): number =>
  bits === 0 ? 0 : mixed(low, high) >>> (32 - bits);

/** How many rows lie in the parts before each of 2^bits parts, all rows of a run in the same. */
export function partStarts({ words, rows, stride, run }: RunRows, bits: number): Uint32Array {
  const starts = new Uint32Array(2 ** bits + 1);
  const end = rows * stride + run;
  for (let at = run; at < end; at += stride) {
    const next = partOf(words[at] as number, words[at + 1] as number, bits) + 1;
    starts[next] = (starts[next] as number) + 1;
  }
  for (let part = 1; part < starts.length; part++)
    starts[part] = (starts[part] as number) + (starts[part - 1] as number);
  return starts;
}

/** Some of 2^bits parts, with what `partStarts` gave for all. */
interface Parts {
  readonly bits: number;
  readonly starts: Uint32Array;
  readonly from: number;
  readonly to: number;
}

/**
 * Copies the rows of the parts from `from` to before `to`, one part behind the other. All rows are looked at in turn: to
 * leap to the wanted ones, by a list of bytes or of rows, was slower.
 */
export function gather(
  { words, rows, stride, run, flags }: RunRows,
  { bits, starts, from, to }: Parts,
  into: Uint32Array,
): void {
  const first = starts[from] as number;
  const next = starts.slice(from, to).map((start) => start - first);
  const end = rows * stride + run;
  for (let at = run; at < end; at += stride) {
    const low = words[at] as number;
    const high = words[at + 1] as number;
    const part = partOf(low, high, bits) - from;
    if (part < 0 || part >= next.length) continue;
    const place = next[part] as number;
    next[part] = place + 1;
    const put = place * RUN_STRIDE;
    into[put] = low;
    into[put + 1] = high;
    into[put + 2] = words[at + 2] as number;
    into[put + 3] = words[at + 3] as number;
    into[put + 4] = words[at + 4] as number;
    into[put + 5] = words[at + 5] as number;
    into[put + 6] = words[at - run + flags] as number;
  }
}

const ROW_BYTES = RUN_STRIDE * Uint32Array.BYTES_PER_ELEMENT;

/** Accesses of several passes on disk, in slices by run: what a slice holds of a pass is one piece. */
export class SpilledRuns {
  readonly #spill: Spill;
  readonly #bits: number;
  readonly #slices: { readonly offset: number; readonly rows: number }[][];
  #rows = 0;

  /** For about this number of slices. */
  constructor(spill: Spill, slices: number) {
    this.#spill = spill;
    this.#bits = Math.ceil(Math.log2(slices));
    this.#slices = Array.from({ length: 2 ** this.#bits }, () => []);
  }

  add(source: RunRows): void {
    const bits = this.#bits;
    const starts = partStarts(source, bits);
    for (const [from, pieces] of this.#slices.entries()) {
      const rows = (starts[from + 1] as number) - (starts[from] as number);
      if (rows === 0) continue;
      const words = new Uint32Array(rows * RUN_STRIDE);
      gather(source, { bits, starts, from, to: from + 1 }, words);
      this.#spill.append(new Uint8Array(words.buffer));
      pieces.push({ offset: this.#rows * ROW_BYTES, rows });
      this.#rows += rows;
    }
  }

  get slices(): number {
    return this.#slices.length;
  }

  slice(index: number): RunRows {
    const pieces = this.#slices[index] ?? [];
    const all = pieces.reduce((sum, { rows }) => sum + rows, 0);
    const words = new Uint32Array(all * RUN_STRIDE);
    const bytes = new Uint8Array(words.buffer);
    let at = 0;
    for (const { offset, rows } of pieces) {
      bytes.set(this.#spill.read(offset, rows * ROW_BYTES), at);
      at += rows * ROW_BYTES;
    }
    return plainRunRows(words, all);
  }
}
