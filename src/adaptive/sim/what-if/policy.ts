/**
 * One recorded run's writes under a policy of the adaptive writer: the protocol itself, on storage with the fitted rates and
 * the load of the other runs at that time. The other runs are not affected.
 */
import { assert } from "../../../base/assert.ts";
import { UsageError } from "../../../base/errors.ts";
import { CALL_MOVED } from "../../../model/index.ts";
import { EventQueue } from "../events.ts";
import { runAdaptive } from "../host/index.ts";
import { LIGHT_CHANGE, MB, Storage, withDefaults } from "../storage/index.ts";
import type { FittedStorage } from "./fit.ts";
import { replayRuns } from "./fluid.ts";
import type { RecordedRun } from "./recorded.ts";
import { phasesOf } from "./schedule.ts";

interface PolicyTime {
  readonly policy: string;
  readonly seconds: number;
  /** Share of the bytes that went to another group's file. */
  readonly moved: number;
}

export interface PolicyAnswer {
  readonly run: RecordedRun;
  readonly bytes: number;
  readonly recordedSeconds: number;
  /** Replayed as it was written, on its own targets. */
  readonly replayedSeconds: number;
  readonly ownTargets: number;
  readonly targets: number;
  readonly times: readonly PolicyTime[];
}

export function underPolicies(
  runs: readonly RecordedRun[],
  id: string,
  policies: readonly string[],
  storage: FittedStorage,
): PolicyAnswer {
  const run = runs.find((one) => one.id === id);
  assert(run !== undefined, "the run is among the recorded runs");
  const bytes = run.writes.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes === 0)
    throw new UsageError(`run ${id} wrote nothing with known targets: a policy has nothing to place`);
  const { read, write, between } = phasesOf(run);
  const asWas = replayRuns(runs, storage).runs.find((one) => one.run === run);
  const load = backgroundOf(
    runs.filter((one) => one !== run),
    storage,
    run.start + read + between,
  );
  return {
    run,
    bytes,
    recordedSeconds: write,
    replayedSeconds: asWas?.write ?? Number.NaN,
    ownTargets: new Set(run.writes.flatMap(({ targets }) => targets)).size,
    targets: storage.targets.length,
    times: policies.map((policy) => timeUnder(policy, run, bytes, storage, load)),
  };
}

/** A change of the load on a target. */
interface Change {
  readonly at: number;
  readonly target: number;
  readonly streams: number;
  /** MB/s. */
  readonly demand: number;
}

function backgroundOf(others: readonly RecordedRun[], storage: FittedStorage, origin: number): Change[] {
  const places = new Map(storage.targets.map((number, index) => [number, index]));
  const changes = replayRuns(others, storage).transfers.flatMap(({ run, transfer, start, end }) => {
    if (end <= origin) return [];
    const demand = Math.min(1e9, storage.limit(run, transfer, start) / transfer.targets.length / MB);
    return transfer.targets.flatMap((number): Change[] => {
      const target = places.get(number);
      if (target === undefined) return [];
      return [
        { at: Math.max(0, start - origin), target, streams: 1, demand },
        { at: end - origin, target, streams: -1, demand: -demand },
      ];
    });
  });
  return changes.sort((a, b) => a.at - b.at || a.target - b.target || b.streams - a.streams);
}

function timeUnder(
  policy: string,
  run: RecordedRun,
  bytes: number,
  fit: FittedStorage,
  load: readonly Change[],
): PolicyTime {
  const queue = new EventQueue();
  const { read, between } = phasesOf(run);
  const slowness = fit.loadAt?.(run.start + read + between) ?? 1;
  const storage = new Storage({
    queue,
    // No caches and no contention beyond the fit: rates are observed ones, at the load of that hour.
    parameters: withDefaults({
      ...{
        diskRate: fit.usualRate / slowness / MB,
        diskFloor: 1,
        ingestFloor: 1,
        ingestRate: 1e9,
        networkRate: 1e12,
      },
      ...{ clientRate: fit.rankRate / slowness / MB, dirtyLimit: 0, opOverhead: 0, startJitter: 0 },
    }),
    targets: fit.targets.length,
    speeds: Float64Array.from(fit.targets, (target) => fit.rate(target) / fit.usualRate),
  });
  load.forEach(({ at }, index) => {
    queue.push(at, LIGHT_CHANGE, index, 0);
  });
  const handle = () => {
    if (queue.kind !== LIGHT_CHANGE) storage.handle(queue.kind, queue.a, queue.b);
    else {
      const { target, streams, demand } = load[queue.a] as Change;
      storage.changeOthers(target, streams, demand);
    }
  };
  const each = Math.floor(bytes / run.ranks);
  const sizes = Float64Array.from({ length: run.ranks }, (_, rank) =>
    rank === 0 ? bytes - each * (run.ranks - 1) : each,
  );
  const result = runAdaptive({
    world: { queue, storage, handle },
    policy,
    writers: run.ranks,
    bytes: sizes,
    targets: fit.targets.length,
    seed: 1,
  });
  assert(
    result.outcome === "complete" && result.bytes === bytes,
    "a run without faults writes all its bytes",
  );
  let moved = 0;
  const { count, flags, bytes: written } = result.calls;
  for (let i = 0; i < count; i++) if ((flags[i] as number) & CALL_MOVED) moved += written[i] as number;
  return { policy, seconds: result.seconds, moved: moved / bytes };
}
