/** Effect of a change: replays recorded runs as they were, and without a run or a target, on the same fitted storage. */
import { assert } from "../../../base/assert.ts";
import { UsageError } from "../../../base/errors.ts";
import { type FluidResult, replayRuns, type StorageFit, type TargetLoad } from "./fluid.ts";
import type { RecordedRun, Transfer } from "./recorded.ts";
import { recordedSeconds } from "./schedule.ts";

export interface RunChange {
  readonly id: string;
  readonly application: string;
  readonly start: number;
  readonly recordedSeconds: number;
  /** Replayed I/O time without and with the change. */
  readonly before: number;
  readonly after: number;
  /** Recorded time scaled by the replay. */
  readonly expected: number;
}

export interface TargetChange {
  readonly target: number;
  readonly bytesBefore: number;
  readonly bytesAfter: number;
  readonly busyBefore: number;
  readonly busyAfter: number;
  /** Mean number of concurrent transfers while busy. */
  readonly streamsBefore: number;
  readonly streamsAfter: number;
}

export interface Answer {
  /** Runs whose time changes by more than 0.1 %, largest change in seconds first. */
  readonly changed: readonly RunChange[];
  readonly unchanged: number;
  readonly targets: readonly TargetChange[];
  /** Recorded and replayed time of the removed run. */
  readonly removed: RunChange | undefined;
}

const CHANGE_LEAST = 1e-3;

/** Replay without one run. */
export function withoutRun(runs: readonly RecordedRun[], id: string, storage: StorageFit): Answer {
  const { plain, before, corrected } = replayed(runs, storage);
  const after = replayRuns(
    runs.filter((run) => run.id !== id),
    corrected,
  );
  assert(after.runs.length === before.runs.length - 1, "one run is removed");
  return compare(plain, before, after, id);
}

/** Rounds of correction, and the max total correction of one run. */
const ROUNDS = 3;
const CORRECTION_MOST = 4;

/**
 * Unchanged replays: one with fitted rates, and one with the rate of each run corrected by its recorded time, so that transfers
 * overlap as recorded when the change is applied.
 */
function replayed(runs: readonly RecordedRun[], storage: StorageFit) {
  const plain = replayRuns(runs, storage);
  const factors = new Map<string, number>();
  const corrected: StorageFit = {
    ...storage,
    limit: (run, transfer, at) => storage.limit(run, transfer, at) * (factors.get(run.id) ?? 1),
  };
  let before = plain;
  for (let round = 0; round < ROUNDS; round++) {
    for (const { run, read, write } of before.runs) {
      const factor = ((factors.get(run.id) ?? 1) * (read + write)) / recordedSeconds(run);
      factors.set(run.id, Math.min(CORRECTION_MOST, Math.max(1 / CORRECTION_MOST, factor)));
    }
    before = replayRuns(runs, corrected);
  }
  return { plain, before, corrected };
}

/** Replay without one target: its data moves to the other targets of each file, or to the least loaded target at that time. */
export function withoutTarget(runs: readonly RecordedRun[], target: number, storage: StorageFit): Answer {
  const { plain, before, corrected } = replayed(runs, storage);
  const loads = new Map([...before.targets].map(([number, { bytes }]) => [number, bytes]));
  loads.delete(target);
  if (loads.size === 0)
    throw new UsageError(`target ${target} is the only one in the window: its data cannot move`);
  const moved = (transfer: Transfer): Transfer => {
    if (!transfer.targets.includes(target)) return transfer;
    const left = transfer.targets.filter((one) => one !== target);
    const targets = left.length > 0 ? left : [leastLoaded(loads)];
    const more = transfer.bytes / transfer.targets.length / targets.length;
    for (const one of targets) loads.set(one, (loads.get(one) ?? 0) + more);
    return { ...transfer, targets };
  };
  const changed = runs.map((run) => ({ ...run, reads: run.reads.map(moved), writes: run.writes.map(moved) }));
  return compare(plain, before, replayRuns(changed, corrected), undefined);
}

function leastLoaded(loads: ReadonlyMap<number, number>): number {
  let [least, bytes] = [-1, Number.POSITIVE_INFINITY];
  for (const [target, load] of loads)
    if (load < bytes || (load === bytes && target < least)) [least, bytes] = [target, load];
  assert(least !== -1, "some target is left");
  return least;
}

function compare(
  plain: FluidResult,
  before: FluidResult,
  after: FluidResult,
  removedId: string | undefined,
): Answer {
  const timesOf = ({ runs }: FluidResult) =>
    new Map(runs.map(({ run, read, write }) => [run.id, read + write]));
  const [was, is] = [timesOf(before), timesOf(after)];
  const all = plain.runs.map(({ run, read, write }): RunChange => {
    const change = (is.get(run.id) ?? 0) / (was.get(run.id) as number);
    const recorded = recordedSeconds(run);
    return {
      id: run.id,
      application: run.application,
      start: run.start,
      recordedSeconds: recorded,
      before: read + write,
      after: (read + write) * change,
      expected: recorded * change,
    };
  });
  const others = all.filter(({ id }) => id !== removedId);
  const changed = others.filter((one) => Math.abs(one.after / one.before - 1) > CHANGE_LEAST);
  changed.sort(
    (a, b) => Math.abs(b.after - b.before) - Math.abs(a.after - a.before) || (a.id < b.id ? -1 : 1),
  );
  return {
    changed,
    unchanged: others.length - changed.length,
    targets: targetChanges(before, after),
    removed: all.find(({ id }) => id === removedId),
  };
}

const NOTHING: TargetLoad = { bytes: 0, transfers: 0, busy: 0, streamSeconds: 0 };

function targetChanges(before: FluidResult, after: FluidResult): TargetChange[] {
  const numbers = [...new Set([...before.targets.keys(), ...after.targets.keys()])].sort((a, b) => a - b);
  const streams = ({ busy, streamSeconds }: TargetLoad) => (busy > 0 ? streamSeconds / busy : 0);
  return numbers.map((target) => {
    const was = before.targets.get(target) ?? NOTHING;
    const is = after.targets.get(target) ?? NOTHING;
    return {
      target,
      bytesBefore: was.bytes,
      bytesAfter: is.bytes,
      busyBefore: was.busy,
      busyAfter: is.busy,
      streamsBefore: streams(was),
      streamsAfter: streams(is),
    };
  });
}
