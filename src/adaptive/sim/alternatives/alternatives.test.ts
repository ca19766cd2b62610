import { describe, expect, it } from "vitest";
import { machineNamed, withParameters } from "../machines/index.ts";
import { MB, withDefaults } from "../storage/index.ts";
import {
  alternativesSetting,
  type AlternativesSetting,
  compareOpens,
  runAlternatives,
  stepsOf,
} from "./alternatives.ts";
import { asynchronousWaits, stagingWaits } from "./buffers.ts";
import { METADATA_SERVER, openFiles, staggersOf } from "./opens.ts";

describe("asynchronous output", () => {
  it("never waits while storage keeps up", () => {
    expect(asynchronousWaits([90, 90, 90], 100, 1)).toEqual([0, 0, 0]);
  });

  it("blocks from the second step on when storage is too slow, by what a step lacks", () => {
    // The first step goes to the buffer; each later one waits until the one before it is written.
    expect(asynchronousWaits([150, 150, 150, 150], 100, 1)).toEqual([0, 50, 50, 50]);
  });

  it("hides one slow step in a larger buffer, and no lasting slowness", () => {
    expect(asynchronousWaits([150, 50, 50, 50], 100, 2)).toEqual([0, 0, 0, 0]);
    const lasting = asynchronousWaits(new Array(40).fill(150), 100, 3);
    expect(lasting.slice(0, 3)).toEqual([0, 0, 0]);
    expect(lasting.at(-1)).toBe(50);
  });
});

describe("staging", () => {
  const staging = { bytes: 1000, memoryBytes: 2000, networkBytesPerSecond: 100 };

  it("takes as long as the network while memory has room", () => {
    expect(stagingWaits([20, 20], 100, staging)).toEqual([10, 10]);
  });

  it("takes as long as storage once memory is full", () => {
    // Memory for half of a step: it fills at 100 - 10 B/s, the rest comes at 10 B/s.
    const [first] = stagingWaits([100], 1000, { ...staging, memoryBytes: 450 });
    expect(first).toBeCloseTo(5 + (1000 - 500) / 10, 9);
  });

  it("blocks in the end when storage is slower than the output", () => {
    const waits = stagingWaits(new Array(30).fill(200), 100, staging);
    expect(waits[0]).toBe(10);
    // In the long run a step takes what storage takes: 200 s, of which 100 are computing.
    expect(waits.at(-1)).toBeCloseTo(100, 6);
  });
});

describe("opens", () => {
  it("at once queue up, and slow the server for all", () => {
    const [at, apart] = [openFiles(512, 0, METADATA_SERVER), openFiles(512, 0.0004, METADATA_SERVER)];
    expect(at.queue).toBe(512);
    expect(at.seconds).toBeGreaterThan(512 * 0.0004);
    expect(apart.queue).toBe(1);
    expect(apart.seconds).toBeCloseTo(512 * 0.0004, 9);
    expect(apart.worstOpenSeconds).toBeCloseTo(0.0004, 9);
    expect(at.meanOpenSeconds).toBeGreaterThan(100 * apart.meanOpenSeconds);
    expect(at.othersWaitSeconds).toBeGreaterThan(apart.othersWaitSeconds);
  });

  it("further apart than one takes only last longer", () => {
    const last = openFiles(100, 0.0008, METADATA_SERVER);
    expect(last.seconds).toBeCloseTo(99 * 0.0008 + 0.0004, 9);
    expect(staggersOf(METADATA_SERVER)).toContain(0.0004);
  });
});

describe("the alternatives on a machine", () => {
  const quiet = withParameters(machineNamed("jaguar"), {
    ...withDefaults({}),
    ...{ opOverhead: 0, diskRate: 100, clientRate: 50, dirtyLimit: 0, startJitter: 0 },
  });
  const setting: AlternativesSetting = {
    machine: { ...quiet, targets: 8, targetsPerFile: 2 },
    ...{ writers: 16, bytes: 100 * MB, targets: 8, steps: 2, seed: 1 },
    ...{ periodSeconds: 100, bufferedSteps: 1, stagingNodes: 8, stagingMemoryBytes: 10_000 * MB },
  };

  it("take what closed forms say when nobody else is there", () => {
    let steps = 0;
    const found = runAlternatives(setting, () => steps++);
    expect(steps).toBe(stepsOf(setting));
    expect(found).toHaveLength(2 * 8);
    const base = new Map(found.filter((one) => !one.interference).map((one) => [one.id, one]));
    // 1,600 MB to 2 targets of 100 MB/s, or to 8.
    expect(base.get("mpi-io")?.meanWaitSeconds).toBeCloseTo(8, 6);
    expect(base.get("several-files")?.meanWaitSeconds).toBeCloseTo(2, 6);
    expect(base.get("posix")?.meanWaitSeconds).toBeCloseTo(2, 6);
    expect(base.get("asynchronous")?.worstWaitSeconds).toBe(0);
    expect(base.get("staging")?.meanWaitSeconds).toBeLessThan(0.1);
    expect(base.get("mpi-io")?.waitShare).toBeCloseTo(8 / 108, 6);
    const disturbed = found.filter((one) => one.interference);
    for (const one of disturbed)
      expect(one.storageSeconds[0]).toBeGreaterThanOrEqual(base.get(one.id)?.storageSeconds[0] as number);
  });

  it("are those of the paper's largest runs where nobody says more", () => {
    const { writers: _, targets: __, stagingNodes: ___, ...rest } = { ...setting, machine: quiet };
    const open = { writers: undefined, targets: undefined, stagingNodes: undefined };
    const usual = { targets: 512, writers: 16_384, stagingNodes: 256 };
    expect(alternativesSetting({ ...rest, ...open })).toMatchObject(usual);
    expect(alternativesSetting({ ...rest, ...open, targets: 2 })).toMatchObject({ targets: 2, writers: 64 });
    expect(alternativesSetting(setting)).toEqual(setting);
  });

  it("open a file per target, and one per writer where that is another number", () => {
    expect(new Set(compareOpens(setting).map(({ files }) => files))).toEqual(new Set([8, 16]));
    expect(compareOpens({ ...setting, writers: 8 })).toHaveLength(staggersOf(METADATA_SERVER).length);
  });

  it("refuse what cannot be run", () => {
    expect(() => runAlternatives({ ...setting, targets: 9 })).toThrow(/9 targets: jaguar has 8/);
  });
});
