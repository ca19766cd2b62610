/**
 * Background load, in two populations. Light streams arrive and leave on each target independently (a birth-death process);
 * heavy jobs arrive at the machine, load a range of neighbouring targets with several streams each, and leave. The intensity of
 * the hour scales both.
 */

import { assert } from "../../../base/assert.ts";
import { Random } from "../../../base/prng.ts";
import type { EventQueue } from "../events.ts";
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
import { HEAVY_ARRIVAL, HEAVY_END, LIGHT_CHANGE } from "./kinds.ts";
import type { StorageParameters } from "./parameters.ts";
import type { Storage } from "./storage.ts";

interface HeavyJob {
  readonly first: number;
  readonly width: number;
  readonly streams: number;
}

interface BackgroundSetting {
  readonly queue: EventQueue;
  readonly storage: Storage;
  readonly parameters: StorageParameters;
  readonly run: RunSeed;
  /** Targets of the machine, used or not: heavy jobs land anywhere. */
  readonly machineTargets: number;
}

export class Background {
  /** Intensity of the hour; 1 on average. */
  readonly intensity: number;
  readonly #queue: EventQueue;
  readonly #storage: Storage;
  readonly #parameters: StorageParameters;
  readonly #machineTargets: number;
  readonly #seed: number;
  readonly #counts: Int32Array;
  readonly #means: Float64Array;
  readonly #streams: Random[] = [];
  readonly #arrivals: Random;
  readonly #jobs = new Map<number, HeavyJob>();
  #jobCount = 0;

  constructor({ queue, storage, parameters, run, machineTargets }: BackgroundSetting) {
    this.#queue = queue;
    this.#storage = storage;
    this.#parameters = parameters;
    this.#machineTargets = machineTargets;
    this.#seed = sampleSeed(run);
    this.#counts = new Int32Array(storage.targets);
    this.#means = new Float64Array(storage.targets);
    this.#arrivals = Random.stream(this.#seed, STREAM.heavyArrival, 0);
    this.intensity = logNormal(parameters.runSpread, stratifiedNormal(run, STREAM.intensity));
    assert(this.intensity > 0 && storage.targets <= machineTargets, "a run uses targets of its machine");
    if (parameters.lightStreams > 0) this.#startLight();
    if (parameters.heavyJobs > 0) this.#startHeavy(run);
  }

  handle(kind: number, a: number): void {
    if (kind === LIGHT_CHANGE) this.#changeLight(a);
    else if (kind === HEAVY_ARRIVAL) this.#arrive();
    else if (kind === HEAVY_END) this.#leave(a);
  }

  /** Starts in the steady state. */
  #startLight(): void {
    const { lightStreams, lightSpread, lightRate } = this.#parameters;
    const draw = new Random(0);
    for (let target = 0; target < this.#counts.length; target++) {
      const z = normal(draw.restart(this.#seed, STREAM.lightMean, target));
      const mean = lightStreams * this.intensity * logNormal(lightSpread, z);
      const stream = Random.stream(this.#seed, STREAM.light, target);
      const count = poisson(stream, mean);
      this.#means[target] = mean;
      this.#counts[target] = count;
      this.#streams.push(stream);
      if (count > 0) this.#storage.changeOthers(target, count, count * lightRate);
      this.#scheduleLight(target);
    }
  }

  #scheduleLight(target: number): void {
    const total = (this.#means[target] as number) + (this.#counts[target] as number);
    const wait = (this.#streams[target] as Random).exponential(this.#parameters.lightSeconds / total);
    if (wait < 1e9) this.#queue.push(this.#queue.now + wait, LIGHT_CHANGE, target, 0);
  }

  #changeLight(target: number): void {
    const mean = this.#means[target] as number;
    const count = this.#counts[target] as number;
    const comes = (this.#streams[target] as Random).unit() * (mean + count) < mean;
    const change = comes ? 1 : -1;
    assert(count + change >= 0, "only a stream that arrived can leave");
    this.#counts[target] = count + change;
    this.#storage.changeOthers(target, change, change * this.#parameters.lightRate);
    this.#scheduleLight(target);
  }

  #startHeavy(run: RunSeed): void {
    const mean = this.#parameters.heavyJobs * this.intensity;
    const present =
      mean > 500
        ? poisson(this.#arrivals, mean)
        : poissonQuantile(stratifiedUnit(run, STREAM.heavyPresent), mean);
    for (let i = 0; i < present; i++)
      this.#begin(i === 0 ? stratifiedUnit(run, STREAM.heavyPlace) : undefined);
    this.#scheduleArrival();
  }

  #scheduleArrival(): void {
    const { heavyJobs, heavySeconds } = this.#parameters;
    const wait = this.#arrivals.exponential(heavySeconds / (heavyJobs * this.intensity));
    if (wait < 1e9) this.#queue.push(this.#queue.now + wait, HEAVY_ARRIVAL, 0, 0);
  }

  #arrive(): void {
    this.#begin();
    this.#scheduleArrival();
  }

  /** `place` in [0, 1) of the machine, if it is stratified over samples. */
  #begin(place?: number): void {
    const number = this.#jobCount++;
    const random = Random.stream(this.#seed, STREAM.heavyJob, number);
    const p = this.#parameters;
    const low = Math.min(p.heavyMinWidth, this.#machineTargets);
    const high = Math.min(Math.max(p.heavyMaxWidth, low), this.#machineTargets);
    const job: HeavyJob = {
      width: Math.round(low * (high / low) ** random.unit()),
      first: Math.floor((place ?? random.unit()) * this.#machineTargets),
      streams: p.heavyStreams * logNormal(p.heavySpread, normal(random)),
    };
    assert(job.width >= 1 && job.width <= this.#machineTargets, "a job takes each target of its range once");
    assert(job.first >= 0 && job.first < this.#machineTargets, "a job lies on the machine");
    this.#jobs.set(number, job);
    this.#load(job, 1);
    this.#queue.push(this.#queue.now + random.exponential(p.heavySeconds), HEAVY_END, number, 0);
  }

  #leave(number: number): void {
    const job = this.#jobs.get(number);
    assert(job !== undefined, "a heavy job leaves once");
    this.#jobs.delete(number);
    this.#load(job, -1);
  }

  #load({ first, width, streams }: HeavyJob, sign: 1 | -1): void {
    const demand = streams * this.#parameters.clientRate;
    for (let i = 0; i < width; i++) {
      const target = (first + i) % this.#machineTargets;
      if (target < this.#storage.targets) this.#storage.changeOthers(target, sign * streams, sign * demand);
    }
  }
}
