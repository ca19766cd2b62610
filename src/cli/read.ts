/** `plimsoll read`: values of a variable, or a part of it. */
import { UsageError } from "../base/errors.ts";
import {
  type BpBlock,
  type BpDataset,
  type BpElement,
  type BpVariable,
  elementJson,
  elementText,
  elementValues,
  fullName,
  selectionOf,
} from "../formats/bp/index.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";
import { chooseBlocks, withDataset } from "../inputs/dataset.ts";
import { option } from "./option.ts";

const JSON_ELEMENTS = 10_000_000;

export default defineCommand({
  name: "read",
  description:
    "Reads a variable or any part of it, whatever the number of processes that wrote it. Looks up the blocks in the global index, reads only those, and verifies their checksums. Prints one row of the fastest dimension per line; --raw writes the bytes to stdout in row-major order and native byte order.",
  arguments: [
    { name: "dataset", help: "the global file NAME.bp, or one BP file", kind: "file" },
    { name: "variable", help: "full name as printed by plimsoll ls", kind: "text" },
  ],
  options: {
    step: option.whole("output step, from 0 (default: the last)", { min: 0 }),
    start: option.text("I,J,…", "first element in each dimension (default: 0)"),
    count: option.text("N,M,…", "number of elements in each dimension (default: the rest)"),
    block: option.whole("read one block, by number from 0", { min: 0 }),
    where: option.text("CONDITION", "read only blocks whose min or max matches: max>300, min<=0"),
    raw: option.flag("write bytes instead of text"),
    check: option.flag("do not verify checksums", { default: true }),
  },
  examples: {
    "plimsoll read checkpoint.bp temperature --start 0,0 --count 2,8": "a corner of the array",
    "plimsoll read checkpoint.bp temperature --raw > t.f64": "the last step as raw bytes",
    "plimsoll read checkpoint.bp temperature --where 'max>1000'": "blocks with a hot spot",
  },
  async run({ arguments: [path = "", name = ""], options }, context) {
    if (options.raw && context.json) throw new UsageError("--raw and --json exclude each other");
    await withDataset(path, async (dataset) => {
      const variable = dataset.variable(name);
      const { step, block, where } = options;
      const unchecked = !options.check;
      if (where !== undefined || block !== undefined) {
        const { blocks } = dataset.step(variable, step);
        const chosen = chooseBlocks(variable, blocks, { where, block });
        await printBlocks(dataset, variable, chosen, { unchecked, raw: options.raw ?? false }, context);
        return;
      }
      const wanted = {
        unchecked,
        ...(step === undefined ? {} : { step }),
        ...numbers("start", options.start),
        ...numbers("count", options.count),
      };
      const { shape = [] } = dataset.step(variable, step);
      const { count } = shape.length === 0 ? { count: [] } : selectionOf(variable, shape, wanted);
      const pieces = dataset.read(variable, wanted);
      if (options.raw) {
        for (const piece of pieces) {
          context.out.write(piece);
          await context.yieldToEvents();
        }
      } else if (context.json) {
        context.printJson({
          variable: name,
          type: variable.type.name,
          ...wanted,
          count,
          values: jsonValues(pieces, variable, count),
        });
      } else await printRows(pieces, variable, count.at(-1) ?? 1, context);
    });
  },
});

function numbers(flag: "start" | "count", text: string | undefined): { [name in typeof flag]?: number[] } {
  if (text === undefined) return {};
  const parts = text.split(",").map((part) => (/^\s*\d+\s*$/.test(part) ? Number(part) : Number.NaN));
  if (parts.some((part) => !Number.isSafeInteger(part)))
    throw new UsageError(`--${flag} ${text}: expected comma-separated whole numbers, such as 0,128`);
  return { [flag]: parts };
}

async function printBlocks(
  dataset: BpDataset,
  variable: BpVariable,
  chosen: readonly (readonly [number, BpBlock])[],
  { unchecked, raw }: { unchecked: boolean; raw: boolean },
  context: Context,
): Promise<void> {
  const found: unknown[] = [];
  for (const [number, block] of chosen) {
    const pieces = dataset.readBlock(variable, block, unchecked);
    const start = block.dimensions.map(({ offset }) => offset);
    const count = block.dimensions.map(({ local }) => local);
    if (raw) for (const piece of pieces) context.out.write(piece);
    else if (context.json)
      found.push({ block: number, start, count, values: jsonValues(pieces, variable, count) });
    else {
      context.out.write(`# block ${number}, from ${start.join(",")}, ${count.join(" × ")}\n`);
      await printRows(pieces, variable, count.at(-1) ?? 1, context);
    }
    await context.yieldToEvents();
  }
  if (context.json)
    context.printJson({ variable: fullName(variable), type: variable.type.name, blocks: found });
  else if (chosen.length === 0) context.note("no block matches");
}

function jsonValues(pieces: Iterable<Uint8Array>, variable: BpVariable, count: readonly number[]): unknown[] {
  const total = count.reduce((product, many) => product * many, 1);
  if (total > JSON_ELEMENTS)
    throw new UsageError(`--json: ${total} values are too many for JSON; use --raw or a smaller --count`);
  const values: unknown[] = [];
  for (const piece of pieces)
    for (const value of elementValues(piece, variable.type)) values.push(elementJson(value));
  return values;
}

/** One row of the fastest dimension a line; a row may come in several pieces. */
async function printRows(
  pieces: Iterable<Uint8Array>,
  variable: BpVariable,
  width: number,
  context: Context,
): Promise<void> {
  let inRow = 0;
  for (const piece of pieces) {
    for (const value of elementValues(piece, variable.type) as Iterable<BpElement>) {
      context.out.write(inRow === 0 ? elementText(value) : ` ${elementText(value)}`);
      if (++inRow === width) {
        context.out.write("\n");
        inRow = 0;
      }
    }
    await context.yieldToEvents();
  }
  if (inRow > 0) context.out.write("\n");
}
