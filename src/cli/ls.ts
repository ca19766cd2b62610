/** `plimsoll ls`: what a dataset holds. */
import { textTable } from "../base/text-table.ts";
import { formatBytes, formatMany } from "../base/units.ts";
import {
  type BpDataset,
  describeBlocks,
  describeVariable,
  elementJson,
  elementText,
  firstElement,
  fullName,
  shortElement,
  type VariableSummary,
} from "../formats/bp/index.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";
import { withDataset } from "../inputs/dataset.ts";
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
  const variables = dataset.file.variables.map((one) => describeVariable(dataset, one));
  if (context.json) {
    context.printJson({
      dataset: wanted.path,
      version: dataset.file.version,
      checksums: dataset.hasChecksums,
      variables: variables.map((one) => ({
        ...one,
        min: elementJson(one.min),
        max: elementJson(one.max),
        blocks: wanted.blocks
          ? describeBlocks(dataset.variable(one.name)).map((block) => ({
              ...block,
              min: elementJson(block.min),
              max: elementJson(block.max),
            }))
          : one.blocks,
      })),
      attributes: dataset.file.attributes.map((one) => ({
        name: fullName(one),
        type: one.type.name,
        count: one.count,
        value: one.strings ?? (one.count <= 16 ? elementJson(firstElement(one.value, one.type)) : null),
      })),
    });
    return;
  }
  for (const line of lines(variables)) context.out.write(`${line}\n`);
  if (wanted.blocks) for (const line of blockLines(dataset)) context.out.write(`${line}\n`);
  if (wanted.attributes) {
    for (const one of dataset.file.attributes) {
      const value = one.strings?.join(", ") ?? elementText(firstElement(one.value, one.type));
      context.out.write(`${fullName(one)} = ${value}${one.count > 1 ? ` … (${one.count} values)` : ""}\n`);
    }
  }
}

function lines(variables: readonly VariableSummary[]): string[] {
  const rows = variables.map(({ type, name, shape, steps, blocks, bytes, min, max }) => [
    type,
    name,
    shape === null ? "local" : shape.length === 0 ? "scalar" : shape.join(" × "),
    formatMany(steps, "step"),
    formatMany(blocks, "block"),
    bytes === 0 ? "" : formatBytes(bytes),
    max === null ? shortElement(min) : `${shortElement(min)} … ${shortElement(max)}`,
  ]);
  return textTable(
    Array.from({ length: 7 }, () => ({})),
    rows,
  );
}

function* blockLines(dataset: BpDataset): Generator<string> {
  for (const variable of dataset.file.variables) {
    yield `${fullName(variable)}:`;
    for (const { step, start, count, subfile, offset, min, max } of describeBlocks(variable)) {
      const place = start.map((from, d) => `${from}:${from + (count[d] as number)}`).join(", ");
      const file = subfile === null ? "" : `subfile ${subfile}, `;
      const range = min === null ? "" : `  ${shortElement(min)} … ${shortElement(max)}`;
      yield `  step ${step}  [${place}]  ${file}byte ${offset}${range}`;
    }
  }
}
