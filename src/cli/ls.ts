/** `plimsoll ls`: what a dataset holds. */
import { textTable } from "../base/text-table.ts";
import { formatBytes, formatMany } from "../base/units.ts";
import {
  type BpBlock,
  type BpDataset,
  type BpType,
  type BpVariable,
  dataBytes,
  fullName,
  shapeOf,
  stepsOf,
} from "../formats/bp/index.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";
import { withDataset } from "./dataset/open.ts";
import { firstValue, shortText, type Value, valueJson, valueText } from "./dataset/values.ts";
import { option } from "./option.ts";

export default defineCommand({
  name: "ls",
  description:
    "Lists the variables of a BP dataset written by plimsoll write or by ADIOS (BP version 2 or 3). Reads only the global index, whatever the size of the data.",
  arguments: [{ name: "dataset", help: "the global file NAME.bp, or one BP file", kind: "file" }],
  options: {
    blocks: option.flag("list each block: step, position in the array, subfile, offset, min and max"),
    attributes: option.flag("also list attributes"),
  },
  examples: {
    "plimsoll ls checkpoint.bp": "one line per variable",
    "plimsoll ls --blocks checkpoint.bp": "location of each block",
  },
  async run({ arguments: [path = ""], options }, context) {
    await withDataset(path, (dataset) => list(dataset, { path, ...options }, context));
  },
});

interface Wanted {
  readonly path: string;
  readonly blocks?: boolean;
  readonly attributes?: boolean;
}

function list(dataset: BpDataset, wanted: Wanted, context: Context): void {
  const variables = dataset.file.variables.map((one) => describe(dataset, one));
  if (context.json) {
    context.printJson({
      dataset: wanted.path,
      version: dataset.file.version,
      checksums: dataset.hasChecksums,
      variables: variables.map((one) => ({
        ...one,
        min: valueJson(one.min),
        max: valueJson(one.max),
        blocks: wanted.blocks
          ? blocksOf(dataset.variable(one.name)).map((block) => ({
              ...block,
              min: valueJson(block.min),
              max: valueJson(block.max),
            }))
          : one.blocks,
      })),
      attributes: dataset.file.attributes.map((one) => ({
        name: fullName(one),
        type: one.type.name,
        count: one.count,
        value: one.strings ?? (one.count <= 16 ? valueJson(firstValue(one.value, one.type)) : null),
      })),
    });
    return;
  }
  for (const line of lines(variables)) context.out.write(`${line}\n`);
  if (wanted.blocks) for (const line of blockLines(dataset)) context.out.write(`${line}\n`);
  if (wanted.attributes) {
    for (const one of dataset.file.attributes) {
      const value = one.strings?.join(", ") ?? valueText(firstValue(one.value, one.type));
      context.out.write(`${fullName(one)} = ${value}${one.count > 1 ? ` … (${one.count} values)` : ""}\n`);
    }
  }
}

interface Described {
  readonly name: string;
  readonly type: string;
  /** Null when the blocks are no common array. */
  readonly shape: readonly number[] | null;
  readonly steps: number;
  readonly blocks: number;
  readonly bytes: number;
  readonly min: Value | null;
  readonly max: Value | null;
}

function describe(dataset: BpDataset, variable: BpVariable): Described {
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
function rangeOf(blocks: readonly BpBlock[], type: BpType): [Value | null, Value | null] {
  const known = blocks.flatMap(({ statistics, value }) => {
    if (value !== undefined) return [[value, value] as const];
    return statistics?.finite && statistics.min && statistics.max
      ? [[statistics.min, statistics.max] as const]
      : [];
  });
  if (type.kind === "string") return [firstValue(known[0]?.[0], type), null];
  if (type.kind === "complex" || type.kind === "strings") return [null, null];
  const order = (one: Value) => (typeof one === "string" ? BigInt(one) : (one as number));
  const pick = (side: 0 | 1, better: (a: number | bigint, b: number | bigint) => boolean) =>
    known
      .map((pair) => firstValue(pair[side], type))
      .reduce<Value | null>((best, one) => {
        if (one === null) return best;
        return best === null || better(order(one), order(best)) ? one : best;
      }, null);
  return [pick(0, (a, b) => a < b), pick(1, (a, b) => a > b)];
}

function lines(variables: readonly Described[]): string[] {
  const rows = variables.map(({ type, name, shape, steps, blocks, bytes, min, max }) => [
    type,
    name,
    shape === null ? "local" : shape.length === 0 ? "scalar" : shape.join(" × "),
    formatMany(steps, "step"),
    formatMany(blocks, "block"),
    bytes === 0 ? "" : formatBytes(bytes),
    max === null ? shortText(min) : `${shortText(min)} … ${shortText(max)}`,
  ]);
  return textTable(
    Array.from({ length: 7 }, () => ({})),
    rows,
  );
}

interface DescribedBlock {
  readonly step: number;
  readonly start: readonly number[];
  readonly count: readonly number[];
  readonly subfile: number | null;
  readonly offset: number;
  readonly min: Value | null;
  readonly max: Value | null;
}

const blocksOf = (variable: BpVariable): DescribedBlock[] =>
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

function* blockLines(dataset: BpDataset): Generator<string> {
  for (const variable of dataset.file.variables) {
    yield `${fullName(variable)}:`;
    for (const { step, start, count, subfile, offset, min, max } of blocksOf(variable)) {
      const place = start.map((from, d) => `${from}:${from + (count[d] as number)}`).join(", ");
      const file = subfile === null ? "" : `subfile ${subfile}, `;
      const range = min === null ? "" : `  ${shortText(min)} … ${shortText(max)}`;
      yield `  step ${step}  [${place}]  ${file}byte ${offset}${range}`;
    }
  }
}
