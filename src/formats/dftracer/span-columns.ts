/** Columns of spans that the reader fills row by row. */
import type { CallSink, SpanBlock, SpanName } from "../../model/index.ts";

const ROWS = 4096;

export class SpanColumns implements SpanBlock {
  count = 0;
  total = 0;
  readonly startNs = new Float64Array(ROWS);
  readonly endNs = new Float64Array(ROWS);
  readonly process = new Uint32Array(ROWS);
  readonly thread = new Float64Array(ROWS);
  readonly name = new Uint32Array(ROWS);
  readonly names: SpanName[] = [];
  readonly #sink: CallSink;
  readonly #numbers = new Map<string, number>();

  constructor(sink: CallSink) {
    this.#sink = sink;
  }

  nameOf(category: string, name: string): number {
    const key = `${category}\n${name}`;
    let number = this.#numbers.get(key);
    if (number === undefined) {
      number = this.names.push({ category, name }) - 1;
      this.#numbers.set(key, number);
    }
    return number;
  }

  /** Keeps the row that was written at `count`. */
  next(): void {
    this.total++;
    if (++this.count === ROWS) this.flush();
  }

  flush(): void {
    if (this.count > 0) this.#sink.spans?.(this);
    this.count = 0;
  }
}
