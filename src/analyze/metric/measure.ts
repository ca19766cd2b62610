/** From a collection to its metrics: one pass over all accesses in order of time, then the sums. */
import { assert } from "../../base/assert.ts";
import { AccessRuns } from "./access-runs.ts";
import { wholeBlocks } from "./block-kernel.ts";
import { type BatchListener, sweepRuns } from "./call-times.ts";
import type { Collection } from "./collector.ts";
import { GroupUnions } from "./group-unions.ts";
import { type Classes, classesBy, groupTables, inputClasses, overallClass } from "./groups.ts";
import { type InputSummary, METRIC_DEFINITIONS, type Metrics } from "./metrics.ts";
import { ALL_TIME, busyNsOf, concurrencyOf, type LevelTimes, sweepSlice } from "./level-times.ts";
import { movedRule } from "./moved.ts";
import { notesOf } from "./notes.ts";
import { outliersByFile } from "./outliers.ts";
import { PictureBuilder } from "./picture.ts";
import { lanesOf } from "./lanes.ts";
import { sumsOf, valuesOf } from "./sums.ts";
import { LevelSweep } from "./sweep.ts";
import { Windows } from "./windows.ts";

/** `swept` is what is known already of the time at each level. */
export function measure(collection: Collection, swept?: LevelTimes): Metrics {
  const { options, clocks, counts, tallies, entities } = collection;
  const { shift, lastStartNs, lastEndNs, origin } = clocks.axis();
  const rule = movedRule(collection);
  const classes = options.by.map((by) => classesBy(by, collection));
  const { levels, unions, windows, picture } = pass(
    collection,
    classes,
    { shift, lastStartNs, lastEndNs },
    swept,
  );
  const [all] = sumsOf(collection, overallClass(collection), rule);
  assert(all !== undefined, "a collection has sums");
  assert(all.accesses === counts.accesses, `${all.accesses} accesses in tallies, ${counts.accesses} taken`);
  const ioTimeNs = busyNsOf(levels);
  return {
    ...valuesOf(all, ioTimeNs, options, rule.known),
    nestedAccesses: counts.nested,
    failedAccesses: counts.failed,
    spanSeconds: lastEndNs / 1e9,
    idleSeconds: (lastEndNs - ioTimeNs) / 1e9,
    stretches: levels.stretches,
    concurrency: concurrencyOf(levels),
    outliers: outliersByFile(collection, shift),
    dropped: droppedOf(collection),
    filtered: {
      nonFile: counts.nonFile,
      direction: counts.direction,
      file: counts.file,
      time: counts.time,
    },
    clock: { kind: clocks.kind, origin, uncertaintyNs: clocks.uncertaintyNs },
    inputs: inputsOf(collection),
    processes: countUsed(tallies.process, tallies, entities.processes.length),
    files: countUsed(tallies.file, tallies, entities.files.length),
    groups: groupTables(collection, classes, unions, rule),
    windows: windows?.table(options.blockBytes, options.ceilPerAccess) ?? null,
    picture: picture?.picture() ?? null,
    notes: notesOf(collection, rule),
    definitions: METRIC_DEFINITIONS,
    options,
  };
}

interface Axis {
  readonly shift: Float64Array;
  readonly lastStartNs: number;
  readonly lastEndNs: number;
}

function pass(
  collection: Collection,
  classes: readonly Classes[],
  axis: Axis,
  swept: LevelTimes | undefined,
) {
  const { options, runs, counts, tallies } = collection;
  if (!(runs instanceof AccessRuns)) {
    const { starts, ends } = runs;
    const levels = swept ?? sweepSlice({ starts, ends, shift: axis.shift }, ALL_TIME);
    return { levels, unions: [], windows: undefined, picture: undefined };
  }
  const { everyNs, blockBytes, ceilPerAccess } = options;
  const empty = counts.accesses === 0;
  const windows =
    everyNs === undefined || empty ? undefined : new Windows(everyNs, axis.lastStartNs, axis.lastEndNs);
  const picture =
    options.picture === true && !empty ? new PictureBuilder(lanesOf(collection, axis.lastEndNs)) : undefined;
  // A group of all accesses has the T of all, which the sweep finds anyhow.
  const unions = classes.map(({ groupOf, names }) =>
    names.length === 1 ? undefined : new GroupUnions(groupOf, names.length),
  );
  const listeners = [windows?.columns, picture].filter((one) => one !== undefined);
  const sweep = new LevelSweep(listeners);
  const levels: BatchListener = {
    batch: ({ start, starts, sortedEnds, ends }) => sweep.add(start, starts, sortedEnds, ends),
  };
  const inWindows = (one: Windows): BatchListener => ({
    batch({ start, end, tally, bytes, starts }) {
      for (let i = 0; i < starts; i++) {
        const size = bytes[i] as number;
        const blocks = ceilPerAccess ? wholeBlocks(size, blockBytes) : 0;
        one.add(start[i] as number, end[i] as number, size, blocks, tallies.isWrite(tally[i] as number));
      }
    },
  });
  sweepRuns(runs, axis.shift, [
    ...[levels, ...unions.filter((one) => one !== undefined)],
    ...(windows === undefined ? [] : [inWindows(windows)]),
    ...(picture === undefined ? [] : [picture]),
  ]);
  assert(sweep.open === 0, `${sweep.open} accesses never ended`);
  const whole = { ioTimeNs: () => busyNsOf(sweep) };
  return { levels: sweep, unions: unions.map((one) => one ?? whole), windows, picture };
}

function droppedOf({ counts, notes }: Collection) {
  const { endBeforeStart, timeUnknown, sizeNegative, sizeUnknown } = counts;
  const notRecorded = notes.reduce((sum, { id, count }) => (id === "dropped" ? sum + count : sum), 0);
  const total = endBeforeStart + timeUnknown + sizeNegative + sizeUnknown;
  return { total, endBeforeStart, timeUnknown, sizeNegative, sizeUnknown, notRecorded };
}

function inputsOf(collection: Collection): InputSummary[] {
  const { inputs, clocks } = collection;
  const sums = sumsOf(collection, inputClasses(collection), undefined);
  return inputs.map((name, at) => ({
    name,
    accesses: sums[at]?.accesses ?? 0,
    bytes: sums[at]?.bytes ?? 0n,
    clock: clocks.sources.find((source) => source.input === at)?.clock?.kind ?? "none",
  }));
}

/** How many different values tallies with accesses have. */
function countUsed(column: Uint32Array, tallies: Collection["tallies"], count: number): number {
  const used = new Uint8Array(count);
  for (let at = 0; at < tallies.size; at++)
    if ((tallies.accesses[at] as number) > 0) used[column[at] as number] = 1;
  return used.reduce((sum, one) => sum + one, 0);
}
