/** Sources without a description: each becomes a byte variable, named after its file. */
import { UsageError } from "../../../base/errors.ts";
import { type BpType, bpTypeOfName } from "../../../formats/bp/index.ts";
import { type DatasetPlan, type PlannedVariable, type Source, splitName } from "./dataset-plan.ts";

const BYTES = bpTypeOfName("uint8") as BpType;
const JOIN = "--array data:uint8:* joins all sources into one variable";

/** A source of 0 bytes gets no variable: BP has no array without elements. */
export function planRaw(sources: readonly Source[]): DatasetPlan {
  const names = variableNames(sources);
  const variables: PlannedVariable[] = [];
  const planned = sources.map((source, i) => {
    const { bytes } = source;
    if (bytes === 0) return { ...source, slabs: [] };
    const dimensions = [{ local: bytes, global: bytes, offset: 0 }];
    const slab = { variable: variables.length, size: 1, dimensions, at: 0, bytes };
    variables.push({ ...splitName(names[i] as string), type: BYTES, shape: [bytes] });
    return { ...source, slabs: [slab] };
  });
  return { variables, sources: planned };
}

/**
 * The file name of each source, with as many parent folders as needed to be unique: run1/out and run2/out. Names do not depend
 * on the location of the folders, so the same files of a later step are steps of the same variables.
 */
function variableNames(sources: readonly Source[]): string[] {
  const parts = sources.map(({ path, name }) =>
    name === undefined ? path.split("/").filter((part) => part !== "") : [name],
  );
  const depths = parts.map(() => 1);
  for (;;) {
    const names = parts.map((own, i) => own.slice(-(depths[i] as number)).join("/"));
    const clashing = clashes(names);
    if (clashing.length === 0) {
      for (const name of names) refuseControls(name);
      return names;
    }
    const longer = clashing.filter((i) => (depths[i] as number) < (parts[i] as string[]).length);
    if (longer.length === 0) throw namedTwice(sources[clashing[0] as number] as Source);
    for (const i of longer) depths[i] = (depths[i] as number) + 1;
  }
}

/** Indices of duplicate names. */
function clashes(names: readonly string[]): number[] {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return names.flatMap((name, i) => ((counts.get(name) as number) > 1 ? [i] : []));
}

const namedTwice = ({ path }: Source) =>
  new UsageError(`${path} is given twice, but each source becomes a separate variable; ${JOIN}`);

function refuseControls(name: string): void {
  if (/[\u0000-\u001f\u007f]/.test(name))
    throw new UsageError(
      `source ${JSON.stringify(name)}: a variable cannot have control characters in its name; rename the file, or ${JOIN}`,
    );
}
