/** A writer's data on a finished piece; the protocol passes it on unread. */
import { assert } from "../../../base/assert.ts";
import { type BpStatistics, type BpType, hasStatistics, slabsBetween } from "../../../formats/bp/index.ts";
import type { Stage } from "../stage/stage.ts";

export interface PieceInfo {
  /** Identity of the file it was written to: at commit time another file may have its name. */
  readonly identity: string;
  /** Offset of its process group in the file. */
  readonly group: number;
  /** CRC-32 of every mebibyte of every box. */
  readonly sums: Uint32Array;
  /** For each box with statistics: min, max, and whether any element is finite. */
  readonly statistics: Uint8Array;
}

/** A finished piece and its location. */
export interface PieceEntry {
  /** Position in the line of bytes. */
  readonly from: number;
  readonly to: number;
  readonly path: string;
  readonly target: number;
  readonly info: PieceInfo;
}

export function packStatistics(all: readonly (BpStatistics | undefined)[]): Uint8Array {
  const parts = all.flatMap((one) =>
    one?.min === undefined || one.max === undefined
      ? []
      : [one.min, one.max, Uint8Array.of(one.finite ? 1 : 0)],
  );
  const packed = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    packed.set(part, at);
    at += part.length;
  }
  return packed;
}

/** One for each box of the range, in order. */
export function unpackStatistics(stage: Stage, { from, to, info }: PieceEntry): BpStatistics[] {
  const packed = info.statistics;
  let at = 0;
  const statistics = slabsBetween(stage.slabs, from, to).map(({ variable }) => {
    const type = stage.variables[variable]?.type as BpType;
    if (!hasStatistics(type)) return { finite: false };
    const { size } = type;
    const min = packed.subarray(at, at + size);
    const max = packed.subarray(at + size, at + 2 * size);
    const finite = packed[at + 2 * size] === 1;
    at += 2 * size + 1;
    return { min, max, finite };
  });
  assert(at === packed.length, "a piece has the statistics of its boxes, and no others");
  return statistics;
}
