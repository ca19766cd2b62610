/** Computes the metrics of a collection: one pass over all accesses in order of time, then the sums. */
import { assert } from "../../base/assert.ts";
import { wholeBlocks } from "./block-kernel.ts";
import { type CallSweepInput, type CallSweepResult, sweepCalls } from "./call-sweep.ts";
import type { BatchListener } from "./call-times.ts";
import type { Collection } from "./collector.ts";
import { classesBy, groupTables, inputClasses, overallClass } from "./groups.ts";
import { type InputSummary, METRIC_DEFINITIONS, type Metrics } from "./metrics.ts";
import { ALL_TIME, concurrencyOf } from "./level-times.ts";
import { movedRule } from "./moved.ts";
import { notesOf } from "./notes.ts";
import { outliersByFile } from "./outliers.ts";
import { type PicturePlan, pictureOf, PictureSpans } from "./picture.ts";
import { lanesOf } from "./lanes.ts";
import { sumsOf, valuesOf } from "./sums.ts";
import { busyNsOf } from "./sweep.ts";
import { Windows } from "./windows.ts";

/** `known`: results of the pass already computed by threads. */
export function measure(collection: Collection, known?: CallSweepResult): Metrics {
  const { options, clocks, counts, tallies, entities } = collection;
  const { shift, lastStartNs, lastEndNs, origin } = clocks.axis();
  const rule = movedRule(collection);
  const classes = options.by.map((by) => classesBy(by, collection));
  const { swept, windows, picture } = pass(collection, { shift, lastStartNs, lastEndNs }, known);
  const [all] = sumsOf(collection, overallClass(collection), rule);
  assert(all !== undefined, "a collection has sums");
  assert(all.accesses === counts.accesses, `${all.accesses} accesses in tallies, ${counts.accesses} taken`);
  const ioTimeNs = busyNsOf(swept.levelNs);
  return {
    ...valuesOf(all, ioTimeNs, options, rule.known),
    nestedAccesses: counts.nested,
    failedAccesses: counts.failed,
    spanSeconds: lastEndNs / 1e9,
    idleSeconds: (lastEndNs - ioTimeNs) / 1e9,
    stretches: swept.stretches,
    concurrency: concurrencyOf(swept),
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
    groups: groupTables(collection, classes, swept.groupNs, rule),
    windows: windows?.table(options.blockBytes, options.ceilPerAccess) ?? null,
    picture: picture ?? null,
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

/** Plan of the pass over the accesses. */
export function sweepInputOf(collection: Collection, { shift, lastEndNs }: Axis): CallSweepInput {
  const { options, runs } = collection;
  const groupings = options.by.map((by) => {
    const { groupOf, names } = classesBy(by, collection);
    return { groupOf, groups: names.length };
  });
  const picture = picturePlanOf(collection, lastEndNs);
  if (picture === undefined) return { runs: runs.stored(), shift, plan: { groupings } };
  const { lanes, laneOf, writes } = picture;
  const grid = { lanes: lanes.length, laneOf, writes, lastEndNs };
  return { runs: runs.stored(), shift, plan: { groupings, picture: grid } };
}

function picturePlanOf(collection: Collection, lastEndNs: number): PicturePlan | undefined {
  const wanted = collection.options.picture === true && collection.counts.accesses > 0;
  return wanted ? lanesOf(collection, lastEndNs) : undefined;
}

function pass(collection: Collection, axis: Axis, swept: CallSweepResult | undefined) {
  const { options, counts } = collection;
  const windows =
    options.everyNs === undefined || counts.accesses === 0
      ? undefined
      : new Windows(options.everyNs, axis.lastStartNs, axis.lastEndNs);
  const plan = picturePlanOf(collection, axis.lastEndNs);
  const spans = PictureSpans.for(plan);
  const more = {
    columns: windows === undefined ? [] : [windows.columns],
    accesses: [
      ...(windows === undefined ? [] : [inWindows(windows, collection)]),
      ...(spans === undefined ? [] : [spans]),
    ],
  };
  const done = swept ?? sweepCalls(sweepInputOf(collection, axis), ALL_TIME, more);
  const picture =
    plan === undefined || done.picture === undefined ? undefined : pictureOf(plan, done.picture, spans);
  return { swept: done, windows, picture };
}

function inWindows(windows: Windows, { options, tallies }: Collection): BatchListener {
  const { ceilPerAccess, blockBytes } = options;
  return {
    batch({ start, end, tally, bytes, starts }) {
      for (let i = 0; i < starts; i++) {
        const size = bytes[i] as number;
        const blocks = ceilPerAccess ? wholeBlocks(size, blockBytes) : 0;
        windows.add(start[i] as number, end[i] as number, size, blocks, tallies.isWrite(tally[i] as number));
      }
    },
  };
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
