/**
 * Checksums of the data of a dataset, kept as attributes that ADIOS's own tools list and pass over. Each block has one
 * for every mebibyte, so that reading a small part of a large block need not read all of it.
 */
import { FormatError } from "../../base/errors.ts";
import { type BpAttribute, type BpBlock, type BpIndex, type BpVariable, elementsOf } from "./index-data.ts";
import { type BpType, bpTypeOfName } from "./types.ts";

export const CHECKSUM_PATH = "__plimsoll__";
const SUMS = "crc32";
const CHUNK = "crc32_chunk";
export const CHUNK_BYTES = 1 << 20;

/** Bytes of a block's data. */
export const dataBytes = (variable: { readonly type: BpType }, block: BpBlock): number =>
  block.dimensions.length === 0 ? 0 : elementsOf(block) * variable.type.size;

const chunksOf = (bytes: number, chunk: number): number => Math.ceil(bytes / chunk);

/** `sums` gives the checksums of a block's chunks, in order. */
export function checksumAttributes(
  variables: readonly BpVariable[],
  sums: (block: BpBlock) => Uint32Array,
  ids: { readonly first: number; readonly group: string },
): BpAttribute[] {
  const all = variables.flatMap(({ blocks }) => blocks.map(sums));
  const joined = new Uint32Array(all.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const one of all) {
    joined.set(one, at);
    at += one.length;
  }
  const attribute = (id: number, name: string, values: Uint32Array): BpAttribute => ({
    id,
    group: ids.group,
    name,
    path: CHECKSUM_PATH,
    type: bpTypeOfName("uint32") as BpType,
    count: values.length,
    value: new Uint8Array(values.buffer, values.byteOffset, values.byteLength),
  });
  return [attribute(ids.first, CHUNK, Uint32Array.of(CHUNK_BYTES)), attribute(ids.first + 1, SUMS, joined)];
}

/** Checksums of one block. */
export interface BlockSums {
  readonly chunkBytes: number;
  readonly sums: Uint32Array;
}

/** The checksums of every block; undefined for a dataset that has none, such as ADIOS's own. */
export function readChecksums(index: BpIndex, name: string): Map<BpBlock, BlockSums> | undefined {
  const find = (wanted: string) =>
    index.attributes.find((one) => one.path === CHECKSUM_PATH && one.name === wanted);
  const [chunk, sums] = [find(CHUNK), find(SUMS)];
  if (chunk === undefined || sums === undefined) return undefined;
  const [chunkBytes = 0] = words(chunk);
  const all = words(sums);
  const blocks = new Map<BpBlock, BlockSums>();
  let at = 0;
  for (const variable of index.variables) {
    for (const block of variable.blocks) {
      const count = chunkBytes === 0 ? 0 : chunksOf(dataBytes(variable, block), chunkBytes);
      blocks.set(block, { chunkBytes, sums: all.subarray(at, at + count) });
      at += count;
    }
  }
  if (chunkBytes === 0 || at !== all.length) {
    throw new FormatError(
      name,
      {},
      `${all.length} checksums for data that needs ${at}; the index is inconsistent`,
    );
  }
  return blocks;
}

function words({ value }: BpAttribute): Uint32Array {
  const view = new DataView(value.buffer, value.byteOffset, value.byteLength);
  return Uint32Array.from({ length: value.byteLength >> 2 }, (_, i) => view.getUint32(4 * i, true));
}
