/**
 * Calls on their way out: of any number of inputs, on one clock, in order. What does not fit into memory is put in order
 * piece by piece, kept elsewhere (`Spill`), and merged when it is handed out.
 */
import { assert } from "../../base/assert.ts";
import { MinHeap } from "../../base/min-heap.ts";
import type { Spill } from "../../base/spill.ts";
import {
  CALL_NONFILE,
  type CallBlock,
  type CallClock,
  type CallFile,
  type CallProcess,
  type CallSink,
  type SpanBlock,
  type SpanName,
  SYNTHETIC_NOTE,
} from "../../model/index.ts";
import {
  BLOCK_ROWS,
  CallRows,
  type GroupColumn,
  inOrder,
  orderOf,
  packed,
  packedBytes,
  unpack,
  type WholeBlock,
} from "./call-rows.ts";

/** What an encoder takes. */
export interface OrderedCalls {
  readonly count: number;
  readonly processes: readonly CallProcess[];
  readonly files: readonly CallFile[];
  /** Nanoseconds from the start of the run to the end of the last call. */
  readonly endNs: number;
  /** Nanoseconds since 1970 of the start of the run, where an input knows it. */
  readonly startUnixNs: bigint | undefined;
  /** A generator made some of them. */
  readonly synthetic: boolean;
  /** What the application did besides, in order of time; times as those of calls. */
  readonly spans: readonly Span[];
  /** Times count from the start of the run. A block is valid until the next; may be asked for again. */
  blocks(): Iterable<WholeBlock>;
}

/** A named stretch of time of a process: an epoch, a step, a phase. */
export interface Span {
  /** Index in `processes`. */
  readonly process: number;
  readonly name: string;
  readonly category: string;
  readonly startNs: number;
  readonly endNs: number;
}

export interface CollectionOptions {
  /** Calls that touch this part of the run, in nanoseconds since its start, which must be given too. */
  readonly window?: { readonly fromNs: number; readonly toNs: number };
  /** What a first reading with `originNs` found. */
  readonly originNs?: number;
  readonly minDurationNs?: number;
  /** Calls come group after group, each in order of time. */
  readonly by?: GroupColumn;
  readonly spill?: Spill;
  /** Calls in memory before they are spilled. */
  readonly callsMax?: number;
}

/** Calls that were left out, by reason. */
export interface LeftOut {
  nonFile: number;
  unsound: number;
  short: number;
  outside: number;
}

/** 51 bytes each, and as much again while they are put in order. */
const CALLS_MAX = 1 << 21;
const TEN_YEARS_NS = 3.2e17;

interface Piece {
  readonly offset: number;
  readonly count: number;
}

