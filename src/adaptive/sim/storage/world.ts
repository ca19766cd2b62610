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

/** A program that writes continuously during the run: `streams` on each of `targets` of the used targets. */
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
  /** Seed of target speeds; default: that of the run. Steps of one program use the same hardware. */
  readonly speedsOf?: RunSeed | undefined;
  readonly flush?: Flush;
  readonly sharedFile?: boolean;
  readonly interference?: Interference | undefined;
  /** Streams per target of a second job during the whole run (two IOR at once). */
  readonly secondJobStreams?: number | undefined;
}

export interface World {
  readonly queue: EventQueue;
  readonly storage: Storage;
  readonly background: Background;
  /** Must be called for every event of a kind below `FIRST_HOST_KIND`. */
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
    assert(kind <= HEAVY_END, "host events do not belong to the storage");
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
    "a target has a positive speed: only the fault plan hangs one",
  );
  return speeds;
}

/**
 * Max targets of a shared file. Interference is spread evenly over the first of these targets, so that runs on few and on many
 * targets get the same program; degraded targets are drawn separately for them, since there they dominate.
 */
const SHARED_SPAN = 160;

/**
 * Degraded targets of the machine. They are few and important, so their number in either part, and the place and speed of the
 * first, are stratified over samples.
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
