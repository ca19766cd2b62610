/**
 * A full decomposition, from a small JSON file:
 *
 *   { "variables": [{ "name": "t", "type": "float64", "shape": [64, 64] }],
 *     "sources": [{ "path": "rank0.bin", "blocks": [{ "variable": "t", "start": [0, 0], "count": [32, 64] }] }] }
 *
 * A source holds its blocks one after another. Every element of every variable must be in exactly one block.
 */
import { UsageError } from "../../../base/errors.ts";
import { type BpDimension, type BpType, bpTypeOfName, type SourceSlab } from "../../../formats/bp/index.ts";
import {
  type DatasetPlan,
  type PlannedVariable,
  refuseTwice,
  type Source,
  splitName,
} from "./dataset-plan.ts";

type Json = unknown;

/** `measure` returns the bytes of a source by its path as written. */
export function planDescription(text: string, name: string, measure: (path: string) => Source): DatasetPlan {
  const wrong = (detail: string): never => {
    throw new UsageError(`${name}: ${detail}`);
  };
  const root = parse(text, wrong);
  const variables = list(root, "variables", wrong).map((one, i) => variableOf(one, i, wrong));
  refuseTwice(variables.map(({ full }) => full));
  const sources = list(root, "sources", wrong).map((one, i) => {
    const path = (one as { path?: Json }).path;
    if (typeof path !== "string") return wrong(`source ${i} has no path`);
    const source = measure(path);
    const slabs = slabsOf(list(one, "blocks", wrong, `source ${i} (${path})`), variables, `${name}: ${path}`);
    const bytes = slabs.reduce((sum, slab) => sum + slab.bytes, 0);
    if (bytes !== source.bytes) wrong(`${path} has ${source.bytes} bytes, its blocks take ${bytes}`);
    return { ...source, slabs };
  });
  variables.forEach(({ full, shape }, v) => {
    const boxes = sources.flatMap(({ slabs }) =>
      slabs.filter(({ variable }) => variable === v).map(({ dimensions }) => dimensions),
    );
    checkCover(full, shape, boxes, wrong);
  });
  return { variables: variables.map(({ full: _, ...one }) => one), sources };
}

type Wrong = (detail: string) => never;
type Named = PlannedVariable & { readonly full: string };

function parse(text: string, wrong: Wrong): Json {
  try {
    return JSON.parse(text);
  } catch (error) {
    return wrong(`not JSON: ${(error as Error).message}`);
  }
}

function list(of: Json, key: string, wrong: Wrong, where = "it"): Json[] {
  const value = (of as Record<string, Json> | null)?.[key];
  if (!Array.isArray(value) || value.length === 0)
    return wrong(`${where} has no list "${key}", or an empty one`);
  return value;
}

function sizes(value: Json, atLeast: number): readonly number[] | undefined {
  const fine = Array.isArray(value) && value.every((one) => Number.isSafeInteger(one) && one >= atLeast);
  return fine && value.length > 0 ? (value as number[]) : undefined;
}

function variableOf(value: Json, i: number, wrong: Wrong): Named {
  const { name, type: typeName, shape } = value as Record<string, Json>;
  if (typeof name !== "string" || name === "") return wrong(`variable ${i} has no name`);
  const type = typeof typeName === "string" ? bpTypeOfName(typeName) : undefined;
  if (type === undefined || type.size === 0)
    return wrong(`variable "${name}" has no known type (${typeName})`);
  const dims = sizes(shape, 1);
  if (dims === undefined) return wrong(`variable "${name}" has no shape: a list of sizes from 1`);
  return { full: name, ...splitName(name), type: type as BpType, shape: dims };
}

function slabsOf(blocks: readonly Json[], variables: readonly Named[], where: string): SourceSlab[] {
  let at = 0;
  return blocks.map((value, i) => {
    const { variable: full, start, count } = value as Record<string, Json>;
    const v = variables.findIndex((one) => one.full === full);
    const { shape, type } = variables[v] ?? { shape: [], type: undefined };
    const [low, many] = [sizes(start, 0), sizes(count, 1)];
    const fits =
      low?.length === shape.length &&
      many?.length === shape.length &&
      shape.every((size, d) => (low?.[d] as number) + (many?.[d] as number) <= size);
    if (type === undefined || !fits) {
      throw new UsageError(
        type === undefined
          ? `${where}: block ${i} is of "${full}", which is not among the variables`
          : `${where}: block ${i} needs a start and a count inside ${shape.join(" × ")}`,
      );
    }
    const dimensions = shape.map(
      (global, d): BpDimension => ({ local: many?.[d] as number, global, offset: low?.[d] as number }),
    );
    const bytes = dimensions.reduce((product, { local }) => product * local, type.size);
    const slab = { variable: v, size: type.size, dimensions, at, bytes };
    at += bytes;
    return slab;
  });
}

/**
 * Exactly once: the boxes hold as many elements as the array, and no two overlap. Boxes are swept along the first dimension, so
 * only those that overlap there are compared.
 */
function checkCover(
  name: string,
  shape: readonly number[],
  boxes: readonly (readonly BpDimension[])[],
  wrong: Wrong,
): void {
  const elements = (box: readonly BpDimension[]) => box.reduce((product, { local }) => product * local, 1);
  const sorted = boxes.toSorted((a, b) => (a[0]?.offset as number) - (b[0]?.offset as number));
  let active: (readonly BpDimension[])[] = [];
  for (const box of sorted) {
    const from = box[0]?.offset as number;
    active = active.filter(([first]) => (first as BpDimension).offset + (first as BpDimension).local > from);
    const met = active.find((other) => meets(box, other));
    if (met !== undefined) wrong(`two blocks of "${name}" overlap: ${placeOf(met)} and ${placeOf(box)}`);
    active.push(box);
  }
  const covered = boxes.reduce((sum, box) => sum + elements(box), 0);
  const total = shape.reduce((product, size) => product * size, 1);
  if (covered !== total) wrong(`the blocks of "${name}" hold ${covered} of its ${total} elements`);
}

const meets = (a: readonly BpDimension[], b: readonly BpDimension[]): boolean =>
  a.every((one, d) => {
    const other = b[d] as BpDimension;
    return one.offset < other.offset + other.local && other.offset < one.offset + one.local;
  });

const placeOf = (box: readonly BpDimension[]): string =>
  `[${box.map(({ offset, local }) => `${offset}:${offset + local}`).join(", ")}]`;
