/**
 * A stretch of consecutive elements of a block as boxes of the array. A writer may cut a block at any element, so that
 * the work can be moved in pieces of any size; a BP file only knows boxes, and a stretch is a few of them.
 */
import type { BpDimension } from "./index-data.ts";

/** Elements [from, to) of a box in row-major order, as boxes in that order; at most 2 n - 1 of them for n dimensions. */
export function boxesOf(box: readonly BpDimension[], from: number, to: number): BpDimension[][] {
  if (from >= to) return [];
  const [first, ...others] = box;
  if (first === undefined) return [[]];
  const row = others.reduce((product, { local }) => product * local, 1);
  const at = (start: number, rows: number): BpDimension => ({
    local: rows,
    global: first.global,
    offset: first.global === 0 ? 0 : first.offset + start,
  });
  const within = (index: number, low: number, high: number): BpDimension[][] =>
    boxesOf(others, low, high).map((rest) => [at(index, 1), ...rest]);
  const [firstRow, lastRow] = [Math.floor(from / row), Math.floor((to - 1) / row)];
  if (firstRow === lastRow && to - from < row) return within(firstRow, from % row, ((to - 1) % row) + 1);
  const boxes: BpDimension[][] = [];
  let wholeFrom = firstRow;
  if (from % row > 0) {
    boxes.push(...within(firstRow, from % row, row));
    wholeFrom++;
  }
  const wholeTo = to % row > 0 ? lastRow : lastRow + 1;
  if (wholeTo > wholeFrom) boxes.push([at(wholeFrom, wholeTo - wholeFrom), ...others]);
  if (to % row > 0) boxes.push(...within(lastRow, 0, to % row));
  return boxes;
}

/** A box of a variable in the data of one process, which has its boxes one after another. */
export interface SourceSlab {
  /** Which of the variables. */
  readonly variable: number;
  /** Bytes of one element. */
  readonly size: number;
  readonly dimensions: readonly BpDimension[];
  /** First byte in the data of the process, and how many. */
  readonly at: number;
  readonly bytes: number;
}

/** The last place not behind `position` where one element ends and the next begins. */
export function elementEdge(slabs: readonly SourceSlab[], position: number): number {
  const slab = slabs[slabAt(slabs, position)];
  if (slab === undefined) return position;
  const inside = position - slab.at;
  return slab.at + Math.min(slab.bytes, inside - (inside % slab.size));
}

/** Boxes of the bytes [from, to) of a process's data; both must be edges of elements. */
export function slabsBetween(slabs: readonly SourceSlab[], from: number, to: number): SourceSlab[] {
  const found: SourceSlab[] = [];
  for (let i = slabAt(slabs, from); i < slabs.length; i++) {
    const slab = slabs[i] as SourceSlab;
    if (slab.at >= to) break;
    const { variable, size } = slab;
    const [low, high] = [Math.max(from, slab.at) - slab.at, Math.min(to, slab.at + slab.bytes) - slab.at];
    let at = slab.at + low;
    for (const dimensions of boxesOf(slab.dimensions, low / size, high / size)) {
      const bytes = dimensions.reduce((product, { local }) => product * local, size);
      found.push({ variable, size, dimensions, at, bytes });
      at += bytes;
    }
  }
  return found;
}

/** The slab that holds the position, or the last one that begins at or before it. */
function slabAt(slabs: readonly SourceSlab[], position: number): number {
  let [low, high] = [0, slabs.length];
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((slabs[middle] as SourceSlab).at <= position) low = middle;
    else high = middle;
  }
  return low;
}
