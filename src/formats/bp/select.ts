/** A part of a global array, from the blocks that hold it: which bytes of which file go where. */
import { UsageError } from "../../base/errors.ts";
import { type BpBlock, type BpVariable, fullName } from "./index-data.ts";

export interface Selection {
  readonly start: readonly number[];
  readonly count: readonly number[];
}

/** A stretch of bytes of a block's data and its place in the result. */
export interface Copy {
  /** Index into the blocks that were given. */
  readonly block: number;
  /** Offset in the file of the block. */
  readonly from: number;
  readonly to: number;
  readonly length: number;
}

/** Steps of a variable, in order. */
export const stepsOf = (variable: BpVariable): number[] =>
  [...new Set(variable.blocks.map(({ step }) => step))].sort((a, b) => a - b);

/** Shape of the global array in a step; empty for a scalar, undefined for blocks without a common shape. */
export function shapeOf(blocks: readonly BpBlock[]): readonly number[] | undefined {
  const [first] = blocks;
  if (first === undefined) return undefined;
  const shape = first.dimensions.map(({ global }) => global);
  if (shape.includes(0)) return undefined;
  const same = blocks.every(
    ({ dimensions }) =>
      dimensions.length === shape.length && dimensions.every(({ global }, d) => global === shape[d]),
  );
  return same ? shape : undefined;
}

/** Fills in what is not given and refuses what lies outside. */
export function selectionOf(
  variable: BpVariable,
  shape: readonly number[],
  wanted: { readonly start?: readonly number[]; readonly count?: readonly number[] },
): Selection {
  const start = wanted.start ?? shape.map(() => 0);
  if (start.length !== shape.length || (wanted.count ?? shape).length !== shape.length) {
    throw new UsageError(
      `"${fullName(variable)}" has ${shape.length} dimensions (${shape.join(" × ")}); expected one number for each`,
    );
  }
  const count = wanted.count ?? shape.map((size, d) => size - (start[d] as number));
  shape.forEach((size, d) => {
    const [from, many] = [start[d] as number, count[d] as number];
    if (from < 0 || many < 1 || from + many > size) {
      throw new UsageError(
        `dimension ${d} of "${fullName(variable)}" goes from 0 to ${size}; ${from} to ${from + many} was requested`,
      );
    }
  });
  return { start, count };
}

/**
 * The copies for a selection, block by block. Rows that follow one another in the block and in the result become one
 * copy. Row-major order; a column-major file is handed in with its dimensions turned round.
 */
export function* copiesOf(blocks: readonly BpBlock[], selection: Selection, size: number): Generator<Copy> {
  for (const [index, block] of blocks.entries()) {
    const dims = block.dimensions;
    const low = dims.map(({ offset }, d) => Math.max(offset, selection.start[d] as number));
    const high = dims.map(({ offset, local }, d) =>
      Math.min(offset + local, (selection.start[d] as number) + (selection.count[d] as number)),
    );
    if (low.some((from, d) => from >= (high[d] as number))) continue;
    yield* copiesOfBlock(index, block, { low, high, selection, size });
  }
}

interface Overlap {
  readonly low: readonly number[];
  readonly high: readonly number[];
  readonly selection: Selection;
  readonly size: number;
}

function* copiesOfBlock(index: number, block: BpBlock, overlap: Overlap): Generator<Copy> {
  const { low, high, selection, size } = overlap;
  const dims = block.dimensions;
  const rank = dims.length;
  // Dimensions from `whole` on are taken entirely in the block and in the result: they are one stretch.
  let whole = rank;
  while (whole > 0) {
    const d = whole - 1;
    const many = (high[d] as number) - (low[d] as number);
    if (many !== dims[d]?.local || many !== selection.count[d]) break;
    whole--;
  }
  const outer = Math.max(0, whole - 1);
  let length = size;
  for (let d = outer; d < rank; d++) length *= (high[d] as number) - (low[d] as number);
  const at = low.slice(0, outer);
  const last = low.slice(outer);
  for (;;) {
    const point = [...at, ...last];
    let [from, to] = [0, 0];
    for (let d = 0; d < rank; d++) {
      from = from * (dims[d]?.local as number) + (point[d] as number) - (dims[d]?.offset as number);
      to = to * (selection.count[d] as number) + (point[d] as number) - (selection.start[d] as number);
    }
    yield { block: index, from: block.payloadOffset + from * size, to: to * size, length };
    let d = outer - 1;
    for (; d >= 0; d--) {
      at[d] = (at[d] as number) + 1;
      if ((at[d] as number) < (high[d] as number)) break;
      at[d] = low[d] as number;
    }
    if (d < 0) return;
  }
}
