/**
 * From the plain bytes of a module region to blocks of whole records in the current version and in the byte
 * order of this machine. A log of the current version in our byte order is handed out as it was inflated.
 */
import { allocateWords, swapWords, type WordViews } from "../../base/words.ts";
import type { Limits } from "./limits.ts";
import { MINUS_ONE, MINUS_ONE_REAL, type ModuleSpec, type RecordVersion, ZERO } from "./modules/index.ts";
import { giveBuffer, type RegionReader, takeBuffer } from "./region.ts";
import {
  alignHeatmaps,
  plainCount,
  recordWords,
  swappedCount,
  swapVariable,
  trimComponents,
  upgradeLustre,
} from "./variable-records.ts";

/**
 * Whole records of one module. Record `k` starts at word `at(k)` of the views, which are only valid until the
 * next block is asked for.
 */
export class RecordBlock {
  readonly views: WordViews;
  readonly count: number;
  /** Words per record; 0 when records differ in size. */
  readonly stride: number;
  /** Words where records start, and one entry more for the end; for records that differ in size. */
  readonly starts: Uint32Array | undefined;
  /** True for the one header record of APMPI and APXC. */
  readonly header: boolean;

  constructor(views: WordViews, count: number, stride: number, starts?: Uint32Array, header = false) {
    this.views = views;
    this.count = count;
    this.stride = stride;
    this.starts = starts;
    this.header = header;
  }

  at(record: number): number {
    return this.starts === undefined ? record * this.stride : (this.starts[record] as number);
  }

  /** Words of record `record`, a gap behind it included. */
  wordsOf(record: number): number {
    return this.starts === undefined
      ? this.stride
      : (this.starts[record + 1] as number) - (this.starts[record] as number);
  }
}

export interface BlockOptions {
  /** The log's byte order is not ours. */
  readonly swapped: boolean;
  readonly limits: Limits;
  /** Told how many records cannot be upgraded and are left out (POSIX version 1 with stream calls). */
  readonly onLeftOut: (count: number) => void;
  readonly compressedBytes: number;
}

/** All records of a region, but for DXT (see dxt.ts). Complete records come before the error of damage. */
export function* readBlocks(
  region: RegionReader,
  spec: ModuleSpec,
  version: number,
  options: BlockOptions,
): Generator<RecordBlock> {
  const layout = spec.versions[version] as RecordVersion;
  let buffer = takeBuffer(options.compressedBytes);
  let output: WordViews | undefined;
  let records = 0;
  let filled = 0;
  const heatmapShape = { bins: 0, seconds: 0 };
  let headerSeen = spec.header === undefined;
  const fixedWords = spec.kind === "fixed" || spec.kind === "headed" ? layout.words : 0;
  const starts = fixedWords > 0 ? undefined : new Uint32Array(1025);
  try {
    for (;;) {
      filled = region.fill(buffer.u8, filled, buffer.u8.length);
      const available = filled >>> 3;
      let used = 0;
      let block: RecordBlock | undefined;
      if (!headerSeen) {
        const header = spec.header as RecordVersion;
        if (available >= header.words) {
          if (options.swapped) swapRecord(buffer, 0, header.words, header);
          headerSeen = true;
          used = header.words;
          block = new RecordBlock(buffer, 1, header.words, undefined, true);
        }
      } else if (starts === undefined) {
        const count = Math.floor(available / fixedWords);
        used = count * fixedWords;
        if (options.swapped)
          for (let k = 0; k < count; k++) swapRecord(buffer, k * fixedWords, fixedWords, layout);
        if (layout.upgrade === undefined) {
          if (count > 0) block = new RecordBlock(buffer, count, fixedWords);
        } else if (count > 0) {
          const words = layout.upgrade.length;
          if (output === undefined || output.f64.length < count * words)
            output = allocateWords(count * words);
          const kept = upgradeFixed(buffer, count, layout, output);
          if (kept < count) options.onLeftOut(count - kept);
          block = new RecordBlock(output, kept, words);
        }
        records += count;
      } else {
        const framed = frame(region, buffer, available, filled, starts, spec, version, options);
        used = starts[framed] as number;
        records += framed;
        if (framed > 0) {
          if (version === spec.version) block = new RecordBlock(buffer, framed, 0, starts);
          else {
            output = allocateWords(2 * used + 8 * framed + 8);
            block = upgradeLustre(buffer, starts, framed, output);
          }
          if (spec.kind === "lustre" && version > 1) trimComponents(region, block);
          if (spec.kind === "heatmap") block = alignHeatmaps(block, heatmapShape);
        }
      }
      if (records > options.limits.recordsMax) {
        throw region.limit(
          region.given - filled,
          `more than ${options.limits.recordsMax} records (--max-records)`,
        );
      }
      if (block !== undefined && block.count > 0) yield block;
      if (used > 0) {
        if (8 * used < filled) buffer.u8.copyWithin(0, 8 * used, filled);
        filled -= 8 * used;
        // What is left may hold more records even when the region has ended.
        if (!region.ended || filled > 0) continue;
      }
      if (region.ended) {
        region.throwDamage();
        if (filled > 0) {
          throw region.error(
            region.given - filled,
            `a ${spec.name} record needs ${8 * neededWords(spec, layout, headerSeen)} bytes, ${filled} left`,
          );
        }
        return;
      }
      if (filled === buffer.u8.length) {
        // One record is larger than the buffer.
        if (buffer.u8.length * 2 > options.limits.recordBytesMax) {
          throw region.limit(
            region.given - filled,
            `a record of more than ${options.limits.recordBytesMax} bytes (--max-record-bytes)`,
          );
        }
        const larger = allocateWords(buffer.f64.length * 2);
        larger.u8.set(buffer.u8);
        giveBuffer(buffer);
        buffer = larger;
      }
    }
  } finally {
    region.close();
    giveBuffer(buffer);
  }
}

