import { describe, expect, it } from "vitest";
import type { RunSpec } from "../experiments/run.ts";
import { machineNamed, withParameters } from "../machines/index.ts";
import { simulateStep } from "./step.ts";

const MB = 1048576;
/** Without background, differences between targets, or contention: closed forms hold. */
const quiet = withParameters(machineNamed("jaguar"), {
  ...{ lightStreams: 0, heavyJobs: 0, speedSd: 0, runSpeedSd: 0, degradedShare: 0, runSpread: 0 },
  ...{
    dirtyLimit: 0,
    opOverhead: 0,
    startJitter: 0,
    diskRate: 100,
    clientRate: 1000,
    networkRate: 1e9,
    ingestRate: 1e6,
  },
  ...{ diskFloor: 1, ingestFloor: 1, sharedFloor: 1, sharedBytes: 0, sharedFactor: 1 },
});

const spec = (more: Partial<RunSpec> = {}): RunSpec => ({
  machine: quiet,
  writers: 8,
  bytes: 100 * MB,
  targets: 4,
  run: { seed: 1, sample: 0, samples: 1 },
  ...more,
});

describe("a simulated step", () => {
  it.each(["static", "paper", "plimsoll", "mpi-io"])(
    "of %s on quiet targets takes the bytes of a target over its rate",
    (policy) => {
      const { run } = simulateStep({ spec: spec(), policy, title: "t" });
      expect(run.outcome).toBe("complete");
      expect(run.bytes).toBe(800 * MB);
      // Two writers of 100 MB per target at 100 MB/s; messages take milliseconds.
      expect(run.seconds).toBeGreaterThan(1.999);
      expect(run.seconds).toBeLessThan(2.05);
      expect(run.calls.endNs.subarray(0, run.calls.count).every((end) => end <= 1e9 * run.seconds + 1)).toBe(
        true,
      );
      expect(Math.min(...run.calls.startNs.subarray(0, run.calls.count))).toBeGreaterThanOrEqual(-1);
    },
  );

  it("is the same for the same seed, event by event, and another for another", () => {
    const machine = machineNamed("jaguar");
    const hashOf = (seed: number) => {
      const run = { seed, sample: 0, samples: 1 };
      return simulateStep({ spec: spec({ machine, run, writers: 64 }), policy: "paper", title: "t" }).hash;
    };
    expect(hashOf(3)).toBe(hashOf(3));
    expect(hashOf(3)).not.toBe(hashOf(4));
  });

  it("keeps an MPI-IO file to the targets that one file may have", () => {
    const wide = spec({ writers: 400, targets: 400, bytes: MB });
    const { run } = simulateStep({ spec: wide, policy: "mpi-io", title: "t" });
    expect(new Set(run.calls.file).size).toBe(160);
  });

  it("hands on what it learned", () => {
    const { learned } = simulateStep({ spec: spec({ writers: 64 }), policy: "plimsoll", title: "t" });
    expect(learned?.rates.length).toBe(4);
    expect([...(learned?.rates ?? [])].every((rate) => rate > 50 * MB && rate < 200 * MB)).toBe(true);
  });

  it("is the last of several, each with another background and what those before it learned", () => {
    const slow = withParameters(quiet, { speedSd: 0.5 });
    const lastOf = (steps: number) =>
      simulateStep({ spec: spec({ machine: slow, writers: 64 }), policy: "plimsoll", title: "t", steps });
    expect(lastOf(1).hash).not.toBe(lastOf(2).hash);
    expect(lastOf(2).hash).not.toBe(lastOf(3).hash);
    expect(lastOf(3).run.bytes).toBe(lastOf(1).run.bytes);
  });

  it("says in one line what cannot be run", () => {
    const wrong =
      (more: Partial<RunSpec>, policy = "paper") =>
      () =>
        simulateStep({ spec: spec(more), policy, title: "t" });
    expect(wrong({ targets: 0 })).toThrow(
      "0 targets: expected a whole number from 1; there is nowhere to write",
    );
    expect(wrong({ targets: 700 })).toThrow("700 targets: jaguar has 672");
    expect(wrong({ bytes: 0 })).toThrow(
      "0 bytes per writer: expected a whole number from 1; there is nothing to write",
    );
    expect(wrong({ writers: 1e9 })).toThrow("more than the 4 GiB of memory");
    expect(wrong({}, "best")).toThrow("unknown policy best (known: paper, plimsoll, static, mpi-io)");
  });
});
