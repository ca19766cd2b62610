/**
 * A datatype prepared for walking: sizes are known at every level, offsets are folded into their levels, adjacent runs are
 * merged, and empty parts removed. Different descriptions of the same places often become the same shape.
 */
import type { Datatype, Part } from "../../base/datatype.ts";

interface Span {
  /** Bytes of data. */
  readonly bytes: number;
  /** Place of the lowest byte, and the place after the highest. */
  readonly low: number;
  readonly high: number;
  /** Every piece starts at or after the end of the previous one. */
  readonly ordered: boolean;
}

interface RunShape extends Span {
  readonly kind: "run";
}

export interface RepeatShape extends Span {
  readonly kind: "repeat";
  /** Place of the first; those of `of` count from here. */
  readonly at: number;
  readonly count: number;
  readonly stride: number;
  readonly of: Shape;
}

export interface SequenceShape extends Span {
  readonly kind: "sequence";
  readonly at: number;
  readonly parts: readonly Shape[];
  /** Bytes of data up to the end of each part. */
  readonly ends: Float64Array;
}

export type Shape = RunShape | RepeatShape | SequenceShape;

const shapes = new WeakMap<Datatype, Shape>();

/** Computed once per datatype object. */
export function shapeOf(type: Datatype): Shape {
  let shape = shapes.get(type);
  if (shape === undefined) {
    shape = build(type);
    shapes.set(type, shape);
  }
  return shape;
}

/** Bytes of data in a datatype: its packed size. */
export function dataBytes(type: Datatype): number {
  return shapeOf(type).bytes;
}

/** The place after the highest byte: the required buffer size. */
export function endOf(type: Datatype): number {
  return shapeOf(type).high;
}

/** The place of the lowest byte. */
export function lowOf(type: Datatype): number {
  return shapeOf(type).low;
}

/** All data lies in one run. */
export function isContiguous(type: Datatype): boolean {
  return shapeOf(type).kind === "run";
}

/** Places ascend and never overlap, as MPI requires for file types. */
export function isOrdered(type: Datatype): boolean {
  return shapeOf(type).ordered;
}

const EMPTY: RunShape = run(0, 0);

function run(at: number, length: number): RunShape {
  return { kind: "run", bytes: length, low: at, high: at + length, ordered: true };
}

function build(type: Datatype): Shape {
  switch (type.kind) {
    case "bytes":
      return type.length === 0 ? EMPTY : run(0, type.length);
    case "vector":
      return repeat(type.count, type.stride, build(type.of));
    case "parts":
      return sequence(type.parts);
  }
}

function repeat(count: number, stride: number, of: Shape): Shape {
  if (count === 0 || of.bytes === 0) return EMPTY;
  if (count === 1) return of;
  if (of.kind === "run" && stride === of.bytes) return run(of.low, count * of.bytes);
  // A vector of vectors that continues at the same stride is one vector.
  if (of.kind === "repeat" && stride === of.count * of.stride)
    return repeatAt(of.at, count * of.count, of.stride, of.of);
  const at = of.kind === "run" ? of.low : of.at;
  return repeatAt(at, count, stride, moved(of, -at));
}

function repeatAt(at: number, count: number, stride: number, of: Shape): RepeatShape {
  return {
    kind: "repeat",
    at,
    count,
    stride,
    of,
    bytes: count * of.bytes,
    low: at + of.low,
    high: at + (count - 1) * stride + of.high,
    ordered: of.ordered && stride >= of.high - of.low,
  };
}

function sequence(list: readonly Part[]): Shape {
  const shapes: Shape[] = [];
  for (const { at, of } of list) {
    const shape = moved(build(of), at);
    const last = shapes.at(-1);
    if (shape.bytes === 0) continue;
    if (last?.kind === "run" && shape.kind === "run" && last.high === shape.low)
      shapes[shapes.length - 1] = run(last.low, last.bytes + shape.bytes);
    else shapes.push(shape);
  }
  const [first] = shapes;
  if (first === undefined) return EMPTY;
  return shapes.length === 1 ? first : sequenceAt(shapes);
}

function sequenceAt(list: readonly Shape[]): SequenceShape {
  const ends = new Float64Array(list.length);
  let bytes = 0;
  let low = Number.POSITIVE_INFINITY;
  let high = 0;
  let ordered = true;
  for (const [i, part] of list.entries()) {
    ends[i] = bytes += part.bytes;
    ordered &&= part.ordered && part.low >= high;
    low = Math.min(low, part.low);
    high = Math.max(high, part.high);
  }
  return { kind: "sequence", at: 0, parts: list, ends, bytes, low, high, ordered };
}

function moved(shape: Shape, by: number): Shape {
  if (by === 0 || shape.bytes === 0) return shape;
  const { low, high } = shape;
  if (shape.kind === "run") return run(low + by, shape.bytes);
  return { ...shape, at: shape.at + by, low: low + by, high: high + by };
}
