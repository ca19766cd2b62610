import { describe, expect, it } from "vitest";
import { Random } from "../../../base/prng.ts";
import { WRITE_EIO, WRITE_ENOSPC, WRITE_OK } from "./model.ts";
import { MB, type StorageParameters } from "./parameters.ts";
import { computeRates, curvesOf, efficiency, type TargetRates, type TargetState } from "./rates.ts";
import { makeRig, quiet } from "./test-kit.ts";

const stateOf = (parameters: StorageParameters): TargetState => ({
  speed: 1,
  link: 1e6,
  curves: curvesOf(parameters, false),
});

describe("closed forms", () => {
  it.each([
    [{ clientRate: 50 }, 1000 / 50],
    [{ clientRate: 1000 }, 1000 / 100],
    [{ clientRate: 1000, opOverhead: 0.25 }, 10.25],
    [{ clientRate: 1000, diskRate: 1e5, ingestRate: 80 }, 1000 / 80],
    [{ clientRate: 1000, diskRate: 1e5, ingestRate: 1e5, networkRate: 40 }, 1000 / 40],
  ])("one writer alone, %j: its size over the smallest limit", (changes, seconds) => {
    const rig = makeRig(quiet(changes));
    rig.storage.startWrite(0, 1000 * MB, 7);
    rig.run();
    expect(rig.ends.get(7)).toBeCloseTo(seconds, 9);
  });

  it.each([1, 2, 5, 32, 102])("%i equal writers: all bytes over the disk rate under contention", (k) => {
    const parameters = quiet({ diskFloor: 0.4, diskHalf: 10, diskPower: 1.5 });
    const rig = makeRig(parameters);
    for (let i = 0; i < k; i++) rig.storage.startWrite(0, 128 * MB, i);
    rig.run();
    const rate = 100 * (0.4 + 0.6 / (1 + ((k - 1) / 10) ** 1.5));
    for (let i = 0; i < k; i++) expect(rig.ends.get(i)).toBeCloseTo((k * 128) / rate, 6);
  });

  it("the cache fills in C / (ingest - disk), and the rest goes at the disk's rate", () => {
    const rig = makeRig(quiet({ dirtyLimit: 60 }));
    rig.storage.startWrite(0, 1000 * MB, 0);
    const full = 60 / (400 - 100);
    rig.run(full * 0.999);
    expect(rig.storage.look(0).dirtyMb).toBeCloseTo(59.94, 9);
    expect(rig.storage.look(0).rateMbps).toBe(400);
    rig.run(full * 1.001);
    expect(rig.storage.look(0).dirtyMb).toBeCloseTo(60, 9);
    expect(rig.storage.look(0).rateMbps).toBe(100);
    rig.run();
    expect(rig.ends.get(0)).toBeCloseTo(full + (1000 - 400 * full) / 100, 9);
  });

  it("what fits into the cache goes at the client's rate, and drains afterwards", () => {
    const rig = makeRig(quiet({ dirtyLimit: 200, clientRate: 300 }));
    rig.storage.startWrite(0, 90 * MB, 0);
    rig.run();
    expect(rig.ends.get(0)).toBeCloseTo(0.3, 9);
    expect(rig.storage.look(0).dirtyMb).toBeCloseTo(60, 9);
    rig.run(0.3 + 0.6);
    expect(rig.storage.look(0).dirtyMb).toBeCloseTo(0, 9);
    rig.run(5);
    expect(rig.storage.look(0).dirtyMb).toBe(0);
  });

  it("flushed to disk, a write ends when its own data is there", () => {
    const rig = makeRig(quiet({ dirtyLimit: 200, clientRate: 300 }), 1, "disk");
    rig.storage.startWrite(0, 90 * MB, 0);
    rig.run(0.2);
    rig.storage.startWrite(0, 60 * MB, 1);
    rig.run();
    // 60 of the first are in by 0.2 s; then both share 400: 30 left of the first take 0.15 s, with 30 of the second.
    const bothIn = 90 + 30;
    expect(rig.ends.get(0)).toBeCloseTo(bothIn / 100, 9);
    expect(rig.ends.get(1)).toBeCloseTo(150 / 100, 9);
  });

  it("shares with others per stream, and gives them no more than they ask for", () => {
    const shared = makeRig(quiet());
    shared.storage.changeOthers(0, 3, 3000);
    shared.storage.startWrite(0, 100 * MB, 0);
    shared.run();
    expect(shared.ends.get(0)).toBeCloseTo(100 / 25, 9);
    const modest = makeRig(quiet());
    modest.storage.changeOthers(0, 3, 30);
    modest.storage.startWrite(0, 100 * MB, 0);
    modest.run();
    expect(modest.ends.get(0)).toBeCloseTo(100 / 70, 9);
  });

  it("weighs others by their streams, or by a fraction of the target, as asked", () => {
    const rates: TargetRates = { free: 0, full: 0, drain: 0, limit: 0, disk: 0, ingest: 0 };
    const drain = (grip: number, writers: number) => {
      const parameters = quiet({ backgroundGrip: grip });
      computeRates(writers, { streams: 1, demand: 1e6 }, stateOf(parameters), parameters, rates);
      return rates.drain;
    };
    expect(drain(0, 1)).toBeCloseTo(50, 9);
    expect(drain(0, 99)).toBeCloseTo(99, 9);
    expect(drain(1, 1)).toBeCloseTo(50, 9);
    expect(drain(1, 99)).toBeCloseTo(50, 9);
  });
});

