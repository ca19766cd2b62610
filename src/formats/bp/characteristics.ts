/** Characteristic sets: what an index entry or a record says about one write of a variable. */
import type { ByteWriter } from "../../base/byte-writer.ts";
import type { BpBlock, BpDimension, BpStatistics } from "./index-data.ts";

export const ID = {
  value: 0,
  min: 1,
  max: 2,
  recordOffset: 3,
  dimensions: 4,
  variableId: 5,
  payloadOffset: 6,
  subfile: 7,
  step: 8,
  bitmap: 9,
  statistics: 10,
  transform: 11,
} as const;

/** Subfile number of a block in a file that has none. */
export const NO_SUBFILE = 0xffffffff;

/** Bits of the bitmap for what we write: min, max, finite. */
const MIN_MAX_FINITE = 0x43;

/** Writes a set: 8-bit count, 32-bit length, then what `fill` writes; `fill` gives the count. */
export function writeSet(out: ByteWriter, fill: () => number): void {
  const count = out.length;
  out.u8(0);
  const length = out.length;
  out.u32(0);
  const start = out.length;
  const written = fill();
  out.patchU8(count, written);
  out.patchU32(length, out.length - start);
}

export function writeDimensions(out: ByteWriter, dimensions: readonly BpDimension[]): void {
  out.u8(ID.dimensions);
  out.u8(dimensions.length);
  out.u16(24 * dimensions.length);
  for (const { local, global, offset } of dimensions) {
    out.u64(local);
    out.u64(global);
    out.u64(offset);
  }
}

/** Gives the number of characteristics: two, of which the second may be empty. */
export function writeStatistics(out: ByteWriter, statistics: BpStatistics | undefined): number {
  const { min, max } = statistics ?? {};
  const known = min !== undefined && max !== undefined;
  out.u8(ID.bitmap);
  out.u32(known ? MIN_MAX_FINITE : 0);
  out.u8(ID.statistics);
  if (known) {
    out.bytes(min);
    out.bytes(max);
    out.u8(statistics?.finite ? 1 : 0);
  }
  return 2;
}

/** The set of a block in the variables index. */
export function writeBlock(out: ByteWriter, block: BpBlock, isString: boolean): void {
  writeSet(out, () => {
    out.u8(ID.recordOffset);
    out.u64(block.recordOffset);
    out.u8(ID.payloadOffset);
    out.u64(block.payloadOffset);
    out.u8(ID.subfile);
    out.u32(block.subfile ?? NO_SUBFILE);
    out.u8(ID.step);
    out.u32(block.step);
    if (block.dimensions.length > 0) {
      writeDimensions(out, block.dimensions);
      return 5 + writeStatistics(out, block.statistics);
    }
    const value = block.value ?? new Uint8Array(0);
    out.u8(ID.value);
    if (isString) out.u16(value.length);
    out.bytes(value);
    return 5;
  });
}
