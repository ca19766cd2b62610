/** Bytes in flight: requested by calls that have started and not ended, reads and writes apart. */
import { MinHeap } from "../../base/min-heap.ts";
import { CALL_NESTED, Operation } from "../../model/index.ts";
import type { OrderedCalls } from "./collection.ts";

export interface InFlight {
  readonly atNs: number;
  readonly read: number;
  readonly write: number;
}

/** Changes closer than this part of the run are put together. */
const STEPS = 10_000;

/**
 * The curve from change to change. Many changes in a short time become two points, their peak and where they end, so
 * that no peak is lost and the number of points is bounded. Calls inside those of a layer above move the same bytes and
 * do not count.
 */
export function bytesInFlight(calls: OrderedCalls): InFlight[] {
  const curve = new Curve(calls.endNs / STEPS);
  const reads = new MinHeap();
  const writes = new MinHeap();
  const endUntil = (ns: number) => {
    for (;;) {
      const next = Math.min(reads.least, writes.least);
      if (next > ns || next === Number.POSITIVE_INFINITY) return;
      if (reads.least === next) curve.change(next, -reads.pop(), 0);
      else curve.change(next, 0, -writes.pop());
    }
  };
  for (const { count, startNs, endNs, bytes, operation, flags } of calls.blocks())
    for (let i = 0; i < count; i++) {
      const size = bytes[i] as number;
      const way = operation[i] as number;
      if (!(size > 0) || way > Operation.write || ((flags[i] as number) & CALL_NESTED) !== 0) continue;
      const start = startNs[i] as number;
      endUntil(start);
      const isRead = way === Operation.read;
      curve.change(start, isRead ? size : 0, isRead ? 0 : size);
      (isRead ? reads : writes).push(endNs[i] as number, size);
    }
  endUntil(Number.MAX_VALUE);
  return curve.finish();
}

class Curve {
  readonly #points: InFlight[] = [];
  readonly #widthNs: number;
  #read = 0;
  #write = 0;
  #firstNs = Number.NEGATIVE_INFINITY;
  #lastNs = Number.NEGATIVE_INFINITY;
  #peakRead = 0;
  #peakWrite = 0;

  constructor(widthNs: number) {
    this.#widthNs = widthNs;
  }

  change(ns: number, read: number, write: number): void {
    if (ns > this.#lastNs && ns - this.#firstNs >= this.#widthNs) {
      this.#close();
      this.#firstNs = ns;
      [this.#peakRead, this.#peakWrite] = [0, 0];
    }
    this.#lastNs = ns;
    this.#read += read;
    this.#write += write;
    this.#peakRead = Math.max(this.#peakRead, this.#read);
    this.#peakWrite = Math.max(this.#peakWrite, this.#write);
  }

  finish(): InFlight[] {
    this.#close();
    return this.#points;
  }

  #close(): void {
    if (this.#lastNs === Number.NEGATIVE_INFINITY) return;
    const isOne = this.#firstNs === this.#lastNs;
    const [read, write] = isOne ? [this.#read, this.#write] : [this.#peakRead, this.#peakWrite];
    this.#points.push({ atNs: this.#firstNs, read, write });
    if (read !== this.#read || write !== this.#write)
      this.#points.push({ atNs: this.#lastNs, read: this.#read, write: this.#write });
  }
}
