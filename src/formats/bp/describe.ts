/** What a dataset holds: variables and their blocks, with ranges, from its index. */
import type { BpDataset } from "./dataset.ts";
import { dataBytes } from "./checksums.ts";
import { type BpBlock, type BpVariable, fullName } from "./index-data.ts";
import { shapeOf, stepsOf } from "./select.ts";
import type { BpType } from "./types.ts";
import { type BpElement, firstElement } from "./values.ts";

export interface VariableSummary {
  readonly name: string;
  readonly type: string;
  /** Null when the blocks are no common array. */
  readonly shape: readonly number[] | null;
  readonly steps: number;
  readonly blocks: number;
  readonly bytes: number;
  readonly min: BpElement | null;
  readonly max: BpElement | null;
}

/** A variable as its index tells it; no data is read. */
export function describeVariable(dataset: BpDataset, variable: BpVariable): VariableSummary {
  const { blocks, type } = variable;
  const [low, high] = rangeOf(blocks, type);
  return {
    name: fullName(variable),
    type: type.name,
    shape: shapeOf(dataset.step(variable).blocks) ?? null,
    steps: stepsOf(variable).length,
    blocks: blocks.length,
    bytes: blocks.reduce((sum, block) => sum + dataBytes(variable, block), 0),
    min: low,
    max: high,
  };
}

/** Over blocks that have finite values; strings and complex numbers have no order. */
function rangeOf(blocks: readonly BpBlock[], type: BpType): [BpElement | null, BpElement | null] {
  const known = blocks.flatMap(({ statistics, value }) => {
    if (value !== undefined) return [[value, value] as const];
    return statistics?.finite && statistics.min && statistics.max
      ? [[statistics.min, statistics.max] as const]
      : [];
  });
  if (type.kind === "string") return [firstElement(known[0]?.[0], type), null];
  if (type.kind === "complex" || type.kind === "strings") return [null, null];
  const order = (one: BpElement) => (typeof one === "string" ? BigInt(one) : (one as number));
  const pick = (side: 0 | 1, better: (a: number | bigint, b: number | bigint) => boolean) =>
    known
      .map((pair) => firstElement(pair[side], type))
      .reduce<BpElement | null>((best, one) => {
        if (one === null) return best;
        return best === null || better(order(one), order(best)) ? one : best;
      }, null);
  return [pick(0, (a, b) => a < b), pick(1, (a, b) => a > b)];
}

interface BlockSummary {
  readonly step: number;
  readonly start: readonly number[];
  readonly count: readonly number[];
  readonly subfile: number | null;
  readonly offset: number;
  readonly min: BpElement | null;
  readonly max: BpElement | null;
}

export const describeBlocks = (variable: BpVariable): BlockSummary[] =>
  variable.blocks.map((block) => {
    const [min, max] = rangeOf([block], variable.type);
    return {
      step: block.step - 1,
      start: block.dimensions.map(({ offset }) => offset),
      count: block.dimensions.map(({ local }) => local),
      subfile: block.subfile ?? null,
      offset: block.payloadOffset,
      min,
      max,
    };
  });
