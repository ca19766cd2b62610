/** Reads characteristic sets. */
import { ID, NO_SUBFILE } from "./characteristics.ts";
import type { Cursor } from "./cursor.ts";
import type { BpDimension, BpStatistics } from "./index-data.ts";
import type { BpType } from "./types.ts";

interface ReadSet {
  recordOffset?: number;
  payloadOffset?: number;
  subfile?: number;
  step?: number;
  dimensions?: readonly BpDimension[];
  value?: Uint8Array;
  strings?: readonly string[];
  variableId?: number;
  statistics?: BpStatistics;
  transform?: string;
}

/** Sizes of the statistics by bit: min and max depend on the type, the histogram says its own size. */
const STATISTIC = { min: 0, max: 1, count: 2, sum: 3, squares: 4, histogram: 5, finite: 6 } as const;

export function readSet(index: Cursor, type: BpType): ReadSet {
  const count = index.u8("number of characteristics");
  const set = index.part(index.u32("length of characteristics"), "characteristics");
  const read: ReadSet = {};
  // Statistics of compressed data are those of the original type.
  let valueType = type.size;
  let complex = type.kind === "complex";
  let bitmap = 0;
  for (let i = 0; i < count; i++) {
    const id = set.u8("characteristic");
    switch (id) {
      case ID.value:
        readValue(set, type, read);
        break;
      case ID.min:
      case ID.max:
        set.raw(type.size, "min or max");
        break;
      case ID.recordOffset:
        read.recordOffset = set.u64("offset of a record");
        break;
      case ID.dimensions:
        read.dimensions = readDimensions(set);
        break;
      case ID.variableId:
        read.variableId = set.u32("id of a variable");
        break;
      case ID.payloadOffset:
        read.payloadOffset = set.u64("offset of data");
        break;
      case ID.subfile: {
        const subfile = set.u32("subfile");
        if (subfile !== NO_SUBFILE) read.subfile = subfile;
        break;
      }
      case ID.step:
        read.step = set.u32("step");
        break;
      case ID.bitmap:
        bitmap = set.u32("bitmap of statistics");
        break;
      case ID.statistics:
        read.statistics = readStatistics(set, bitmap, valueType, complex);
        break;
      case ID.transform: {
        const original = readTransform(set);
        read.transform = original.name;
        [valueType, complex] = [original.size, original.complex];
        break;
      }
      default:
        set.fail(`unknown characteristic ${id} (known: 0 to 11)`, set.at - 1);
    }
  }
  if (set.left > 0) set.fail(`${set.left} bytes of characteristics are left over`);
  return read;
}

function readValue(set: Cursor, type: BpType, read: ReadSet): void {
  if (type.kind === "strings") {
    const count = read.dimensions?.[0]?.local ?? 1;
    const strings: string[] = [];
    // Each needs two bytes at least, so a count beyond the set fails soon.
    for (let i = 0; i < count; i++) strings.push(set.text("string of an attribute"));
    read.strings = strings;
    read.value = new Uint8Array(0);
  } else if (type.kind === "string") {
    read.value = set.raw(set.u16("length of a string"), "string");
  } else {
    const count = (read.dimensions ?? []).reduce((product, { local }) => product * local, 1);
    read.value = set.raw(count * type.size, "value");
  }
}

function readDimensions(set: Cursor): BpDimension[] {
  const count = set.u8("number of dimensions");
  const length = set.u16("length of dimensions");
  if (length !== 24 * count) set.fail(`${count} dimensions take ${24 * count} bytes, not ${length}`);
  return Array.from({ length: count }, () => ({
    local: set.u64("size of a block"),
    global: set.u64("size of an array"),
    offset: set.u64("offset of a block"),
  }));
}

function readStatistics(set: Cursor, bitmap: number, size: number, complex: boolean): BpStatistics {
  if (complex) {
    // Magnitude, real and imaginary part, in a wider type; nobody asks for them here.
    for (let part = 0; part < 3; part++) readPart(set, bitmap, size);
    return { finite: false };
  }
  return readPart(set, bitmap, size);
}

function readPart(set: Cursor, bitmap: number, size: number): BpStatistics {
  const has = (bit: number) => (bitmap & (1 << bit)) !== 0;
  const min = has(STATISTIC.min) ? set.raw(size, "min") : undefined;
  const max = has(STATISTIC.max) ? set.raw(size, "max") : undefined;
  if (has(STATISTIC.count)) set.u32("count");
  if (has(STATISTIC.sum)) set.raw(8, "sum");
  if (has(STATISTIC.squares)) set.raw(8, "sum of squares");
  if (has(STATISTIC.histogram)) {
    const breaks = set.u32("breaks of a histogram");
    set.raw(16 + 4 * (breaks + 1) + 8 * breaks, "histogram");
  }
  const finite = has(STATISTIC.finite) ? set.u8("finite") !== 0 : min !== undefined;
  return { ...(min === undefined ? {} : { min }), ...(max === undefined ? {} : { max }), finite };
}

function readTransform(set: Cursor): { name: string; size: number; complex: boolean } {
  const name = new TextDecoder().decode(set.raw(set.u8("length of a transform"), "transform"));
  const code = set.u8("type before the transform");
  readDimensions(set);
  set.raw(set.u16("length of a transform's metadata"), "metadata of a transform");
  const complexSizes: Readonly<Record<number, number>> = { 10: 8, 11: 16 };
  const plain: Readonly<Record<number, number>> = { 0: 1, 50: 1, 1: 2, 51: 2, 2: 4, 52: 4, 5: 4, 7: 16 };
  return { name, size: complexSizes[code] ?? plain[code] ?? 8, complex: code in complexSizes };
}
