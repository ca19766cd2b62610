/** Input of a step: files, folders or memory, and their contents. */
import { assert } from "../../../base/assert.ts";
import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { UsageError } from "../../../base/errors.ts";
import { naturalOrder } from "../../../base/order.ts";
import {
  type ArraySpec,
  type DatasetPlan,
  parseArray,
  planArrays,
  type Source,
} from "../plan/dataset-plan.ts";
import { planDescription } from "../plan/description.ts";
import { planRaw } from "../plan/raw-sources.ts";
import { stampOf } from "../stage/file-stamp.ts";
import type { SourceData } from "../stage/stage.ts";

export interface StepInput {
  readonly plan: DatasetPlan;
  /** Sources of 0 bytes that would otherwise be variables. */
  readonly empty?: readonly string[];
  data(index: number): SourceData;
}

/** A file, a folder with one file per rank, or bytes. */
export type StepSource = string | Uint8Array;

export interface StepDescription {
  /**
   * `name:type:dims` of the contents of every source; the sources are joined along the first dimension. Without it each source
   * is a byte variable: named after its file, or `source0`, `source1` and so on for data in memory.
   */
  readonly arrays?: readonly (string | ArraySpec)[] | undefined;
  /** A JSON file with a full decomposition; then there are no other sources. */
  readonly layout?: string | undefined;
}

export function stepInput(
  sources: readonly StepSource[],
  { arrays = [], layout }: StepDescription = {},
): StepInput {
  if (layout !== undefined) return fromLayout(layout, sources.length, arrays.length);
  const found = sources.flatMap((source, i) => expand(source, i));
  if (found.length === 0) throw new UsageError("no sources: name the files to write");
  const specs = arrays.map((one) => (typeof one === "string" ? parseArray(one) : one));
  const plan = specs.length === 0 ? planRaw(found) : planArrays(specs, found);
  if (plan.sources.every(({ bytes }) => bytes === 0))
    throw new UsageError("the sources have 0 bytes: nothing to write");
  const empty = specs.length > 0 ? [] : found.filter(({ bytes }) => bytes === 0).map(({ path }) => path);
  return { plan, empty, data: (index) => dataOf(found[index]) };
}

interface Found extends Source {
  readonly data: SourceData;
}

function dataOf(found: Found | undefined): SourceData {
  assert(found !== undefined, "every source of a plan was found");
  return found.data;
}

function fromLayout(layout: string, sources: number, arrays: number): StepInput {
  if (sources > 0 || arrays > 0)
    throw new UsageError(`--layout ${layout} already names sources and arrays; omit them`);
  const found = new Map<string, Found>();
  const plan = planDescription(readFileSync(layout, "utf8"), layout, (path) => {
    const file = fileAt(resolve(dirname(layout), path));
    found.set(file.path, file);
    return file;
  });
  return { plan, data: (index) => dataOf(found.get(plan.sources[index]?.path ?? "")) };
}

function expand(source: StepSource, index: number): Found[] {
  if (typeof source !== "string")
    return [
      {
        path: `source ${index} in memory`,
        name: `source${index}`,
        bytes: source.byteLength,
        data: { kind: "memory", data: source },
      },
    ];
  const path = resolve(source);
  if (!statSync(path).isDirectory()) return [fileAt(path)];
  const names = readdirSync(path, { withFileTypes: true })
    .filter((entry) => !entry.isDirectory() && !entry.name.startsWith("."))
    .map(({ name }) => name);
  if (names.length === 0) throw new UsageError(`${source}: the folder has no files`);
  // rank2 comes before rank10.
  const byNumber = naturalOrder();
  return names.sort((a, b) => byNumber(a, b) || (a < b ? -1 : 1)).map((name) => fileAt(join(path, name)));
}

function fileAt(path: string): Found {
  const stat = statSync(path, { bigint: true });
  if (!stat.isFile()) throw new UsageError(`${path}: not a file; sources are files, or folders of files`);
  const stamp = stampOf(stat);
  return { path, bytes: stamp.bytes, data: { kind: "file", stamp } };
}
