import { describe, expect, it } from "vitest";
import { Random } from "../../../base/prng.ts";
import { withoutRun, withoutTarget } from "./answer.ts";
import { fitStorage, isHeldOut, nearestRuns } from "./fit.ts";
import { replayRuns, type StorageFit } from "./fluid.ts";
import { underPolicies } from "./policy.ts";
import type { RecordedRun } from "./recorded.ts";
import { constant, runOf, transferOf } from "./test-kit.ts";

/** Runs whose recorded times are those of a true storage: what a perfect recorder would have written down. */
function recordedOn(truth: StorageFit, runs: readonly RecordedRun[], noise = 0, seed = 1): RecordedRun[] {
  const random = new Random(seed);
  const taken = replayRuns(runs, truth).transfers;
  const secondsOf = (run: RecordedRun) =>
    new Map(
      taken.filter((one) => one.run === run).map(({ transfer, start, end }) => [transfer, end - start]),
    );
  return runs.map((run) => {
    const seconds = secondsOf(run);
    const told = (list: RecordedRun["reads"]) =>
      list.map((one) => ({ ...one, seconds: seconds.get(one)! * Math.exp(noise * (random.unit() - 0.5)) }));
    return { ...run, reads: told(run.reads), writes: told(run.writes) };
  });
}

/** On each of four targets, round after round: two that meet, and one that has the target for itself. */
const rounds = (count: number): RecordedRun[] =>
  Array.from({ length: count }, (_, i) => {
    const offset = [0, 3, 500][Math.floor(i / 4) % 3] as number;
    const one = transferOf({ targets: [i % 4], bytes: 1000 + 10 * (i % 37) });
    return runOf(i + 1, 1000 * Math.floor(i / 12) + offset, [one]);
  });

describe("a model fitted to recorded runs", () => {
  it("finds the rate of each target when storage is as simple as the model", () => {
    const truth = { ...constant(0), rate: (target: number) => 100 * (1 + target) };
    const runs = recordedOn(truth, rounds(200));
    const { storage, error } = fitStorage(runs);
    for (const target of [0, 1, 2, 3]) expect(storage.rate(target) / truth.rate(target)).toBeCloseTo(1, 6);
    expect(storage.lossPerStream).toBe(0);
    expect(error.runs).toBe(runs.filter(isHeldOut).length);
    expect(error.runs).toBeGreaterThan(20);
    expect(error.median).toBeLessThan(1e-6);
    expect(error.p90).toBeLessThan(0.02);
  });

  it("finds that sharing costs", () => {
    const truth = { ...constant(100), lossPerStream: 0.2 };
    expect(fitStorage(recordedOn(truth, rounds(200))).storage.lossPerStream).toBe(0.2);
  });

  it("looks at the runs nearest to the question, and not at more than it must", () => {
    const many = rounds(9000);
    const near = nearestRuns(many, 100_000);
    expect(near).toHaveLength(4000);
    expect(near.map(({ start }) => start)).toEqual(near.map(({ start }) => start).toSorted((a, b) => a - b));
    // Every run that was under way then is among them.
    const under = many.filter(({ start, end }) => start <= 100_000 && end >= 100_000);
    expect(near).toEqual(expect.arrayContaining(under.slice(0, 50)));
  });

  it("says how much worse it would be if runs did not meet", () => {
    const { error } = fitStorage(recordedOn(constant(100), rounds(200)));
    expect(error.median).toBeLessThan(1e-6);
    // Most of the held-out runs that meet another take up to twice as long.
    expect(error.alone).toBeGreaterThan(0.05);
  });

  it("knows a file that a program comes back to by its own rate", () => {
    // One program, files of 100, 200, 300 and 400 bytes per second, targets that are never the limit.
    const runs = Array.from({ length: 200 }, (_, i) => {
      const bytesPerSecond = 100 * (1 + (i % 4));
      const bytes = 1000 + 10 * (i % 37);
      const one = transferOf({ file: `f${i % 4}`, targets: [i % 4], bytes, seconds: bytes / bytesPerSecond });
      return runOf(i + 1, 1000 * i, [one]);
    });
    const { storage, error } = fitStorage(runs);
    for (const run of runs.slice(0, 4)) {
      const [transfer] = run.reads as [(typeof run.reads)[0]];
      expect(storage.limit(run, transfer, run.start) / (transfer.bytes / transfer.seconds)).toBeCloseTo(1, 6);
    }
    expect(error.median).toBeLessThan(1e-6);
  });

  it("tells noise as an error, and not as knowledge", () => {
    const { error } = fitStorage(recordedOn(constant(100), rounds(400), 2));
    expect(error.median).toBeGreaterThan(0.1);
    expect(error.p90).toBeGreaterThan(error.median);
  });
});

