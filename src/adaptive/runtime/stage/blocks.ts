/** The range of data of each rank of the protocol. */
import { assert } from "../../../base/assert.ts";
import { elementEdge } from "../../../formats/bp/index.ts";
import type { Range, Stage } from "./stage.ts";

/** More ranks than this only cost messages; small sources then share one. */
const BLOCKS_MAX = 4096;
/** Blocks are not split below this size. */
const SPLIT_BYTES_MIN = 1 << 20;

/**
 * A block for each source. With fewer sources than `wanted`, large ones are split; with very many, neighbours are joined.
 * `ranges` are the bytes to write: all, unless a part was kept of an interrupted write.
 */
export function cutBlocks(
  stage: Stage,
  wanted: number,
  ranges: readonly Range[] = [wholeOf(stage)],
  most = BLOCKS_MAX,
): Range[] {
  const perSource = ranges.flatMap((range) => ofSources(stage, range));
  const bytes = bytesOf(perSource);
  assert(bytes === bytesOf(ranges), "every byte of the line is in one source");
  if (perSource.length > most) return joined(perSource, bytes / most);
  if (perSource.length >= wanted) return perSource;
  const size = Math.max(SPLIT_BYTES_MIN, bytes / wanted);
  return perSource.flatMap((range) => split(stage, range, Math.ceil((range.to - range.from) / size - 1e-9)));
}

const bytesOf = (ranges: readonly Range[]): number =>
  ranges.reduce((sum, { from, to }) => sum + to - from, 0);

const wholeOf = (stage: Stage): Range => ({ from: 0, to: stage.bytes });

/** The rest of the line without the ranges, which do not overlap. */
export function leftOver(stage: Stage, taken: readonly Range[]): Range[] {
  const left: Range[] = [];
  let at = 0;
  for (const { from, to } of taken.toSorted((a, b) => a.from - b.from)) {
    assert(from >= at && to > from && to <= stage.bytes, "a removed range lies in the line, once");
    if (from > at) left.push({ from: at, to: from });
    at = to;
  }
  if (at < stage.bytes) left.push({ from: at, to: stage.bytes });
  return left;
}

function ofSources({ sources }: Stage, { from, to }: Range): Range[] {
  const found: Range[] = [];
  for (const { start, bytes } of sources) {
    const [low, high] = [Math.max(from, start), Math.min(to, start + bytes)];
    if (low < high) found.push({ from: low, to: high });
  }
  return found;
}

function split({ slabs }: Stage, { from, to }: Range, parts: number): Range[] {
  const found: Range[] = [];
  let at = from;
  for (let i = 1; i <= parts; i++) {
    const end = i === parts ? to : elementEdge(slabs, Math.floor(from + ((to - from) * i) / parts));
    if (end > at) found.push({ from: at, to: end });
    assert(end >= at, "element boundaries keep their order");
    at = end;
  }
  assert(at === to, "the parts of a block are all of it");
  return found;
}

function joined(ranges: readonly Range[], bytesMin: number): Range[] {
  const found: Range[] = [];
  let last: { from: number; to: number } | undefined;
  for (const { from, to } of ranges) {
    if (last !== undefined && last.to === from && last.to - last.from < bytesMin) last.to = to;
    else found.push((last = { from, to }));
  }
  assert(bytesOf(found) === bytesOf(ranges), "joining keeps the length");
  return found;
}