function neededWords(spec: ModuleSpec, layout: RecordVersion, headerSeen: boolean): number {
  return headerSeen ? layout.words : (spec.header as RecordVersion).words;
}

/** Brings one record into our byte order, leaving byte strings and halves whole. */
export function swapRecord(views: WordViews, at: number, words: number, layout: RecordVersion): void {
  let from = at;
  for (const [start, end] of layout.bytes ?? []) {
    swapWords(views.u32, from, at + start);
    from = at + end;
  }
  swapWords(views.u32, from, at + words);
  for (const word of layout.halves ?? []) {
    // Swapping the word turned the halves around as well; put each back in its place.
    const i = 2 * (at + word);
    const first = views.u32[i] as number;
    views.u32[i] = views.u32[i + 1] as number;
    views.u32[i + 1] = first;
  }
}

/** Rewrites `count` records of an older fixed layout into `output`; returns how many were kept. */
function upgradeFixed(input: WordViews, count: number, layout: RecordVersion, output: WordViews): number {
  const map = layout.upgrade as Int32Array;
  const { zeroOrLeaveOut, addInto } = layout;
  const from = input.u32;
  const to = output.u32;
  let kept = 0;
  for (let k = 0; k < count; k++) {
    const source = k * layout.words;
    if (zeroOrLeaveOut !== undefined && (input.i64[source + zeroOrLeaveOut] as bigint) > 0n) continue;
    const target = kept * map.length;
    for (let w = 0; w < map.length; w++) {
      const word = map[w] as number;
      const t = 2 * (target + w);
      if (word >= 0) {
        to[t] = from[2 * (source + word)] as number;
        to[t + 1] = from[2 * (source + word) + 1] as number;
      } else if (word === MINUS_ONE) output.i64[target + w] = -1n;
      else if (word === ZERO) output.i64[target + w] = 0n;
      else if (word === MINUS_ONE_REAL) output.f64[target + w] = -1;
    }
    if (addInto !== undefined) {
      output.i64[target + addInto.word] =
        (input.i64[source + addInto.a] as bigint) + (input.i64[source + addInto.b] as bigint);
    }
    kept++;
  }
  return kept;
}

/**
 * Finds records of varying size: fills `starts`, swaps each, and returns how many are whole. A count that no
 * file of this size could hold is damage at once, so that a huge one never makes us wait for more bytes.
 */
function frame(
  region: RegionReader,
  buffer: WordViews,
  available: number,
  filled: number,
  starts: Uint32Array,
  spec: ModuleSpec,
  version: number,
  options: BlockOptions,
): number {
  const layout = spec.versions[version] as RecordVersion;
  const peek = options.swapped ? swappedCount : plainCount;
  let at = 0;
  let framed = 0;
  while (framed < starts.length - 1 && available - at >= layout.words) {
    const plainAt = region.given - filled + 8 * at;
    const words = recordWords(spec, version, (word) => {
      const count = peek(buffer.u32, at + word);
      if (count < 0) throw region.error(plainAt, `a ${spec.name} record with a count of ${count}`);
      if (count * 8 > options.limits.recordBytesMax) {
        throw region.limit(
          plainAt,
          `a ${spec.name} record with a count of ${count}; records may have ${options.limits.recordBytesMax} bytes (--max-record-bytes)`,
        );
      }
      return count;
    });
    if (words > available - at) {
      if (region.ended) {
        region.throwDamage();
        if (framed === 0)
          throw region.error(
            plainAt,
            `a ${spec.name} record needs ${8 * words} bytes, ${filled - 8 * at} left`,
          );
      }
      break;
    }
    if (options.swapped) swapVariable(buffer, at, words, spec, version);
    starts[framed++] = at;
    at += words;
  }
  starts[framed] = at;
  return framed;
}
