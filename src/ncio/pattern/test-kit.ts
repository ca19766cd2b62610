/** Random datatypes, and the simple slow reference: the place of every byte. */
import { type DataRange, PieceCursor, type Pieces, pieceBlock } from "./pieces.ts";
import type { RankAccess } from "./pattern.ts";
import { RegionCursor, regionBlock } from "./regions.ts";
import fc from "fast-check";
import type { Datatype } from "../../base/datatype.ts";

/** A piece that is contiguous in memory and in the file. */
interface Region {
  readonly memory: number;
  readonly file: number;
  readonly length: number;
}

export const datatypes: fc.Arbitrary<Datatype> = fc.letrec<{ type: Datatype }>((tie) => ({
  type: fc.oneof(
    { maxDepth: 4, depthSize: "small" },
    fc.record({ kind: fc.constant("bytes" as const), length: fc.integer({ min: 0, max: 20 }) }),
    fc.record({
      kind: fc.constant("vector" as const),
      count: fc.integer({ min: 0, max: 5 }),
      stride: fc.integer({ min: 0, max: 60 }),
      of: tie("type"),
    }),
    fc.record({
      kind: fc.constant("parts" as const),
      parts: fc.array(fc.record({ at: fc.integer({ min: 0, max: 80 }), of: tie("type") }), { maxLength: 4 }),
    }),
  ),
})).type;

/** File types: pieces ascend. */
export const orderedDatatypes: fc.Arbitrary<Datatype> = fc
  .record({
    size: fc.integer({ min: 1, max: 12 }),
    levels: fc.array(
      fc.record({ count: fc.integer({ min: 1, max: 5 }), gap: fc.integer({ min: 0, max: 9 }) }),
      {
        maxLength: 4,
      },
    ),
    heads: fc.array(
      fc.record({ gap: fc.integer({ min: 0, max: 9 }), length: fc.integer({ min: 1, max: 9 }) }),
      {
        maxLength: 4,
      },
    ),
  })
  .map(({ size, levels, heads }) => {
    let type: Datatype = { kind: "bytes", length: size };
    let span = size;
    for (const { count, gap } of levels) {
      type = { kind: "vector", count, stride: span + gap, of: type };
      span = (count - 1) * (span + gap) + span;
    }
    let at = 0;
    const parts = heads.map(({ gap, length }) => {
      const part = { at: at + gap, of: { kind: "bytes", length } as Datatype };
      at += gap + length;
      return part;
    });
    return { kind: "parts", parts: [...parts, { at: at + 3, of: type }] };
  });

export function everyPlace(type: Datatype, at = 0): number[] {
  switch (type.kind) {
    case "bytes":
      return Array.from({ length: type.length }, (_, i) => at + i);
    case "vector":
      return Array.from({ length: type.count }, (_, i) => everyPlace(type.of, at + i * type.stride)).flat();
    case "parts":
      return type.parts.flatMap((part) => everyPlace(part.of, at + part.at));
  }
}

/** All pieces as one list: for small types and tests. */
export function piecesOf(type: Datatype, range: DataRange = {}): Pieces {
  const offsets: number[] = [];
  const lengths: number[] = [];
  const block = pieceBlock(1024);
  for (const cursor = new PieceCursor(type, range); cursor.next(block) > 0; ) {
    for (let i = 0; i < block.count; i++) {
      offsets.push(block.offsets[i] as number);
      lengths.push(block.lengths[i] as number);
    }
  }
  return {
    count: offsets.length,
    offsets: Float64Array.from(offsets),
    lengths: Float64Array.from(lengths),
  };
}

/** All regions of an access as a list: exact but slow. */
export function regionsOf(access: RankAccess): Region[] {
  const list: Region[] = [];
  const block = regionBlock(1024);
  for (const cursor = new RegionCursor(access); cursor.next(block) > 0; )
    for (let i = 0; i < block.count; i++)
      list.push({
        memory: block.memory[i] as number,
        file: block.file[i] as number,
        length: block.lengths[i] as number,
      });
  return list;
}
