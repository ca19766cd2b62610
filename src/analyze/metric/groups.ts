/** Accesses by process, file, program, host, input or direction. */
import type { Collection } from "./collector.ts";
import { processName } from "./entities.ts";
import type { GroupRow, Grouping, GroupTable } from "./metrics.ts";
import type { MovedRule } from "./moved.ts";
import { type Classes, sumsOf, valuesOf } from "./sums.ts";

const NOT_RECORDED = "(not recorded)";

/** Key and name of what a tally belongs to. Keys that are equal are one group. */
function keyOf(by: Grouping, { tallies, entities, inputs }: Collection): (tally: number) => string {
  const processOf = (at: number) => entities.processes[tallies.process[at] as number];
  switch (by) {
    case "process":
      return (at) => String(tallies.process[at]);
    case "file":
      // Accesses without a file name are one group, whatever their input.
      return (at) => entities.files[tallies.file[at] as number]?.path || NOT_RECORDED;
    case "program":
      return (at) => processOf(at)?.program || NOT_RECORDED;
    case "host":
      return (at) => processOf(at)?.host || NOT_RECORDED;
    case "input":
      return (at) => inputs[processOf(at)?.input ?? -1] ?? NOT_RECORDED;
    case "direction":
      return (at) => (tallies.isWrite(at) ? "write" : "read");
  }
}

export function classesBy(by: Grouping, collection: Collection): Classes {
  const { size } = collection.tallies;
  const key = keyOf(by, collection);
  const numbers = new Map<string, number>();
  const groupOf = new Uint32Array(size);
  for (let at = 0; at < size; at++) {
    const own = key(at);
    let group = numbers.get(own);
    if (group === undefined) numbers.set(own, (group = numbers.size));
    groupOf[at] = group;
  }
  return { groupOf, names: [...numbers.keys()] };
}

export const overallClass = ({ tallies }: Collection): Classes => ({
  groupOf: new Uint32Array(tallies.size),
  names: ["all"],
});

/** By the number of the input, those without accesses included. */
export function inputClasses({ tallies, entities, inputs }: Collection): Classes {
  const groupOf = new Uint32Array(tallies.size);
  for (let at = 0; at < tallies.size; at++)
    groupOf[at] = entities.processes[tallies.process[at] as number]?.input ?? 0;
  return { groupOf, names: inputs };
}

export function groupTables(
  collection: Collection,
  classes: readonly Classes[],
  /** T of each group, for each grouping. */
  groupNs: readonly Float64Array[],
  rule: MovedRule,
): GroupTable[] {
  const { options, entities } = collection;
  return options.by.map((by, index): GroupTable => {
    const own = classes[index] as Classes;
    const all = sumsOf(collection, own, rule)
      .map((sums, group) => ({ sums, group }))
      .filter(({ sums }) => sums.accesses > 0 || sums.moved > 0n);
    all.sort((a, b) =>
      a.sums.bytes === b.sums.bytes ? a.group - b.group : a.sums.bytes < b.sums.bytes ? 1 : -1,
    );
    const rows = all.slice(0, options.top).map(({ sums, group }): GroupRow => {
      const ioTimeNs = groupNs[index]?.[group] as number;
      const key = own.names[group] as string;
      const process = by === "process" ? entities.processes[Number(key)] : undefined;
      return {
        name: process === undefined ? key : processName(process),
        ...(process === undefined ? {} : { process }),
        ...valuesOf(sums, ioTimeNs, options, rule.known),
      };
    });
    return { by, rows, total: all.length };
  });
}
