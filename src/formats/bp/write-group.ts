/**
 * A process group: the output of one process in one step, or a piece of it. Its headers are built here; the data
 * goes to the file from where it lies, since only its length matters to what surrounds it.
 */
import { assert } from "../../base/assert.ts";
import { ByteWriter } from "../../base/byte-writer.ts";
import { writeDimensions, writeSet, writeStatistics } from "./characteristics.ts";
import { type BpBlock, type BpDimension, type BpGroup, type BpStatistics, elementsOf } from "./index-data.ts";
import type { BpType } from "./types.ts";

interface GroupVariable {
  /** From 1; the same for the same variable in every group. */
  readonly id: number;
  readonly name: string;
  readonly path: string;
  readonly type: BpType;
  readonly dimensions: readonly BpDimension[];
  readonly statistics?: BpStatistics;
  /** Raw bytes of a scalar or string; arrays bring theirs from outside. */
  readonly value?: Uint8Array;
}

export interface GroupPlan {
  readonly group: string;
  readonly rank: number;
  /** Step, the first is 1. */
  readonly step: number;
  readonly variables: readonly GroupVariable[];
}

/** One stretch of a group: bytes given here, or data of a variable that the caller has. */
type GroupPart =
  | { readonly kind: "bytes"; readonly bytes: Uint8Array }
  | { readonly kind: "data"; readonly variable: number; readonly length: number };

export interface GroupLayout {
  readonly length: number;
  readonly parts: readonly GroupPart[];
  /** Offsets from the start of the group, one for each variable. */
  readonly recordOffsets: readonly number[];
  readonly payloadOffsets: readonly number[];
}

/** Informational: the group was written with plain POSIX calls. */
const METHOD_POSIX = 2;

/** Where everything lies in the group. Statistics have a fixed size, so they may follow when the data was seen. */
export function layOutGroup(plan: GroupPlan): GroupLayout {
  const out = new ByteWriter();
  const parts: GroupPart[] = [];
  const recordOffsets: number[] = [];
  const payloadOffsets: number[] = [];
  let dataBefore = 0;
  let from = 0;
  const cut = () => {
    if (out.length > from) parts.push({ kind: "bytes", bytes: out.finish().slice(from) });
    from = out.length;
  };
  writeGroupHead(out, plan);
  const variablesStart = out.length;
  out.u32(plan.variables.length);
  out.u64(0);
  // Lengths of the whole are patched in the first part, so nothing is cut before they are known.
  const records = plan.variables.map((variable) => recordOf(variable));
  const dataLengths = plan.variables.map(dataLength);
  const recordBytes = records.reduce((sum, record, i) => sum + record.length + (dataLengths[i] as number), 0);
  out.patchU64(variablesStart + 4, 12 + recordBytes);
  const attributesHeader = 12;
  const length = out.length + recordBytes + attributesHeader;
  out.patchU64(0, length);
  plan.variables.forEach((variable, i) => {
    const [record, bytes] = [records[i] as Uint8Array, dataLengths[i] as number];
    recordOffsets.push(out.length + dataBefore);
    out.bytes(record);
    payloadOffsets.push(out.length + dataBefore);
    if (variable.value !== undefined) {
      out.bytes(variable.value);
      return;
    }
    cut();
    if (bytes > 0) parts.push({ kind: "data", variable: i, length: bytes });
    dataBefore += bytes;
  });
  out.u32(0);
  out.u64(attributesHeader);
  cut();
  return { length, parts, recordOffsets, payloadOffsets };
}

/** Entries of the index for a group that was laid out, at `offset` of a file. */
export function indexOfGroup(
  plan: GroupPlan,
  layout: GroupLayout,
  place: { readonly offset: number; readonly subfile?: number },
): { readonly group: BpGroup; readonly blocks: readonly BpBlock[] } {
  const { offset, subfile } = place;
  return {
    group: { name: plan.group, rank: plan.rank, step: plan.step, offset, fortran: false },
    blocks: plan.variables.map((variable, i) => ({
      step: plan.step,
      ...(subfile === undefined ? {} : { subfile }),
      recordOffset: offset + (layout.recordOffsets[i] as number),
      payloadOffset: offset + (layout.payloadOffsets[i] as number),
      dimensions: variable.dimensions,
      ...(variable.statistics === undefined ? {} : { statistics: variable.statistics }),
      ...(variable.value === undefined ? {} : { value: variable.value }),
    })),
  };
}

export function shortString(out: ByteWriter, text: string): void {
  const bytes = new TextEncoder().encode(text);
  assert(bytes.length <= 0xffff, `a name of ${bytes.length} bytes is too long for a BP file (max 65535)`);
  out.u16(bytes.length);
  out.bytes(bytes);
}

export const YES = 0x79;
export const NO = 0x6e;

function writeGroupHead(out: ByteWriter, { group, step }: GroupPlan): void {
  out.u64(0);
  out.u8(NO);
  shortString(out, group);
  out.u32(0);
  shortString(out, "");
  out.u32(step);
  out.u8(1);
  out.u16(3);
  out.u8(METHOD_POSIX);
  shortString(out, "");
}

function dataLength(variable: GroupVariable): number {
  if (variable.value !== undefined) return variable.value.length;
  return elementsOf(variable as unknown as BpBlock) * variable.type.size;
}

/** A record up to its data. */
function recordOf(variable: GroupVariable): Uint8Array {
  const { id, name, path, type, dimensions } = variable;
  const out = new ByteWriter();
  out.u64(0);
  out.u32(id);
  shortString(out, name);
  shortString(out, path);
  out.u8(type.code);
  out.u8(NO);
  out.u8(dimensions.length);
  out.u16(27 * dimensions.length);
  for (const { local, global, offset } of dimensions) {
    for (const number of [local, global, offset]) {
      out.u8(NO);
      out.u64(number);
    }
  }
  writeSet(out, () => {
    if (dimensions.length === 0) return 0;
    writeDimensions(out, dimensions);
    return 1 + writeStatistics(out, variable.statistics);
  });
  out.patchU64(0, out.length + dataLength(variable));
  return out.finish();
}
