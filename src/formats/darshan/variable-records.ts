/** Records that vary in size: LUSTRE, HEATMAP, MDHIM. Their size, byte order, old versions and known faults. */
import { allocateWords, LOW, swap32, swapWords, type WordViews } from "../../base/words.ts";
import { RecordBlock } from "./blocks.ts";
import { COMPONENT_WORDS, type ModuleSpec } from "./modules/index.ts";
import type { RegionReader } from "./region.ts";

/** Words of the record whose counts `count` tells by word index. */
export function recordWords(spec: ModuleSpec, version: number, count: (word: number) => number): number {
  switch (spec.kind) {
    case "lustre":
      return version === 1 ? 7 + count(6) : 4 + COMPONENT_WORDS * count(2) + count(3);
    case "heatmap":
      return 6 + 2 * count(3);
    default:
      return 11 + Math.max(1, count(6));
  }
}

/** A signed count in our byte order. */
export function plainCount(u32: Uint32Array, word: number): number {
  return ((u32[2 * word + 1 - LOW] as number) | 0) * 4294967296 + (u32[2 * word + LOW] as number);
}

/** A signed count in the other byte order. */
export function swappedCount(u32: Uint32Array, word: number): number {
  return (swap32(u32[2 * word + LOW] as number) | 0) * 4294967296 + swap32(u32[2 * word + 1 - LOW] as number);
}

/** Brings a record into our byte order; pool names stay as they are. */
export function swapVariable(
  buffer: WordViews,
  at: number,
  words: number,
  spec: ModuleSpec,
  version: number,
): void {
  if (spec.kind !== "lustre" || version === 1) {
    swapWords(buffer.u32, at, at + words);
    return;
  }
  swapWords(buffer.u32, at, at + 4);
  const components = plainCount(buffer.u32, at + 2);
  for (let c = 0; c < components; c++) {
    const component = at + 4 + COMPONENT_WORDS * c;
    swapWords(buffer.u32, component, component + 7);
  }
  swapWords(buffer.u32, at + 4 + COMPONENT_WORDS * components, at + words);
}

/** LUSTRE version 1 to 2: one component; OSTs and MDTs of the file system and the offset have no place there. */
export function upgradeLustre(
  input: WordViews,
  starts: Uint32Array,
  count: number,
  output: WordViews,
): RecordBlock {
  const newStarts = new Uint32Array(count + 1);
  let to = 0;
  for (let k = 0; k < count; k++) {
    const from = starts[k] as number;
    const width = (starts[k + 1] as number) - from - 7;
    newStarts[k] = to;
    output.i64.set(input.i64.subarray(from, from + 2), to);
    output.i64[to + 2] = 1n;
    output.i64[to + 3] = BigInt(width);
    output.i64.set([input.i64[from + 5] as bigint, BigInt(width), -1n, -1n, 0n, -1n, -1n, 0n, 0n], to + 4);
    output.i64.set(input.i64.subarray(from + 7, from + 7 + width), to + 4 + COMPONENT_WORDS);
    to += 4 + COMPONENT_WORDS + width;
  }
  newStarts[count] = to;
  return new RecordBlock(output, count, 0, newStarts);
}

/**
 * A component whose stripe size is -1 is unused: it and all behind it are dropped and the stripes counted
 * again. Such a record is rewritten in place; what it no longer uses is a gap before the next one.
 */
export function trimComponents(region: RegionReader, block: RecordBlock): void {
  const { i64 } = block.views;
  for (let k = 0; k < block.count; k++) {
    const at = block.at(k);
    const components = Number(i64[at + 2]);
    let used = 0;
    while (used < components && i64[at + 4 + COMPONENT_WORDS * used] !== -1n) used++;
    if (used === components) continue;
    let stripes = 0n;
    for (let c = 0; c < used; c++) stripes += i64[at + 4 + COMPONENT_WORDS * c + 1] as bigint;
    if (stripes < 0n || stripes > (i64[at + 3] as bigint)) {
      throw region.error(
        region.given,
        `a LUSTRE record whose ${used} components have ${stripes} stripes lists ${i64[at + 3]}`,
      );
    }
    i64[at + 2] = BigInt(used);
    i64[at + 3] = stripes;
    const listed = at + 4 + COMPONENT_WORDS * components;
    i64.copyWithin(at + 4 + COMPONENT_WORDS * used, listed, listed + Number(stripes));
  }
}

/** What the first heat map of a log looks like; later ones are held against it. */
interface HeatmapShape {
  bins: number;
  seconds: number;
}

/**
 * Darshan 3.4.0 to 3.4.3 could write heat maps one bin longer or shorter than the first of the log, at equal bin
 * width. Such a record loses its last bin or gets a zero bin, as the reference tools do; any other difference is
 * left alone. Most blocks need nothing and come back as they are.
 */
export function alignHeatmaps(block: RecordBlock, shape: HeatmapShape): RecordBlock {
  const { u32, f64 } = block.views;
  const wanted: number[] = [];
  let words = 0;
  let aligned = true;
  for (let k = 0; k < block.count; k++) {
    const at = block.at(k);
    const bins = plainCount(u32, at + 3);
    if (shape.bins === 0) shape.bins = bins;
    if (shape.seconds === 0) shape.seconds = f64[at + 2] as number;
    const near = f64[at + 2] === shape.seconds && Math.abs(bins - shape.bins) === 1;
    wanted.push(near ? shape.bins : bins);
    words += 6 + 2 * (near ? shape.bins : bins);
    if (near) aligned = false;
  }
  if (aligned) return block;
  const output = allocateWords(words);
  const starts = new Uint32Array(block.count + 1);
  let to = 0;
  for (let k = 0; k < block.count; k++) {
    const at = block.at(k);
    const bins = plainCount(u32, at + 3);
    const length = wanted[k] as number;
    const kept = Math.min(bins, length);
    starts[k] = to;
    output.i64.set(block.views.i64.subarray(at, at + 6), to);
    output.i64[to + 3] = BigInt(length);
    output.i64.set(block.views.i64.subarray(at + 6, at + 6 + kept), to + 6);
    output.i64.set(block.views.i64.subarray(at + 6 + bins, at + 6 + bins + kept), to + 6 + length);
    to += 6 + 2 * length;
  }
  starts[block.count] = to;
  return new RecordBlock(output, block.count, 0, starts);
}
