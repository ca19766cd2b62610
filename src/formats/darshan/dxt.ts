/**
 * Extended traces: every read and write as a segment. A record is a header (file, rank, host, counts), then
 * all writes, then all reads. One record can hold millions of segments, so they come in blocks.
 */
import { LOW, swapWords, wordNumber, type WordViews } from "../../base/words.ts";
import { upToNul } from "./job.ts";
import type { BlockOptions } from "./blocks.ts";
import { type ModuleSpec, segmentWords } from "./modules/index.ts";
import { giveBuffer, type RegionReader, takeBuffer } from "./region.ts";

const HEADER_WORDS = 13;

/** The header of a trace record: one file on one rank. */
export interface TraceRecord {
  readonly idLow: number;
  readonly idHigh: number;
  readonly rank: bigint;
  readonly hostBytes: Uint8Array;
  readonly writes: number;
  readonly reads: number;
}

/**
 * Segments `first` to `first + count` of a record; the first `writes` of it are writes, the rest reads.
 * Segment `s` of the block has its offset at word `at + s * stride`, then length, start, end, and the thread
 * when `stride` is 5. The views are only valid until the next block is asked for. A record without segments
 * comes as one block of count 0.
 */
export interface SegmentBlock {
  readonly record: TraceRecord;
  readonly first: number;
  readonly count: number;
  readonly at: number;
  readonly stride: 4 | 5;
  readonly views: WordViews;
}

/** All segments of a DXT region; complete ones come before the error of damage. */
export function* readSegments(
  region: RegionReader,
  spec: ModuleSpec,
  version: number,
  options: BlockOptions,
): Generator<SegmentBlock> {
  const stride = segmentWords(spec, version);
  const buffer = takeBuffer(options.compressedBytes);
  const capacity = buffer.u8.length;
  let filled = 0;
  let total = 0;
  let record: TraceRecord | undefined;
  let first = 0;
  try {
    for (;;) {
      filled = region.fill(buffer.u8, filled, capacity);
      const available = filled >>> 3;
      let at = 0;
      for (;;) {
        if (record === undefined) {
          if (available - at < HEADER_WORDS) break;
          record = readRecord(region, buffer, at, region.given - filled + 8 * at, options);
          first = 0;
          at += HEADER_WORDS;
          total += 1 + record.writes + record.reads;
          if (total > options.limits.recordsMax) {
            throw region.limit(
              region.given - filled + 8 * at,
              `more than ${options.limits.recordsMax} records and segments (--max-records)`,
            );
          }
        }
        const left: number = record.writes + record.reads - first;
        const count: number = Math.min(left, Math.floor((available - at) / stride));
        if (count === 0 && left > 0) break;
        if (options.swapped) swapWords(buffer.u32, at, at + count * stride);
        if (spec.name === "DXT_MPIIO" && version === 1) forgetOffsets(buffer, at, count);
        yield { record, first, count, at, stride, views: buffer };
        first += count;
        at += count * stride;
        if (count === left) record = undefined;
      }
      if (8 * at < filled) buffer.u8.copyWithin(0, 8 * at, filled);
      filled -= 8 * at;
      if (region.ended) {
        region.throwDamage();
        if (record !== undefined) {
          const left = record.writes + record.reads - first;
          throw region.error(
            region.given - filled,
            `a ${spec.name} record has ${left} more segments of ${8 * stride} bytes, ${filled} bytes left`,
          );
        }
        if (filled > 0)
          throw region.error(
            region.given - filled,
            `a ${spec.name} record needs ${8 * HEADER_WORDS} bytes, ${filled} left`,
          );
        return;
      }
    }
  } finally {
    region.close();
    giveBuffer(buffer);
  }
}

function readRecord(
  region: RegionReader,
  buffer: WordViews,
  at: number,
  plainAt: number,
  options: BlockOptions,
): TraceRecord {
  const { u32, u8 } = buffer;
  if (options.swapped) {
    swapWords(u32, at, at + 3);
    swapWords(u32, at + 11, at + HEADER_WORDS);
  }
  const writes = wordNumber(u32, at + 11);
  const reads = wordNumber(u32, at + 12);
  if (writes < 0 || reads < 0 || !Number.isSafeInteger(writes + reads)) {
    throw region.error(plainAt, `a trace record with ${writes} writes and ${reads} reads`);
  }
  return {
    idLow: u32[2 * at + LOW] as number,
    idHigh: u32[2 * at + 1 - LOW] as number,
    rank: buffer.i64[at + 1] as bigint,
    // A copy: the buffer moves on before a long record ends.
    hostBytes: upToNul(u8.slice(8 * (at + 3), 8 * (at + 11))),
    writes,
    reads,
  };
}

/** Offsets of DXT_MPIIO version 1 mean nothing. */
function forgetOffsets(buffer: WordViews, at: number, count: number): void {
  for (let s = 0; s < count; s++) buffer.i64[at + 4 * s] = -1n;
}
