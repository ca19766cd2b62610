/** The index of a dataset, or of one file of it, from the pieces that were written. */
import { assert } from "../../../base/assert.ts";
import {
  type BpBlock,
  type BpGroup,
  type BpIndex,
  type BpVariable,
  CHECKSUM_PATH,
  CHUNK_BYTES,
  checksumAttributes,
  encodeIndex,
  indexOfGroup,
  layOutGroup,
  readChecksums,
} from "../../../formats/bp/index.ts";
import { type PieceEntry, unpackStatistics } from "../piece/piece-info.ts";
import { GROUP_NAME, groupOf, type Stage } from "../stage/stage.ts";

/** Contents of an index, with checksums separate, so that two can be joined. */
interface IndexParts {
  readonly groups: BpGroup[];
  readonly variables: BpVariable[];
  readonly sums: Map<BpBlock, Uint32Array>;
}

/** `subfile` returns the number of the file that holds a piece; without it the index is that of one file. */
export function indexOfPieces(
  stage: Stage,
  pieces: readonly PieceEntry[],
  subfile?: (piece: PieceEntry) => number,
): IndexParts {
  const groups: BpGroup[] = [];
  const blocks = stage.variables.map((): BpBlock[] => []);
  const sums = new Map<BpBlock, Uint32Array>();
  const sorted = pieces.filter(({ from, to }) => to > from).sort((a, b) => a.from - b.from);
  let end = 0;
  sorted.forEach((piece, rank) => {
    assert(piece.from >= end, "no byte is in the index twice");
    end = piece.to;
    const { plan, slabs } = groupOf(stage, piece, unpackStatistics(stage, piece));
    const place = { offset: piece.info.group, ...(subfile === undefined ? {} : { subfile: subfile(piece) }) };
    const entry = indexOfGroup({ ...plan, rank }, layOutGroup(plan), place);
    assert(entry.blocks.length === slabs.length, "every box of a piece is a block of the index");
    groups.push(entry.group);
    let at = 0;
    entry.blocks.forEach((block, i) => {
      const slab = slabs[i] as (typeof slabs)[number];
      const chunks = Math.ceil(slab.bytes / CHUNK_BYTES);
      sums.set(block, piece.info.sums.subarray(at, at + chunks));
      at += chunks;
      blocks[slab.variable]?.push(block);
    });
    assert(at === piece.info.sums.length, "the sums of a piece are those of its boxes");
  });
  const variables = stage.variables.map(
    ({ id, name, path, type }, v): BpVariable => ({
      id,
      group: GROUP_NAME,
      name,
      path,
      type,
      blocks: blocks[v] as BpBlock[],
    }),
  );
  return { groups, variables: variables.filter((one) => one.blocks.length > 0), sums };
}

/** The index as it was before this step. */
export function partsOf(index: BpIndex, name: string): IndexParts {
  const known = readChecksums(index, name);
  const sums = new Map<BpBlock, Uint32Array>();
  for (const [block, one] of known ?? []) sums.set(block, one.sums);
  return { groups: [...index.groups], variables: [...index.variables], sums };
}

/** A later step after earlier ones; variables are known by their ids. */
export function joinParts(earlier: IndexParts, later: IndexParts): IndexParts {
  const added = new Map(later.variables.map((one) => [one.id, one]));
  const variables = earlier.variables.map((variable) => {
    const more = added.get(variable.id);
    added.delete(variable.id);
    return more === undefined ? variable : { ...variable, blocks: [...variable.blocks, ...more.blocks] };
  });
  for (const one of added.values()) variables.push(one);
  return {
    groups: [...earlier.groups, ...later.groups],
    variables,
    sums: new Map([...earlier.sums, ...later.sums]),
  };
}

/** `start`: offset of the index in its file; 0 and `global` for the index of all files. */
export function encodeParts(
  { groups, variables, sums }: IndexParts,
  place: { readonly start: number; readonly global: boolean },
  attributes: BpIndex["attributes"] = [],
): Uint8Array {
  const first = 1 + [...variables, ...attributes].reduce((most, { id }) => Math.max(most, id), 0);
  const checksums = checksumAttributes(variables, (block) => sums.get(block) ?? new Uint32Array(0), {
    first,
    group: GROUP_NAME,
  });
  const others = attributes.filter(({ path }) => path !== CHECKSUM_PATH);
  return encodeIndex({ groups, variables, attributes: [...others, ...checksums] }, place);
}
