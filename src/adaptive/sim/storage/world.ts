/** One run's storage: targets with their speeds, background and artificial interference, on one queue. */

import { assert } from "../../../base/assert.ts";
import { Random } from "../../../base/prng.ts";
import { EventQueue } from "../events.ts";
import { Background } from "./background.ts";
import {
  logNormal,
  normal,
  poisson,
  poissonPlace,
  type RunSeed,
  STREAM,
  sampleSeed,
  stratifiedNormal,
  stratifiedUnit,
} from "./draws.ts";
import { HEAVY_END, WRITE_END } from "./kinds.ts";
import type { StorageParameters } from "./parameters.ts";
import { type Flush, Storage } from "./storage.ts";

/** A program that writes without end beside the run: `streams` on each of `targets` of the targets used. */
export interface Interference {
  readonly targets: number;
  readonly streams: number;
}

export interface WorldSetting {
  readonly parameters: StorageParameters;
  /** Targets of the machine, and how many of them the run uses (the first ones). */
  readonly machineTargets: number;
  readonly targets: number;
  readonly run: RunSeed;
  /** Whose speeds the targets have; the run's own where absent. Steps of one program meet the same hardware. */
  readonly speedsOf?: RunSeed | undefined;
  readonly flush?: Flush;
  readonly sharedFile?: boolean;
  readonly interference?: Interference | undefined;
  /** Own streams per target of a second job that runs all the while (two IOR at once). */
  readonly secondJobStreams?: number | undefined;
}

export interface World {
  readonly queue: EventQueue;
  readonly storage: Storage;
  readonly background: Background;
  /** Must be called when the queue has given an event whose kind is below `FIRST_HOST_KIND`. */
  handle(): void;
}

export function makeWorld(setting: WorldSetting, queue = new EventQueue()): World {
  const { parameters, machineTargets, targets, run, flush = "target", sharedFile = false } = setting;
  assert(targets <= machineTargets, "a run uses targets of its machine");
  queue.clear();
  const speeds = drawSpeeds({ ...setting, run: setting.speedsOf ?? run });
  const storage = new Storage({ queue, parameters, targets, flush, sharedFile, speeds });
  const background = new Background({ queue, storage, parameters, run, machineTargets });
  if (setting.interference !== undefined) interfere(storage, parameters, setting.interference);
  if (setting.secondJobStreams !== undefined)
    addSecondJob(storage, parameters, run, setting.secondJobStreams);
  const handle = () => {
    const { kind, a, b } = queue;
    assert(kind <= HEAVY_END, "events of hosts are not the storage's");
    if (kind <= WRITE_END) storage.handle(kind, a, b);
    else background.handle(kind, a);
  };
  return { queue, storage, background, handle };
}

function drawSpeeds({ parameters, machineTargets, targets, run }: WorldSetting): Float64Array {
  const { speedSd, runSpeedSd } = parameters;
  const seed = sampleSeed(run);
  const whole = logNormal(runSpeedSd, stratifiedNormal(run, STREAM.runSpeed));
  const speeds = new Float64Array(targets).fill(whole);
  const random = new Random(0);
  if (speedSd > 0)
    for (let target = 0; target < targets; target++)
      speeds[target]! *= logNormal(speedSd, normal(random.restart(seed, STREAM.speed, target)));
  degrade(speeds, parameters, machineTargets, run);
  assert(
    speeds.every((speed) => speed > 0),
    "a target is slow, not dead: hanging is a fault of the plan",
  );
  return speeds;
}

/**
 * What a shared file uses at most. Interference lies evenly on the first of these targets, so that runs on few and on many
 * meet the same program; and degraded targets are drawn for them apart from the rest, since there they decide.
 */
const SHARED_SPAN = 160;

/**
 * Degraded targets of the machine. They are few and matter much, so their number in either part, and the place and the
 * speed of the first, are stratified over samples.
 */
function degrade(
  speeds: Float64Array,
  { degradedShare, degradedMin, degradedMax }: StorageParameters,
  machineTargets: number,
  run: RunSeed,
): void {
  if (degradedShare === 0) return;
  const random = Random.stream(sampleSeed(run), STREAM.degraded, 0);
  const span = Math.min(SHARED_SPAN, machineTargets);
  for (const { from, to, counts, places } of [
    { from: 0, to: span, counts: STREAM.degradedCount, places: STREAM.degradedPlace },
    { from: span, to: machineTargets, counts: STREAM.restCount, places: STREAM.restPlace },
  ]) {
    const mean = degradedShare * (to - from);
    const { count, within } =
      mean > 100
        ? { count: poisson(random, mean), within: random.unit() }
        : poissonPlace(stratifiedUnit(run, counts), mean);
    for (let i = 0; i < count; i++) {
      const place = i === 0 ? stratifiedUnit(run, places) : random.unit();
      const speed = degradedMin + (degradedMax - degradedMin) * (i === 0 ? within : random.unit());
      const target = from + Math.floor(place * (to - from));
      if (target < speeds.length) speeds[target]! *= speed;
    }
  }
}

function interfere(storage: Storage, parameters: StorageParameters, interference: Interference): void {
  const span = Math.min(storage.targets, SHARED_SPAN);
  const count = Math.min(interference.targets, span);
  const { streams } = interference;
  for (let i = 0; i < count; i++)
    storage.changeOthers(Math.floor((i * span) / count), streams, streams * parameters.clientRate);
}

function addSecondJob(storage: Storage, parameters: StorageParameters, run: RunSeed, streams: number): void {
  const { jobWeight, jobWeightSpread, clientRate } = parameters;
  const weight = jobWeight * logNormal(jobWeightSpread, stratifiedNormal(run, STREAM.jobWeight));
  const all = streams * weight;
  for (let target = 0; target < storage.targets; target++)
    storage.changeOthers(target, all, all * clientRate);
}
