/** Columns that a reader fills row by row and hands to the sink when they are full. */
import type { CallBlock, CallSink } from "../model/index.ts";

/** Rows of a block: the columns stay in the second-level cache. */
const ROWS = 8192;

export class CallColumns implements CallBlock {
  count = 0;
  readonly startNs = new Float64Array(ROWS);
  readonly endNs = new Float64Array(ROWS);
  readonly bytes = new Float64Array(ROWS);
  readonly process = new Uint32Array(ROWS);
  readonly file = new Uint32Array(ROWS);
  readonly operation = new Uint8Array(ROWS);
  /** Whoever reads another layer than POSIX fills it. */
  readonly layer = new Uint8Array(ROWS);
  readonly flags = new Uint8Array(ROWS);
  readonly movedBytes?: Float64Array;
  readonly offset?: Float64Array;
  readonly #sink: CallSink;
  #given = 0;

  constructor(sink: CallSink, has: { readonly moved: boolean; readonly offset: boolean }) {
    this.#sink = sink;
    if (has.moved) this.movedBytes = new Float64Array(ROWS);
    if (has.offset) this.offset = new Float64Array(ROWS);
  }

  /** Calls so far. */
  get total(): number {
    return this.#given + this.count;
  }

  /** Keeps the row that was written at `count`. */
  next(): void {
    if (++this.count === ROWS) this.flush();
  }

  flush(): void {
    if (this.count === 0) return;
    this.#sink.block(this);
    this.#given += this.count;
    this.count = 0;
  }
}
