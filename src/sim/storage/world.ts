/** One run's storage: targets with their speeds, background and artificial interference, on one queue. */

import { Random } from "../../base/prng.ts";
import { EventQueue } from "../events.ts";
import { Background } from "./background.ts";
import {
  logNormal,
  normal,
  poisson,
  poissonQuantile,
  type RunSeed,
  STREAM,
  sampleSeed,
  stratifiedNormal,
  stratifiedUnit,
} from "./draws.ts";
import { WRITE_END } from "./kinds.ts";
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
  queue.clear();
  const speeds = drawSpeeds({ ...setting, run: setting.speedsOf ?? run });
  const storage = new Storage({ queue, parameters, targets, flush, sharedFile, speeds });
  const background = new Background({ queue, storage, parameters, run, machineTargets });
  if (setting.interference !== undefined) interfere(storage, parameters, setting.interference);
  if (setting.secondJobStreams !== undefined)
    addSecondJob(storage, parameters, run, setting.secondJobStreams);
  const handle = () => {
    const { kind, a, b } = queue;
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
  return speeds;
}

/**
 * Degraded targets of the machine. They are few and matter much, so their number and the place of the first are
 * stratified over samples.
 */
function degrade(
  speeds: Float64Array,
  parameters: StorageParameters,
  machineTargets: number,
  run: RunSeed,
): void {
  const { degradedShare, degradedMin, degradedMax } = parameters;
  if (degradedShare === 0) return;
  const random = Random.stream(sampleSeed(run), STREAM.degraded, 0);
  const mean = degradedShare * machineTargets;
  const count =
    mean > 100 ? poisson(random, mean) : poissonQuantile(stratifiedUnit(run, STREAM.degradedCount), mean);
  for (let i = 0; i < count; i++) {
    const place = i === 0 ? stratifiedUnit(run, STREAM.degradedPlace) : random.unit();
    const speed = degradedMin + (degradedMax - degradedMin) * random.unit();
    const target = Math.floor(place * machineTargets);
    if (target < speeds.length) speeds[target]! *= speed;
  }
}

/** Evenly over the first 160 targets at most, so that runs on few and on many targets meet the same program. */
const INTERFERENCE_SPAN = 160;

function interfere(storage: Storage, parameters: StorageParameters, interference: Interference): void {
  const span = Math.min(storage.targets, INTERFERENCE_SPAN);
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
