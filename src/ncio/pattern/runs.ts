/** Walks the data of a datatype in order, as runs of equal pieces at equal distances. */
import type { RepeatShape, SequenceShape, Shape } from "./shape.ts";

interface Frame {
  readonly shape: RepeatShape | SequenceShape;
  readonly base: number;
  index: number;
}

/**
 * After `next()` returned true, `count` pieces of `length` bytes start at `at`, `stride` bytes apart. Starting in the middle
 * costs the depth of the type, and a binary search in each list of parts; no list of pieces is created.
 */
export class RunCursor {
  at = 0;
  length = 0;
  count = 0;
  stride = 0;
  readonly #stack: Frame[] = [];
  #leaf: Shape;
  #leafBase: number;
  /** Consumed data of the leaf. */
  #leafDone = 0;
  #left: number;

  /** Bytes `from` to `to` of the data; the shape starts at `base`. */
  constructor(shape: Shape, base: number, from: number, to: number) {
    this.#left = Math.max(0, to - from);
    this.#leaf = shape;
    this.#leafBase = base;
    if (this.#left > 0) this.#descend(shape, base, from);
  }

  next(): boolean {
    if (this.#left <= 0) return false;
    if (this.#leafDone === this.#leaf.bytes) this.#advance();
    this.#emit();
    const bytes = this.length * this.count;
    this.#leafDone += bytes;
    this.#left -= bytes;
    return true;
  }

  #emit(): void {
    const leaf = this.#leaf;
    this.count = 1;
    this.stride = 0;
    if (leaf.kind !== "repeat") {
      this.at = this.#leafBase + leaf.low + this.#leafDone;
      this.length = Math.min(leaf.bytes - this.#leafDone, this.#left);
      return;
    }
    const size = leaf.of.bytes;
    const phase = this.#leafDone % size;
    const index = (this.#leafDone - phase) / size;
    this.at = this.#leafBase + leaf.low + index * leaf.stride + phase;
    const whole = phase > 0 ? 0 : Math.min(leaf.count - index, Math.floor(this.#left / size));
    if (whole === 0) this.length = Math.min(size - phase, this.#left);
    else {
      this.length = size;
      this.count = whole;
      this.stride = leaf.stride;
    }
  }

  #advance(): void {
    for (;;) {
      const frame = this.#stack.at(-1) as Frame;
      const { shape, base } = frame;
      frame.index++;
      if (shape.kind === "repeat" && frame.index < shape.count) {
        this.#descend(shape.of, base + shape.at + frame.index * shape.stride, 0);
        return;
      }
      if (shape.kind === "sequence" && frame.index < shape.parts.length) {
        this.#descend(shape.parts[frame.index] as Shape, base + shape.at, 0);
        return;
      }
      this.#stack.pop();
    }
  }

  #descend(from: Shape, start: number, skipped: number): void {
    let [shape, base, skip] = [from, start, skipped];
    while (shape.kind === "sequence" || (shape.kind === "repeat" && shape.of.kind !== "run")) {
      let index: number;
      if (shape.kind === "repeat") {
        // The remainder is exact where a quotient could round up.
        const rest = skip % shape.of.bytes;
        index = (skip - rest) / shape.of.bytes;
        this.#stack.push({ shape, base, index });
        base += shape.at + index * shape.stride;
        skip = rest;
        shape = shape.of;
      } else {
        index = firstAbove(shape.ends, skip);
        this.#stack.push({ shape, base, index });
        base += shape.at;
        if (index > 0) skip -= shape.ends[index - 1] as number;
        shape = shape.parts[index] as Shape;
      }
    }
    this.#leaf = shape;
    this.#leafBase = base;
    this.#leafDone = skip;
  }
}

/** The index of the first number above `value` in an ascending list. */
function firstAbove(list: Float64Array, value: number): number {
  let low = 0;
  let high = list.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((list[middle] as number) > value) high = middle;
    else low = middle + 1;
  }
  return low;
}
