/** The indexes of a BP file and its tail. */
import { ByteWriter } from "../../base/byte-writer.ts";
import { crc32 } from "../../base/crc32.ts";
import { ID, NO_SUBFILE, writeBlock, writeSet } from "./characteristics.ts";
import type { BpAttribute, BpGroup, BpIndex, BpVariable } from "./index-data.ts";
import { NO, shortString, YES } from "./write-group.ts";

/** What ADIOS's own tools expect to see; the eight characters after it hold our checksum of the indexes. */
export const WRITER_TEXT = "ADIOS-BP v1.13.1";
export const TAIL_BYTES = 56;
const VERSION = 3;
const HAS_SUBFILES = 0x100;
const HAS_STEPS = 0x200;

/**
 * Indexes and tail, to be written at `start` of the file: after the last group of a data file, or at 0 of a global
 * file, which has nothing else.
 */
export function encodeIndex(index: BpIndex, options: { start: number; global: boolean }): Uint8Array {
  const out = new ByteWriter(1 << 16);
  writeGroups(out, index.groups);
  const variables = out.length;
  writeEntries(out, index.variables, writeVariable);
  const attributes = out.length;
  writeEntries(out, index.attributes, writeAttribute);
  const checksum = crc32(out.finish());
  const { start, global } = options;
  out.bytes(new TextEncoder().encode(`${WRITER_TEXT}${checksum.toString(16).padStart(8, "0")}`));
  for (const byte of [1, 13, 1, 0]) out.u8(byte);
  for (const offset of [0, variables, attributes]) out.u64(start + offset);
  // The version word is big endian in every file.
  const word = VERSION | HAS_STEPS | (global ? HAS_SUBFILES : 0);
  for (const shift of [24, 16, 8, 0]) out.u8((word >>> shift) & 0xff);
  return out.finish();
}

function writeGroups(out: ByteWriter, groups: readonly BpGroup[]): void {
  out.u64(groups.length);
  const total = out.length;
  out.u64(0);
  const start = out.length;
  for (const { name, rank, step, offset, fortran } of groups) {
    const entry = out.length;
    out.u16(0);
    shortString(out, name);
    out.u8(fortran ? YES : NO);
    out.u32(rank);
    shortString(out, "");
    out.u32(step);
    out.u64(offset);
    out.patchU16(entry, out.length - entry - 2);
  }
  out.patchU64(total, out.length - start);
}

function writeEntries<T>(
  out: ByteWriter,
  entries: readonly T[],
  write: (out: ByteWriter, one: T) => void,
): void {
  out.u32(entries.length);
  const total = out.length;
  out.u64(0);
  const start = out.length;
  for (const one of entries) {
    const entry = out.length;
    out.u32(0);
    write(out, one);
    out.patchU32(entry, out.length - entry - 4);
  }
  out.patchU64(total, out.length - start);
}

function writeVariable(out: ByteWriter, variable: BpVariable): void {
  writeEntryHead(out, variable);
  out.u64(variable.blocks.length);
  const isString = variable.type.kind === "string";
  for (const block of variable.blocks) writeBlock(out, block, isString);
}

function writeAttribute(out: ByteWriter, attribute: BpAttribute): void {
  writeEntryHead(out, attribute);
  out.u64(1);
  const { type, value, count, strings } = attribute;
  writeSet(out, () => {
    out.u8(ID.recordOffset);
    out.u64(0);
    out.u8(ID.payloadOffset);
    out.u64(0);
    out.u8(ID.subfile);
    out.u32(NO_SUBFILE);
    out.u8(ID.step);
    out.u32(0);
    const isArray = count !== 1 || strings !== undefined;
    if (isArray) {
      out.u8(ID.dimensions);
      out.u8(1);
      out.u16(24);
      for (const number of [count, 0, 0]) out.u64(number);
    }
    out.u8(ID.value);
    if (strings !== undefined) for (const text of strings) shortString(out, text);
    else {
      if (type.kind === "string") out.u16(value.length);
      out.bytes(value);
    }
    return isArray ? 6 : 5;
  });
}

function writeEntryHead(out: ByteWriter, entry: BpVariable | BpAttribute): void {
  out.u32(entry.id);
  shortString(out, entry.group);
  shortString(out, entry.name);
  shortString(out, entry.path);
  out.u8(entry.type.code);
}
