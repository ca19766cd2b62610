import { describe, expect, it } from "vitest";
import { EventQueue } from "../events.ts";
import { machineNamed, withParameters } from "../machines/index.ts";
import { runTwin } from "../../paper/calibrate/twin.ts";
import { MB, PARAMETER_NAMES, withDefaults } from "../storage/index.ts";
import { adaptivePlan, allTargetsPlan, fig1Plan, HOURLY, xtpPlan } from "./plans.ts";
import { bandwidth, imbalance, type RunSpec, writerBandwidth } from "./run.ts";
import { runSample, type Series, seriesKey } from "./series.ts";
import { runPlan, tablePlan } from "./test-kit.ts";
import { runStatic } from "./static.ts";

const jaguar = machineNamed("jaguar");
const quiet = withParameters(jaguar, {
  ...withDefaults({}),
  opOverhead: 0.1,
  diskRate: 100,
  clientRate: 50,
  dirtyLimit: 0,
});
const spec = (changes: Partial<RunSpec> = {}): RunSpec => ({
  machine: quiet,
  writers: 12,
  bytes: 100 * MB,
  targets: 4,
  run: { seed: 1, sample: 0, samples: 1 },
  ...changes,
});

describe("a static run", () => {
  it("is a closed form on a quiet machine", () => {
    const result = runStatic(spec(), undefined, false);
    expect(result.seconds).toBeCloseTo((3 * 100) / 100 + 0.1, 9);
    expect(bandwidth(result)).toBeCloseTo(1200 / 3.1, 9);
    expect(writerBandwidth(result)).toBeCloseTo(100 / 3.1, 9);
    expect(imbalance(result)).toBeCloseTo(1, 9);
    const fewer = runStatic(spec({ writers: 5 }), undefined, false);
    expect(imbalance(fewer)).toBeCloseTo((100 / 50 + 0.1) / (100 / 50 + 0.1), 9);
    expect(runStatic(spec({ writers: 9 }), undefined, false).seconds).toBeCloseTo(3.1, 9);
  });

  it("costs a shared file more work per byte, and for its locks as far as data does not hide them", () => {
    const machine = withParameters(quiet, {
      sharedFactor: 1.5,
      sharedBytes: 10,
      sharedHidden: 0.6,
      sharedFloor: 0.5,
      sharedHalf: 2,
    });
    const result = runStatic(spec({ machine, sharedFile: true }), undefined, false);
    const rate = 100 * (0.5 + 0.5 / (1 + (2 / 2) ** 2));
    expect(result.seconds).toBeCloseTo((3 * 154) / rate + 0.1, 6);
    expect(bandwidth(result)).toBeCloseTo(1200 / result.seconds, 9);
    const small = runStatic(spec({ machine, sharedFile: true, bytes: 2 * MB }), undefined, false);
    expect(small.seconds).toBeCloseTo((3 * (3 + 10 - 0.6 * 3)) / rate + 0.1, 6);
  });

  it("ends about when it does without jitter, and is the same on a used queue", () => {
    const noisy = spec({ machine: jaguar, writers: 512, targets: 64 });
    const queue = new EventQueue();
    const first = runStatic(noisy, queue);
    expect(runStatic(noisy, queue)).toEqual(first);
    expect(first.seconds / runStatic(noisy, queue, false).seconds).toBeGreaterThan(0.97);
    expect(first.seconds / runStatic(noisy, queue, false).seconds).toBeLessThan(1.03);
  });

  it.each([
    [{ writers: 0 }, /0 writers: expected a whole number from 1/],
    [{ bytes: 0 }, /0 bytes per writer: .* there is nothing to write/],
    [{ targets: 0 }, /0 targets: .* there is nowhere to write/],
    [{ targets: 673 }, /673 targets: jaguar has 672/],
    [{ writers: 1e9 }, /1,000,000,000 writers need more than the 4 GiB of memory/],
  ])("refuses %j in one line", (changes, message) => {
    expect(() => runStatic(spec(changes))).toThrow(message);
  });
});

describe("plans", () => {
  it("have the paper's experiments, each series once", () => {
    const all = [
      ...fig1Plan(1, 1),
      ...tablePlan(1),
      ...xtpPlan(1, 1),
      ...adaptivePlan(1, 1),
      ...allTargetsPlan(1, 1),
    ];
    expect(new Set(all.map(seriesKey)).size).toBe(all.length);
    expect(fig1Plan(1, 1)).toHaveLength(30);
    expect(adaptivePlan(1, 1)).toHaveLength(4 * 2 * 6 * 2);
    expect(tablePlan(1).map((one) => one.samples)).toEqual(HOURLY.map((line) => line.tests));
    expect(tablePlan(1, 50).every((one) => one.samples === 50)).toBe(true);
  });

  it("run sample by sample as they run whole", () => {
    const bench = { machine: machineNamed, adaptive: runTwin };
    const series: Series = { ...fig1Plan(3, 4)[6]!, writers: 64, targets: 16 };
    const whole = runPlan([series], bench).get(seriesKey(series));
    expect(whole).toEqual([0, 1, 2].map((sample) => runSample(series, sample, bench)));
    expect(() => runPlan([series, series], bench)).toThrow(/twice in the plan/);
  });
});

describe("parameters", () => {
  it("all change a run that uses them", () => {
    // A parameter that nothing reads would be calibrated in vain.
    const noisy: Series = { ...fig1Plan(2, 4)[15]!, writers: 192, targets: 24 };
    const machine = withParameters(jaguar, {
      lightSpread: 0.4,
      runSpeedSd: 0.1,
      degradedShare: 0.2,
      sharedHidden: 0.5,
      heavyJobs: 30,
    });
    const shape = (one: typeof jaguar) =>
      JSON.stringify([
        ...(["posix", "mpi-io"] as const).flatMap((method) =>
          [false, true].map((twoJobs) =>
            [0, 1].map((sample) =>
              runSample({ ...noisy, method, twoJobs }, sample, { machine: () => one, adaptive: runTwin }),
            ),
          ),
        ),
      ]);
    const before = shape(machine);
    const idle = PARAMETER_NAMES.filter((name) => {
      const value = machine.parameters[name];
      const felt: Partial<Record<typeof name, number>> = { networkRate: 1500, ingestRate: 60 };
      const other = felt[name] ?? (value === 0 ? 0.5 : value * 0.7);
      return shape(withParameters(machine, { [name]: other })) === before;
    });
    expect(idle).toEqual([]);
  });
});