describe("efficiency", () => {
  it("is 1 alone, has lost half of what it can at 1 + half, and ends at the floor", () => {
    expect(efficiency(1, 0.4, 10, 2)).toBe(1);
    expect(efficiency(0.5, 0.4, 10, 2)).toBe(1);
    expect(efficiency(11, 0.4, 10, 2)).toBeCloseTo(0.7, 12);
    expect(efficiency(11, 0.4, 10, 0.7)).toBeCloseTo(0.7, 12);
    expect(efficiency(1e9, 0.4, 10, 2)).toBeCloseTo(0.4, 9);
  });
});

describe("against small steps of time", () => {
  it("mixed sizes, starts and changing load end at the same times", () => {
    const parameters = quiet({
      dirtyLimit: 120,
      clientRate: 150,
      diskFloor: 0.5,
      diskHalf: 4,
      ingestFloor: 0.6,
      ingestHalf: 6,
    });
    const random = new Random(3);
    const starts = Array.from({ length: 9 }, (_, i) => ({
      at: i * 0.31,
      size: 20 + random.below(180),
      id: i,
    }));
    const loads = [0.5, 1.3, 2.2, 3.1].map((at, i) => ({ at, streams: [2, 1.5, -2, 4][i] as number }));
    const rig = makeRig(parameters);
    for (const event of [...starts, ...loads].sort((a, b) => a.at - b.at)) {
      rig.run(event.at);
      if ("size" in event) rig.storage.startWrite(0, event.size * MB, event.id);
      else rig.storage.changeOthers(0, event.streams, event.streams * 60);
    }
    rig.run();

    const rates: TargetRates = { free: 0, full: 0, drain: 0, limit: 0, disk: 0, ingest: 0 };
    const left = new Map<number, number>();
    const step = 1e-4;
    const state = stateOf(parameters);
    let dirty = 0;
    for (let tick = 0; left.size > 0 || tick * step <= 3.2; tick++) {
      const now = tick * step;
      for (const { at, size, id } of starts) if (Math.abs(at - now) < step / 2) left.set(id, size);
      const streams = loads.reduce((sum, one) => sum + (one.at <= now + step / 2 ? one.streams : 0), 0);
      computeRates(left.size, { streams, demand: streams * 60 }, state, parameters, rates);
      const rate = dirty >= rates.limit ? rates.full : rates.free;
      dirty = Math.max(0, dirty + (left.size * rate - rates.drain) * step);
      for (const [id, size] of left) {
        left.set(id, size - rate * step);
        if (size - rate * step > 0) continue;
        left.delete(id);
        expect(Math.abs((rig.ends.get(id) as number) - now), `write ${id}`).toBeLessThan(0.01);
      }
    }
    expect(rig.ends.size).toBe(9);
  });
});

describe("faults", () => {
  it("a slowed target takes longer, a hung one ends when it is let go", () => {
    const rig = makeRig(quiet());
    rig.storage.startWrite(0, 100 * MB, 0);
    rig.run(0.5);
    rig.storage.setSpeed(0, 0.25);
    rig.run(1.5);
    expect(rig.storage.accepted(0)).toBe(75 * MB);
    rig.storage.setSpeed(0, 0);
    rig.run(100);
    expect(rig.ends.size).toBe(0);
    expect(rig.storage.accepted(0)).toBe(75 * MB);
    rig.storage.setSpeed(0, 1);
    rig.run();
    expect(rig.ends.get(0)).toBeCloseTo(100.25, 9);
  });

  it("errors end writes under way and later ones, until they are taken back", () => {
    const rig = makeRig(quiet({ opOverhead: 0.1 }));
    rig.storage.startWrite(0, 100 * MB, 0);
    rig.run(0.5);
    rig.storage.setError(0, WRITE_EIO);
    rig.storage.startWrite(0, 100 * MB, 1);
    rig.run(1);
    expect([...rig.statuses]).toEqual([
      [0, WRITE_EIO],
      [1, WRITE_EIO],
    ]);
    expect(rig.ends.get(1)).toBeCloseTo(0.6, 9);
    rig.storage.setError(0, WRITE_OK);
    rig.storage.startWrite(0, 100 * MB, 0);
    rig.run();
    expect(rig.statuses.get(0)).toBe(WRITE_OK);
    expect(rig.ends.get(0)).toBeCloseTo(2.1, 9);
  });

  it("a target without room refuses what does not fit", () => {
    const rig = makeRig(quiet());
    rig.storage.setRoom(0, 150 * MB);
    rig.storage.startWrite(0, 100 * MB, 0);
    rig.storage.startWrite(0, 100 * MB, 1);
    rig.storage.startWrite(0, 50 * MB, 2);
    rig.run();
    expect([0, 1, 2].map((token) => rig.statuses.get(token))).toEqual([WRITE_OK, WRITE_ENOSPC, WRITE_OK]);
  });

  it("a cancelled write leaves its share to the others and is not reported", () => {
    const rig = makeRig(quiet());
    rig.storage.startWrite(0, 100 * MB, 0);
    rig.storage.startWrite(0, 100 * MB, 1);
    rig.run(1);
    expect(rig.storage.cancel(0)).toBe(50 * MB);
    rig.storage.startWrite(0, 25 * MB, 0);
    rig.run();
    expect(rig.ends.get(0)).toBeCloseTo(1.5, 9);
    expect(rig.ends.get(1)).toBeCloseTo(1.75, 9);
    expect(() => rig.storage.cancel(1)).toThrow(/no write with token 1/);
  });

  it("refuses what no caller may ask", () => {
    const rig = makeRig(quiet());
    expect(() => rig.storage.startWrite(1, MB, 0)).toThrow(/target 1 of 1/);
    expect(() => rig.storage.startWrite(0, 0, 0)).toThrow(/0 bytes/);
    rig.storage.startWrite(0, MB, 0);
    expect(() => rig.storage.startWrite(0, MB, 0)).toThrow(/token 0 is in use/);
  });
});