export class CallCollection {
  readonly leftOut: LeftOut = { nonFile: 0, unsound: 0, short: 0, outside: 0 };
  readonly #options: CollectionOptions;
  readonly #callsMax: number;
  readonly #rows: CallRows;
  readonly #processes = new Known<CallProcess>(({ pid, rank, host }) =>
    rank === undefined ? `${host ?? ""}/${pid}` : `rank ${rank}`,
  );
  readonly #files = new Known<CallFile>(({ path }) => path);
  readonly #spans: Span[] = [];
  readonly #runs: Piece[][] = [];
  #synthetic = false;
  #spilled = 0;
  #spilledBytes = 0;
  #baseNs: bigint | undefined;
  #originNs = Number.POSITIVE_INFINITY;
  #lastNs = Number.NEGATIVE_INFINITY;

  constructor(options: CollectionOptions = {}) {
    this.#options = options;
    this.#callsMax = options.callsMax ?? CALLS_MAX;
    this.#rows = new CallRows(Math.min(this.#callsMax, 1 << 16));
    assert(
      options.window === undefined || options.originNs !== undefined,
      "a window counts from a known start",
    );
  }

  /** When the run starts, on the clock of all inputs. */
  get originNs(): number {
    return this.#options.originNs ?? this.#originNs;
  }

  get count(): number {
    return this.#spilled + this.#rows.count;
  }

  /** Takes the calls of one input. `startsAtZero`: its times count from the start of the run. */
  sink({ startsAtZero }: { readonly startsAtZero: boolean }): CallSink {
    const processes: number[] = [];
    const files: number[] = [];
    let shiftNs = 0;
    return {
      clock: (clock) => {
        shiftNs = this.#shiftOf(clock);
        if (startsAtZero) this.#originNs = Math.min(this.#originNs, shiftNs);
      },
      process: (one) => {
        if (one.life !== undefined) this.#originNs = Math.min(this.#originNs, one.life.startNs + shiftNs);
        return processes.push(this.#processes.numberOf(one)) - 1;
      },
      file: (file) => files.push(this.#files.numberOf(file)) - 1,
      block: (block) => this.#take(block, shiftNs, processes, files),
      note: ({ id }) => {
        if (id === SYNTHETIC_NOTE) this.#synthetic = true;
      },
      spans: (block) => this.#takeSpans(block, shiftNs, processes),
    };
  }

  #takeSpans(block: SpanBlock, shiftNs: number, processes: readonly number[]): void {
    const { window } = this.#options;
    for (let i = 0; i < block.count; i++) {
      const startNs = Math.round(block.startNs[i] as number) + shiftNs;
      const endNs = Math.round(block.endNs[i] as number) + shiftNs;
      if (!(endNs >= startNs && endNs - startNs < TEN_YEARS_NS && Math.abs(startNs) < TEN_YEARS_NS)) continue;
      this.#originNs = Math.min(this.#originNs, startNs);
      if (
        window !== undefined &&
        (endNs < window.fromNs + this.originNs || startNs >= window.toNs + this.originNs)
      )
        continue;
      this.#lastNs = Math.max(this.#lastNs, endNs);
      const { name, category } = block.names[block.name[i] as number] as SpanName;
      const process = processes[block.process[i] as number] as number;
      this.#spans.push({ process, name, category, startNs, endNs });
    }
  }

  finish(): OrderedCalls {
    const origin = Number.isFinite(this.originNs) ? this.originNs : 0;
    if (this.#spilled > 0) this.#spillRows();
    const order = this.#spilled > 0 ? undefined : orderOf(this.#rows, this.#options.by);
    return {
      count: this.count,
      processes: this.#processes.list,
      files: this.#files.list,
      synthetic: this.#synthetic,
      spans: this.#spans
        .map((span) => ({ ...span, startNs: span.startNs - origin, endNs: span.endNs - origin }))
        .sort((a, b) => a.startNs - b.startNs),
      endNs: Math.max(0, this.#lastNs - origin),
      startUnixNs: this.#baseNs === undefined ? undefined : this.#baseNs + BigInt(Math.round(origin)),
      blocks: () => shifted(this.#spilled > 0 ? this.#merged() : inOrder(this.#rows, order), origin),
    };
  }

  #shiftOf({ kind, epochNs }: CallClock): number {
    if (kind === "own") return 0;
    this.#baseNs ??= epochNs;
    return Number(epochNs - this.#baseNs);
  }

  #take(block: CallBlock, shiftNs: number, processes: readonly number[], files: readonly number[]): void {
    const rows = this.#rows;
    const { window, minDurationNs = 0 } = this.#options;
    const fromNs = window === undefined ? Number.NEGATIVE_INFINITY : window.fromNs + this.originNs;
    const toNs = window === undefined ? Number.POSITIVE_INFINITY : window.toNs + this.originNs;
    for (let i = 0; i < block.count; i++) {
      const start = Math.round(block.startNs[i] as number) + shiftNs;
      const end = Math.round(block.endNs[i] as number) + shiftNs;
      if (((block.flags[i] as number) & CALL_NONFILE) !== 0) {
        this.leftOut.nonFile++;
        continue;
      }
      if (!(end >= start && end - start < TEN_YEARS_NS && Math.abs(start) < TEN_YEARS_NS)) {
        this.leftOut.unsound++;
        continue;
      }
      if (start < this.#originNs) this.#originNs = start;
      if (end - start < minDurationNs) {
        this.leftOut.short++;
        continue;
      }
      if (end < fromNs || start >= toNs) {
        this.leftOut.outside++;
        continue;
      }
      if (rows.count === rows.room) this.#makeRoom();
      const at = rows.count++;
      if (end > this.#lastNs) this.#lastNs = end;
      rows.startNs[at] = start;
      rows.endNs[at] = end;
      rows.bytes[at] = sizeAt(block.bytes, i);
      rows.movedBytes[at] = sizeAt(block.movedBytes, i);
      rows.offset[at] = sizeAt(block.offset, i);
      rows.process[at] = processes[block.process[i] as number] as number;
      rows.file[at] = files[block.file[i] as number] as number;
      rows.operation[at] = block.operation[i] as number;
      rows.layer[at] = block.layer[i] as number;
      rows.flags[at] = block.flags[i] as number;
    }
  }

  #makeRoom(): void {
    const rows = this.#rows;
    if (rows.room < this.#callsMax || this.#options.spill === undefined) rows.reach(rows.room + 1);
    else this.#spillRows();
  }

  #spillRows(): void {
    const { spill, by } = this.#options;
    assert(spill !== undefined, "calls are spilled to somewhere");
    const pieces: Piece[] = [];
    for (const block of inOrder(this.#rows, orderOf(this.#rows, by))) {
      const bytes = packed(block);
      pieces.push({ offset: this.#spilledBytes, count: block.count });
      spill.append(bytes);
      this.#spilledBytes += bytes.length;
    }
    this.#runs.push(pieces);
    this.#spilled += this.#rows.count;
    this.#rows.count = 0;
  }

  *#merged(): Generator<WholeBlock> {
    const { spill, by } = this.#options;
    const cursors = this.#runs.map((pieces) => new Cursor(pieces, spill as Spill));
    // Groups come first; within one, the merge is by time alone.
    for (const group of by === undefined ? [undefined] : groupsOf(cursors, by)) {
      const waiting = new MinHeap();
      const wait = (cursor: Cursor, index: number) => {
        if (!cursor.ended && (by === undefined || cursor.rows[by][cursor.at] === group))
          waiting.push(cursor.rows.startNs[cursor.at] as number, index);
      };
      cursors.forEach(wait);
      const block = new CallRows(BLOCK_ROWS);
      while (waiting.size > 0) {
        const index = waiting.pop();
        const cursor = cursors[index] as Cursor;
        block.push(cursor.rows, cursor.at);
        cursor.next();
        wait(cursor, index);
        if (block.count === BLOCK_ROWS) {
          yield block;
          block.count = 0;
        }
      }
      if (block.count > 0) yield block;
    }
  }
}

/** The groups that are left, in order, each when the one before it is done. */
function* groupsOf(cursors: readonly Cursor[], by: "process" | "file"): Generator<number> {
  for (;;) {
    const next = cursors
      .filter(({ ended }) => !ended)
      .reduce((least, { rows, at }) => Math.min(least, rows[by][at] as number), Number.POSITIVE_INFINITY);
    if (next === Number.POSITIVE_INFINITY) return;
    yield next;
  }
}

/** Where the merge is in one run of pieces. */
class Cursor {
  readonly rows = new CallRows(BLOCK_ROWS);
  at = 0;
  readonly #pieces: readonly Piece[];
  readonly #spill: Spill;
  #piece = 0;

  constructor(pieces: readonly Piece[], spill: Spill) {
    this.#pieces = pieces;
    this.#spill = spill;
    this.#load();
  }

  get ended(): boolean {
    return this.at >= this.rows.count;
  }

  next(): void {
    if (++this.at < this.rows.count) return;
    this.#piece++;
    this.#load();
  }

  #load(): void {
    const piece = this.#pieces[this.#piece];
    this.rows.count = 0;
    this.at = 0;
    if (piece !== undefined)
      unpack(this.#spill.read(piece.offset, packedBytes(piece.count)), piece.count, this.rows);
  }
}

/** Times from the start of the run. */
function* shifted(blocks: Iterable<WholeBlock>, originNs: number): Generator<WholeBlock> {
  for (const block of blocks) {
    for (let i = 0; i < block.count; i++) {
      block.startNs[i] = (block.startNs[i] as number) - originNs;
      block.endNs[i] = (block.endNs[i] as number) - originNs;
    }
    yield block;
  }
}

/** NaN where it is not known, or is no size. */
function sizeAt(column: Float64Array | undefined, i: number): number {
  const value = column?.[i] ?? Number.NaN;
  return value >= 0 && value <= Number.MAX_SAFE_INTEGER ? value : Number.NaN;
}

/** What several inputs name is one thing when its key is the same. */
class Known<T> {
  readonly list: T[] = [];
  readonly #numbers = new Map<string, number>();
  readonly #keyOf: (value: T) => string;

  constructor(keyOf: (value: T) => string) {
    this.#keyOf = keyOf;
  }

  numberOf(value: T): number {
    const key = this.#keyOf(value);
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.list.push(value) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }
}
