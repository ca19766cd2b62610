/** Reads the tail and the indexes of a BP file, and believes nothing that the file's size does not bear out. */
import { crc32 } from "../../base/crc32.ts";
import { FormatError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import { Cursor } from "./cursor.ts";
import type { BpAttribute, BpBlock, BpGroup, BpIndex, BpVariable } from "./index-data.ts";
import { readSet } from "./read-set.ts";
import { type BpType, bpTypeOfCode } from "./types.ts";
import { TAIL_BYTES, WRITER_TEXT } from "./write-index.ts";

export interface BpFile extends BpIndex {
  readonly name: string;
  readonly version: number;
  readonly littleEndian: boolean;
  /** Blocks lie in subfiles: this file holds only the indexes. */
  readonly global: boolean;
  /** Where the indexes begin: behind the last group. */
  readonly indexOffset: number;
}

const FOOTER = 28;
const BIG_ENDIAN = 0x80000000;
const HAS_SUBFILES = 0x100;

export function readBp(source: ByteSource): BpFile {
  const { name } = source;
  const size = source.byteLength;
  const fail = (offset: number, detail: string): never => {
    throw new FormatError(name, { offset }, detail);
  };
  if (size < FOOTER + 28) fail(0, `not a BP file: ${size} bytes; even an empty one has ${FOOTER + 28}`);
  const footer = source.read(size - FOOTER, FOOTER);
  const view = new DataView(footer.buffer, footer.byteOffset, FOOTER);
  const word = view.getUint32(FOOTER - 4, false);
  const version = word & 0xff;
  const littleEndian = (word & BIG_ENDIAN) === 0;
  if (version < 2 || version > 3 || (word & 0x7ffffc00) !== 0) {
    fail(
      size - 4,
      `not a BP file of version 2 or 3: it ends with the word 0x${word.toString(16).padStart(8, "0")}`,
    );
  }
  const offsets = new Cursor(footer, { name, base: size - FOOTER, littleEndian });
  const [groupsAt, variablesAt, attributesAt] = ["groups", "variables", "attributes"].map((what) =>
    offsets.u64(`offset of the index of ${what}`),
  ) as [number, number, number];
  const end = size - FOOTER;
  if (!(groupsAt <= variablesAt && variablesAt <= attributesAt && attributesAt <= end)) {
    fail(end, `indexes at ${groupsAt}, ${variablesAt} and ${attributesAt} of a file of ${size} bytes`);
  }
  const bytes = source.read(groupsAt, end - groupsAt);
  if (bytes.length < end - groupsAt) fail(groupsAt, "the file ended while its index was read");
  checkSum(bytes, { name, groupsAt });
  const about = { name, base: groupsAt, littleEndian };
  const part = (from: number, to: number) =>
    new Cursor(bytes, about, { from: from - groupsAt, to: to - groupsAt });
  const global = (word & HAS_SUBFILES) !== 0;
  const groups = readGroups(part(groupsAt, variablesAt));
  const variables = readEntries(part(variablesAt, attributesAt), (entry) =>
    readVariable(entry, { global, size }),
  );
  const attributes = readEntries(part(attributesAt, end), readAttribute);
  return { name, version, littleEndian, global, indexOffset: groupsAt, groups, variables, attributes };
}

/** Files of ours carry a checksum of their indexes in the text of the tail; others do not. */
function checkSum(indexAndText: Uint8Array, { name, groupsAt }: { name: string; groupsAt: number }): void {
  const textBytes = TAIL_BYTES - FOOTER;
  const index = indexAndText.subarray(0, Math.max(0, indexAndText.length - textBytes));
  const text = new TextDecoder().decode(indexAndText.subarray(index.length, index.length + 24));
  const sum = /^[0-9a-f]{8}$/.exec(text.slice(WRITER_TEXT.length))?.[0];
  if (!text.startsWith(WRITER_TEXT) || sum === undefined) return;
  const found = crc32(index).toString(16).padStart(8, "0");
  if (found !== sum) {
    throw new FormatError(
      name,
      { offset: groupsAt },
      `the index is damaged: its checksum is ${found}, expected ${sum}`,
    );
  }
}

function readGroups(index: Cursor): BpGroup[] {
  const count = index.u64("number of process groups");
  index.u64("length of the index of process groups");
  const groups: BpGroup[] = [];
  for (let i = 0; i < count; i++) {
    const entry = index.part(index.u16("length of a process group entry"), "process group entry");
    const name = entry.text("name of a group");
    const fortran = entry.u8("order of arrays") === 0x79;
    const rank = entry.u32("rank");
    entry.text("name of the time");
    groups.push({ name, fortran, rank, step: entry.u32("step"), offset: entry.u64("offset of a group") });
  }
  return groups;
}

function readEntries<T>(index: Cursor, read: (entry: Cursor) => T): T[] {
  const count = index.u32("number of entries");
  index.u64("length of the entries");
  const entries: T[] = [];
  for (let i = 0; i < count; i++) entries.push(read(index.part(index.u32("length of an entry"), "entry")));
  return entries;
}

interface Head {
  readonly id: number;
  readonly group: string;
  readonly name: string;
  readonly path: string;
  readonly type: BpType;
}

function readHead(entry: Cursor): Head {
  const id = entry.u32("id");
  const [group, name, path] = ["group", "name", "path"].map((what) => entry.text(what)) as [
    string,
    string,
    string,
  ];
  const code = entry.u8("type");
  const type = bpTypeOfCode(code) ?? entry.fail(`unknown type ${code} of "${name}"`, entry.at - 1);
  return { id, group, name, path, type };
}

function readVariable(entry: Cursor, file: { global: boolean; size: number }): BpVariable {
  const head = readHead(entry);
  const count = entry.u64("number of blocks");
  const blocks: BpBlock[] = [];
  for (let i = 0; i < count; i++) {
    const at = entry.at;
    const set = readSet(entry, head.type);
    const { recordOffset = 0, payloadOffset = 0, step = 1, dimensions = [] } = set;
    if (file.global ? set.subfile === undefined : payloadOffset > file.size) {
      const what = file.global ? "has no subfile" : `lies at ${payloadOffset}, behind the end of the file`;
      entry.fail(`block ${i} of "${head.name}" ${what}`, at);
    }
    for (const { local, global, offset } of dimensions) {
      if (global > 0 && offset + local > global) {
        entry.fail(`block ${i} of "${head.name}" covers ${offset} to ${offset + local} of ${global}`, at);
      }
    }
    blocks.push({
      step,
      recordOffset,
      payloadOffset,
      dimensions,
      ...(set.subfile === undefined ? {} : { subfile: set.subfile }),
      ...(set.statistics === undefined ? {} : { statistics: set.statistics }),
      ...(set.value === undefined ? {} : { value: set.value }),
      ...(set.transform === undefined ? {} : { transform: set.transform }),
    });
  }
  return { ...head, blocks };
}

function readAttribute(entry: Cursor): BpAttribute {
  const head = readHead(entry);
  const count = entry.u64("number of values of an attribute");
  let first: ReturnType<typeof readSet> | undefined;
  for (let i = 0; i < count; i++) {
    const set = readSet(entry, head.type);
    first ??= set;
  }
  const { dimensions, value, strings, variableId } = first ?? {};
  return {
    ...head,
    count: dimensions?.[0]?.local ?? 1,
    value: value ?? new Uint8Array(0),
    ...(strings === undefined ? {} : { strings }),
    ...(variableId === undefined ? {} : { variableId }),
  };
}
