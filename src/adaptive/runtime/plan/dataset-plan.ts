/** Plan of a dataset: its variables, and the boxes of each source. */
import { assert } from "../../../base/assert.ts";
import { UsageError } from "../../../base/errors.ts";
import { type BpType, bpTypeOfName, BP_TYPES, type SourceSlab } from "../../../formats/bp/index.ts";

export interface PlannedVariable {
  readonly name: string;
  /** Part of the full name before the last slash. */
  readonly path: string;
  readonly type: BpType;
  /** Of the global array. */
  readonly shape: readonly number[];
}

export interface Source {
  readonly path: string;
  readonly bytes: number;
  /** Name of its own variable, if the path does not give it. */
  readonly name?: string;
}

interface PlannedSource extends Source {
  /** Consecutive boxes that cover all its bytes. */
  readonly slabs: readonly SourceSlab[];
}

export interface DatasetPlan {
  readonly variables: readonly PlannedVariable[];
  readonly sources: readonly PlannedSource[];
}

/** `name:type:dims`: the part of one variable in every source. */
export interface ArraySpec {
  readonly name: string;
  readonly type: BpType;
  /** The first may be NaN: computed from the size of the source. */
  readonly dimensions: readonly number[];
}

const NUMERIC = BP_TYPES.filter(({ size }) => size > 0).map(({ name }) => name);

export function parseArray(text: string): ArraySpec {
  const match = /^(.+):([^:]+):([^:]+)$/.exec(text);
  const problem = (detail: string) =>
    new UsageError(`--array ${text}: ${detail}; expected name:type:dims such as temperature:float64:128,64`);
  if (match === null) throw problem("not three parts");
  const [, name = "", typeName = "", dims = ""] = match;
  const type = bpTypeOfName(typeName);
  if (type === undefined || type.size === 0) {
    throw problem(`the type ${typeName} is not one of ${NUMERIC.join(", ")}`);
  }
  const dimensions = dims.split(",").map((part, d) => {
    if (d === 0 && part.trim() === "*") return Number.NaN;
    const size = /^\s*\d+\s*$/.test(part) ? Number(part) : 0;
    if (!Number.isSafeInteger(size) || size < 1) throw problem(`dimension ${d} is "${part}"`);
    return size;
  });
  return { name, type, dimensions };
}

/** The sources joined along the first dimension of each variable, in the order given. */
export function planArrays(arrays: readonly ArraySpec[], sources: readonly Source[]): DatasetPlan {
  const open = arrays.filter(({ dimensions }) => Number.isNaN(dimensions[0]));
  if (open.length > 1) throw new UsageError("only one --array may have * as its first dimension");
  refuseTwice(arrays.map(({ name }) => name));
  const rows = sources.map((source) => arrays.map((_, v) => rowsOf(arrays, v, source)));
  const firsts = arrays.map(() => 0);
  const globals = arrays.map((_, v) => rows.reduce((sum, one) => sum + (one[v] as number), 0));
  const planned = sources.map((source, s): PlannedSource => {
    let at = 0;
    const slabs = arrays.map(({ type, dimensions }, v): SourceSlab => {
      const local = rows[s]?.[v] as number;
      const offset = firsts[v] as number;
      firsts[v] = offset + local;
      const inner = dimensions.slice(1);
      const bytes = inner.reduce((product, size) => product * size, local * type.size);
      const slab = {
        variable: v,
        size: type.size,
        dimensions: [
          { local, global: globals[v] as number, offset },
          ...inner.map((size) => ({ local: size, global: size, offset: 0 })),
        ],
        at,
        bytes,
      };
      at += bytes;
      return slab;
    });
    assert(at === source.bytes, "the boxes of a source are all its bytes");
    return { ...source, slabs: slabs.filter(({ bytes }) => bytes > 0) };
  });
  assert(
    firsts.every((rows, v) => rows === globals[v]),
    "the sources hold every row once",
  );
  const variables = arrays.map(
    ({ name, type, dimensions }, v): PlannedVariable => ({
      ...splitName(name),
      type,
      shape: [globals[v] as number, ...dimensions.slice(1)],
    }),
  );
  return { variables, sources: planned };
}

export function splitName(full: string): { name: string; path: string } {
  const slash = full.lastIndexOf("/");
  return { name: full.slice(slash + 1), path: full.slice(0, Math.max(0, slash)) };
}

export function refuseTwice(names: readonly string[]): void {
  const twice = names.find((name, i) => names.indexOf(name) < i);
  if (twice !== undefined) throw new UsageError(`the variable "${twice}" is described twice`);
}

/** Rows of variable v in a source. */
function rowsOf(arrays: readonly ArraySpec[], v: number, source: Source): number {
  const rowBytes = ({ type, dimensions }: ArraySpec) =>
    dimensions.slice(1).reduce((product, size) => product * size, type.size);
  const fixed = arrays
    .filter(({ dimensions }) => !Number.isNaN(dimensions[0]))
    .reduce((sum, one) => sum + rowBytes(one) * (one.dimensions[0] as number), 0);
  const array = arrays[v] as ArraySpec;
  const hasOpen = arrays.some(({ dimensions }) => Number.isNaN(dimensions[0]));
  if (!hasOpen && fixed !== source.bytes) {
    throw new UsageError(
      `${source.path}: ${source.bytes} bytes, but --array describes ${fixed}; check types and dimensions`,
    );
  }
  const [first] = array.dimensions as [number];
  if (!Number.isNaN(first)) return first;
  const rows = (source.bytes - fixed) / rowBytes(array);
  if (!Number.isInteger(rows) || rows < 0) {
    throw new UsageError(
      `${source.path}: ${source.bytes} bytes are not a multiple of ${rowBytes(array)} bytes, a row of "${array.name}"`,
    );
  }
  return rows;
}
