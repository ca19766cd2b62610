import { describe, expect, it } from "vitest";
import { Random } from "../../../base/prng.ts";
import { EventHash, FIRST_HOST_KIND } from "../events.ts";
import { machineNamed } from "../machines/index.ts";
import { logNormal, normal, poisson, poissonPlace, type RunSeed, stratifiedNormal } from "./draws.ts";
import { MB, withDefaults } from "./parameters.ts";
import { makeWorld, type World, type WorldSetting } from "./world.ts";

const RUN: RunSeed = { seed: 1, sample: 0, samples: 1 };

const setting = (changes: Partial<WorldSetting> = {}): WorldSetting => ({
  parameters: machineNamed("jaguar").parameters,
  machineTargets: 672,
  targets: 64,
  run: RUN,
  ...changes,
});

/** Runs to a time, with a look at every event. */
function runTo(world: World, until: number, each: () => void = () => {}): void {
  world.queue.push(until, FIRST_HOST_KIND, 0, 0);
  while (world.queue.next() && world.queue.kind !== FIRST_HOST_KIND) {
    world.handle();
    each();
  }
}

const meanOf = (values: ArrayLike<number>) =>
  Array.from(values).reduce((sum, one) => sum + one, 0) / values.length;

describe("degraded targets", () => {
  it("lie among the first 160 in as many samples as they should, on every seed", () => {
    const parameters = withDefaults({ degradedShare: 0.002, degradedMin: 0.3, degradedMax: 0.5 });
    const hit = (seed: number, sample: number) => {
      const run = { seed, sample, samples: 40 };
      const { storage } = makeWorld(setting({ parameters, targets: 160, run }));
      return Array.from({ length: 160 }, (_, i) => storage.look(i).speed).filter((speed) => speed < 1);
    };
    for (const seed of [1, 2, 3]) {
      const samples = Array.from({ length: 40 }, (_, sample) => hit(seed, sample));
      const hits = samples.filter(({ length }) => length > 0);
      // 1 - exp(-0.32) of 40 are 10.95.
      expect(Math.abs(hits.length - 40 * (1 - Math.exp(-0.32)))).toBeLessThanOrEqual(1);
      // Their speeds are spread evenly too.
      expect(Math.abs(meanOf(hits.map((speeds) => Math.max(...speeds))) - 0.4)).toBeLessThan(0.03);
    }
  });

  it("of a count, places are as even as those of all", () => {
    for (const p of [0.01, 0.3, 0.5, 0.72]) expect(poissonPlace(p, 0.32).count).toBe(0);
    const none = Math.exp(-0.32);
    for (const share of [0.1, 0.5, 0.9]) {
      const { count, within } = poissonPlace(none + share * none * 0.32, 0.32);
      expect(count).toBe(1);
      expect(within).toBeCloseTo(share, 9);
    }
  });
});

describe("background", () => {
  it("keeps its long-run mean and variance of light streams per target", () => {
    const parameters = withDefaults({ lightStreams: 2, lightSeconds: 5 });
    const world = makeWorld(setting({ parameters, targets: 400 }));
    const seen: number[] = [];
    for (const time of [0, 20, 40]) {
      runTo(world, time);
      const counts = Array.from({ length: 400 }, (_, i) => world.storage.look(i).others);
      seen.push(...counts);
    }
    const average = meanOf(seen);
    const variance = meanOf(seen.map((one) => (one - average) ** 2));
    // 1200 Poisson counts of mean 2: the mean's error is 0.04, the variance's 0.09.
    expect(Math.abs(average - 2)).toBeLessThan(0.15);
    expect(Math.abs(variance - 2)).toBeLessThan(0.35);
  });

  it("has as many heavy jobs, with as many streams, as asked for", () => {
    const parameters = withDefaults({
      heavyJobs: 3,
      heavyStreams: 7,
      heavySpread: 0,
      heavySeconds: 4,
      heavyMinWidth: 10,
      heavyMaxWidth: 10,
    });
    const world = makeWorld(setting({ parameters, targets: 672 }));
    const totals: number[] = [];
    for (let time = 0; time <= 2000; time += 4) {
      runTo(world, time);
      let total = 0;
      for (let i = 0; i < 672; i++) total += world.storage.look(i).others;
      totals.push(total);
    }
    expect(meanOf(totals) / (3 * 7 * 10)).toBeGreaterThan(0.9);
    expect(meanOf(totals) / (3 * 7 * 10)).toBeLessThan(1.1);
  });

  it("is the same for every policy: own writes do not change it", () => {
    const loads = (write: boolean) => {
      const world = makeWorld(setting());
      if (write) for (let i = 0; i < 64; i++) world.storage.startWrite(i, 500 * MB, i);
      runTo(world, 30);
      return Array.from({ length: 64 }, (_, i) => world.storage.look(i).others);
    };
    expect(loads(true)).toEqual(loads(false));
    expect(Math.max(...loads(true))).toBeGreaterThan(0);
  });

  it("is the same on the first targets when a run uses more of them", () => {
    const loads = (targets: number) => {
      const world = makeWorld(setting({ targets }));
      runTo(world, 30);
      return Array.from({ length: 64 }, (_, i) => world.storage.look(i).others);
    };
    expect(loads(64)).toEqual(loads(512));
  });

  it("adds the artificial interference to eight of the targets used", () => {
    const parameters = withDefaults({});
    for (const targets of [8, 160, 512]) {
      const world = makeWorld(setting({ parameters, targets, interference: { targets: 8, streams: 3 } }));
      const loaded = Array.from({ length: targets }, (_, i) => world.storage.look(i).others).filter(Boolean);
      expect(loaded).toEqual([3, 3, 3, 3, 3, 3, 3, 3]);
    }
  });
});

