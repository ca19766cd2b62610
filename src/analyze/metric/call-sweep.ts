/**
 * T and concurrency of all accesses, T of groups, and the picture: one pass in order of time, over all of it or over slices
 * that threads share. Everything in it is a sum of times, so slices add up.
 */
import { assert } from "../../base/assert.ts";
import { AccessBatches } from "./access-batches.ts";
import type { StoredRuns } from "./access-runs.ts";
import type { BatchListener } from "./call-times.ts";
import { GroupUnions } from "./group-unions.ts";
import { ALL_TIME, type LevelTimes, type Slice } from "./level-times.ts";
import { type GridData, type GridPlan, joinGrids, PictureGrid, STRETCHES_MAX } from "./picture-grid.ts";
import { LevelSweep } from "./sweep.ts";
import type { TimeColumns } from "./time-columns.ts";

/** What is asked for beside T and concurrency of all: plain data. */
interface CallSweepPlan {
  /** Group of each tally, and how many groups there are. */
  readonly groupings: readonly { readonly groupOf: Uint32Array; readonly groups: number }[];
  readonly picture?: GridPlan;
}

export interface CallSweepInput {
  readonly runs: StoredRuns;
  /** What to add to the times of each source to get to the axis that begins with the first start. */
  readonly shift: Float64Array;
  readonly plan: CallSweepPlan;
}

export interface CallSweepResult extends LevelTimes {
  /** T of each group, for each grouping of the plan. */
  readonly groupNs: readonly Float64Array[];
  readonly picture?: GridData;
}

export interface CallSliceResult extends CallSweepResult {
  /** Whether an access is under way right after its begin, and right before its end. */
  readonly beginsBusy: boolean;
  readonly endsBusy: boolean;
}

/** Others whose columns are to be filled or who want to hear of accesses, with their bytes; only of all time. */
interface MoreListeners {
  readonly columns: readonly TimeColumns[];
  readonly accesses: readonly BatchListener[];
}

export function sweepCalls(
  { runs, shift, plan }: CallSweepInput,
  slice: Slice = ALL_TIME,
  more: MoreListeners = { columns: [], accesses: [] },
): CallSliceResult {
  const grid = plan.picture === undefined ? undefined : new PictureGrid(plan.picture);
  const unions = plan.groupings.map(({ groupOf, groups }) =>
    // A group of all accesses has the T of all, which the sweep finds anyhow.
    groups === 1 ? undefined : new GroupUnions(groupOf, groups),
  );
  const sweep =
    grid === undefined
      ? new LevelSweep(more.columns)
      : new LevelSweep([...more.columns, grid.columns], STRETCHES_MAX);
  sweep.beginAt(slice.fromNs, 0);
  const batches = new AccessBatches(runs, shift, slice, {
    owners: grid !== undefined || unions.some((union) => union !== undefined),
    bytes: more.accesses.length > 0,
  });
  while (batches.next()) {
    sweep.add(batches.start, batches.starts, batches.sortedEnds, batches.ends);
    for (const union of unions) union?.batch(batches);
    grid?.batch(batches);
    for (const listener of more.accesses) listener.batch(batches);
  }
  assert(sweep.open === 0, `${sweep.open} accesses never ended`);
  if (slice.toNs < Number.POSITIVE_INFINITY) sweep.endAt(slice.toNs);
  sweep.close();
  const busyNs = sweep.busyNs;
  return {
    ...{ levelNs: sweep.levelNs, stretches: sweep.stretches },
    ...{ beginsBusy: sweep.beganBusy, endsBusy: sweep.busy },
    groupNs: unions.map((union) => union?.times() ?? Float64Array.of(busyNs)),
    ...(grid === undefined ? {} : { picture: grid.data(sweep.spans) }),
  };
}

/** Slices one after the other, from the first to the last. */
export function joinCallSlices(slices: readonly CallSliceResult[]): CallSweepResult {
  const levelNs = new Float64Array(slices.reduce((most, one) => Math.max(most, one.levelNs.length), 0));
  let stretches = 0;
  slices.forEach((slice, at) => {
    slice.levelNs.forEach((ns, level) => {
      levelNs[level]! += ns;
    });
    stretches += slice.stretches;
    if (slice.beginsBusy && slices[at - 1]?.endsBusy) stretches--;
  });
  const grids = slices.flatMap(({ picture }) => picture ?? []);
  return {
    levelNs,
    stretches,
    groupNs: (slices[0]?.groupNs ?? []).map((first, at) =>
      first.map((_, group) => slices.reduce((sum, { groupNs }) => sum + (groupNs[at]?.[group] as number), 0)),
    ),
    ...(grids.length === 0 ? {} : { picture: joinGrids(grids) }),
  };
}