describe("questions", () => {
  const two = [runOf(1, 0, [transferOf()]), runOf(2, 0, [transferOf()])];

  it("without one of two runs on a target the other takes half as long", () => {
    const { changed, removed, unchanged, targets } = withoutRun(two, "1", constant(100));
    expect(changed).toMatchObject([{ id: "2", before: 20, after: 10, expected: 5 }]);
    expect(removed).toMatchObject({ id: "1", before: 20 });
    expect(unchanged).toBe(0);
    expect(targets).toMatchObject([
      { target: 0, bytesBefore: 2000, bytesAfter: 1000, busyBefore: 20, busyAfter: 10 },
    ]);
  });

  it("a run that met nobody changes nobody", () => {
    const apart = [runOf(1, 0, [transferOf()]), runOf(2, 500, [transferOf()])];
    expect(withoutRun(apart, "1", constant(100))).toMatchObject({ changed: [], unchanged: 1 });
  });

  it("without a target its data lies on the others of the file, or on the least loaded", () => {
    const runs = [
      runOf(1, 0, [transferOf({ targets: [0, 1] })]),
      runOf(2, 0, [transferOf({ targets: [2], bytes: 400 })]),
      runOf(3, 300, [transferOf({ targets: [1] })]),
    ];
    // Run 1 loses half its width: 200 to 100; run 3 moves from 1 to 2, which has the fewest bytes, and takes as long.
    const { changed, targets } = withoutTarget(runs, 1, constant(100));
    expect(changed).toMatchObject([{ id: "1", before: 5, after: 10 }]);
    expect(targets.map(({ bytesAfter }) => bytesAfter)).toEqual([1000, 0, 1400]);
  });

  it("under a policy the writes of a run spread over all targets", () => {
    const writes = [transferOf({ write: true, bytes: 4_000_000, ranks: 4, targets: [0], seconds: 40 })];
    const one = runOf(9, 0, [], { ranks: 4, writes, end: 40, application: "writer" });
    // Each target shows 100 kB/s when it is alone, and a rank can do as much.
    const seen = [0, 1, 2, 3].flatMap((target) =>
      Array.from({ length: 5 }, (_, i) =>
        runOf(100 + 5 * target + i, 1000 * (i + 1), [
          transferOf({ bytes: 1_000_000, targets: [target], seconds: 10 }),
        ]),
      ),
    );
    const { storage } = fitStorage([...seen, one]);
    const answer = underPolicies([...seen, one], "9", ["static", "paper"], storage);
    expect(answer).toMatchObject({ bytes: 4_000_000, recordedSeconds: 40, ownTargets: 1, targets: 4 });
    expect(answer.replayedSeconds).toBeCloseTo(40, 3);
    for (const { seconds } of answer.times) expect(seconds).toBeCloseTo(10, 1);
  });

  it("another run that writes to one of the targets meanwhile holds a policy back by half there", () => {
    const writes = [transferOf({ write: true, bytes: 2_000_000, ranks: 2, targets: [0], seconds: 20 })];
    const one = runOf(9, 0, [], { ranks: 2, writes, end: 20, application: "writer" });
    const busy = runOf(8, 0, [transferOf({ bytes: 100_000_000, targets: [1], seconds: 1000 })]);
    const fit = {
      ...constant(100_000),
      ...{ targets: [0, 1], usualRate: 100_000, limitQuantile: 1, rankRate: 1e9 },
    };
    const [time] = underPolicies([busy, one], "9", ["static"], fit).times;
    expect(time?.seconds).toBeCloseTo(20, 1);
  });

  it("a run without writes has nothing to place", () => {
    const fit = { ...constant(100), targets: [0], usualRate: 100, limitQuantile: 1, rankRate: 100 };
    expect(() => underPolicies(two, "1", ["paper"], fit)).toThrow("run 1 wrote nothing with known targets");
  });
});