describe("a run", () => {
  const hashOf = (run: RunSeed) => {
    const world = makeWorld(setting({ run, parameters: PINNED }));
    const hash = new EventHash();
    for (let i = 0; i < 256; i++) world.storage.startWrite(i % 64, 64 * MB, i);
    runTo(world, 20, () => {
      hash.add(world.queue.now, world.queue.kind, world.queue.a, world.queue.b);
      for (let i = 0; i < 64; i++) world.storage.check(i);
    });
    return hash.digest();
  };

  it("gives the same event log for the same seed, and keeps its promises at every event", () => {
    expect(hashOf(RUN)).toBe(hashOf(RUN));
    expect(hashOf({ ...RUN, seed: 2 })).not.toBe(hashOf(RUN));
    expect(hashOf(RUN)).toBe("dad4c2be4ea82283");
  });
});

describe("draws", () => {
  it("stratified samples fill every stratum once and keep mean 0 and variance 1", () => {
    const samples = 40;
    const all = Array.from({ length: samples }, (_, sample) =>
      stratifiedNormal({ seed: 9, sample, samples }, 1),
    );
    const strata = all.map((z) => Math.floor(cumulative(z) * samples)).sort((a, b) => a - b);
    expect(strata).toEqual(Array.from({ length: samples }, (_, i) => i));
    expect(Math.abs(meanOf(all))).toBeLessThan(0.05);
    expect(Math.abs(meanOf(all.map((z) => z * z)) - 1)).toBeLessThan(0.1);
  });

  it("Poisson, normal and lognormal have their means and variances", () => {
    const random = new Random(4);
    for (const mean of [0.3, 4, 1200]) {
      const counts = Array.from({ length: 4000 }, () => poisson(random, mean));
      expect(Math.abs(meanOf(counts) / mean - 1)).toBeLessThan(0.08);
      expect(Math.abs(meanOf(counts.map((one) => (one - mean) ** 2)) / mean - 1)).toBeLessThan(0.15);
    }
    const normals = Array.from({ length: 20000 }, () => normal(random));
    expect(Math.abs(meanOf(normals))).toBeLessThan(0.03);
    expect(Math.abs(meanOf(normals.map((z) => z * z)) - 1)).toBeLessThan(0.04);
    expect(Math.abs(meanOf(normals.map((z) => logNormal(0.5, z))) - 1)).toBeLessThan(0.02);
  });
});

/** The standard normal distribution by the series of its density. */
function cumulative(z: number): number {
  let term = z;
  let sum = z;
  for (let n = 1; n < 200; n++) {
    term *= (z * z) / (2 * n + 1);
    sum += term;
  }
  return 0.5 + (sum * Math.exp((-z * z) / 2)) / Math.sqrt(2 * Math.PI);
}

/** Not a machine's: the hash below must not change with a calibration. */
const PINNED = withDefaults({
  diskFloor: 0.45,
  diskHalf: 8,
  lightStreams: 0.8,
  lightSpread: 0.3,
  heavyJobs: 2,
  runSpread: 1,
  runSpeedSd: 0.05,
  speedSd: 0.15,
  degradedShare: 0.02,
  backgroundGrip: 0.05,
});
