/** Elements of BP data as people read them. */
import { exactNumber } from "../../base/words.ts";
import type { BpType } from "./types.ts";

export type BpElement = number | string | readonly [number, number];

/** Numbers are exact; 64-bit integers beyond 2^53 become strings, complex numbers pairs. */
export function* elementValues(bytes: Uint8Array, type: BpType): Generator<BpElement> {
  if (type.kind === "string" || type.kind === "strings") {
    yield new TextDecoder().decode(bytes);
    return;
  }
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const read = readerOf(view, type);
  for (let at = 0; at + type.size <= bytes.length; at += type.size) yield read(at);
}

export const firstElement = (bytes: Uint8Array | undefined, type: BpType): BpElement | null =>
  bytes === undefined ? null : (elementValues(bytes, type).next().value ?? null);

export function elementText(value: BpElement | null): string {
  if (value === null) return "";
  return typeof value === "object" ? `${value[0]}${value[1] < 0 ? "" : "+"}${value[1]}i` : String(value);
}

/** Six digits are enough to recognise a number by. */
export const shortElement = (value: BpElement | null): string =>
  typeof value === "number" ? String(Number(value.toPrecision(6))) : elementText(value);

/** JSON has no NaN or infinity: they become strings. */
export function elementJson(value: BpElement | null): unknown {
  const plain = (one: number) => (Number.isFinite(one) ? one : String(one));
  if (value === null || typeof value === "string") return value;
  return typeof value === "number" ? plain(value) : value.map(plain);
}

/** Numbers arrive in the byte order of this machine, which is little endian wherever we write. */
function readerOf(view: DataView, { name }: BpType): (at: number) => BpElement {
  switch (name) {
    case "int8":
      return (at) => view.getInt8(at);
    case "int16":
      return (at) => view.getInt16(at, true);
    case "int32":
      return (at) => view.getInt32(at, true);
    case "int64":
      return (at) => exactNumber(view.getBigInt64(at, true));
    case "uint16":
      return (at) => view.getUint16(at, true);
    case "uint32":
      return (at) => view.getUint32(at, true);
    case "uint64":
      return (at) => exactNumber(view.getBigUint64(at, true));
    case "float32":
      // The shortest text that gives the same single-precision number back.
      return (at) => shortestSingle(view.getFloat32(at, true));
    case "float64":
      return (at) => view.getFloat64(at, true);
    case "complex64":
      return (at) => [view.getFloat32(at, true), view.getFloat32(at + 4, true)];
    case "complex128":
      return (at) => [view.getFloat64(at, true), view.getFloat64(at + 8, true)];
    case "float128":
      return (at) => hexadecimal(view, at, 16);
    default:
      return (at) => view.getUint8(at);
  }
}

function shortestSingle(value: number): number {
  for (let digits = 6; digits < 9; digits++) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return value;
}

function hexadecimal(view: DataView, at: number, size: number): string {
  const bytes = Array.from({ length: size }, (_, i) =>
    view
      .getUint8(at + i)
      .toString(16)
      .padStart(2, "0"),
  );
  return `0x${bytes.toReversed().join("")}`;
}
