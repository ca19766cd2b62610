import { describe, expect, it } from "vitest";
import { Random } from "../../../base/prng.ts";
import { replayRuns, type StorageFit } from "./fluid.ts";
import type { RecordedRun } from "./recorded.ts";
import { placed, recordedSeconds } from "./schedule.ts";
import { constant, runOf, transferOf } from "./test-kit.ts";

const times = (runs: readonly RecordedRun[], fit: StorageFit) =>
  replayRuns(runs, fit).runs.map(({ read, write }) => read + write);

describe("recorded runs on shared targets", () => {
  it("one alone takes bytes over rate", () => {
    expect(times([runOf(1, 0, [transferOf()])], constant(100))).toEqual([10]);
  });

  it("two that start together share evenly; of unequal ones the rest runs alone", () => {
    expect(times([runOf(1, 0, [transferOf()]), runOf(2, 0, [transferOf()])], constant(100))).toEqual([
      20, 20,
    ]);
    const unequal = [runOf(1, 0, [transferOf()]), runOf(2, 0, [transferOf({ bytes: 3000 })])];
    // Both at 50 until 20 s; then 2000 bytes alone at 100.
    expect(times(unequal, constant(100))).toEqual([20, 40]);
  });

  it("one that starts later is held back only while they overlap", () => {
    // Alone to 5 s (500 left), then at 50 both: the first ends at 15, the second has 500 left, ends at 20.
    expect(times([runOf(1, 0, [transferOf()]), runOf(2, 5, [transferOf()])], constant(100))).toEqual([
      15, 15,
    ]);
  });

  it("a limit leaves room to the others", () => {
    const fit = { ...constant(100), limit: ({ id }: RecordedRun) => (id === "1" ? 20 : 1e9) };
    // 20 and 80 until 12.5 s, then 20 alone.
    expect(times([runOf(1, 0, [transferOf()]), runOf(2, 0, [transferOf()])], fit)).toEqual([50, 12.5]);
  });

  it("a transfer over two targets goes at the pace of the slower one", () => {
    const fit = { ...constant(0), rate: (target: number) => (target === 0 ? 100 : 50) };
    expect(times([runOf(1, 0, [transferOf({ targets: [0, 1] })])], fit)).toEqual([10]);
    // Another one on target 1 halves that one's share: 25 on each of two targets.
    const both = [
      runOf(1, 0, [transferOf({ targets: [0, 1] })]),
      runOf(2, 0, [transferOf({ targets: [1], bytes: 500 })]),
    ];
    expect(times(both, fit)).toEqual([20, 20]);
  });

  it("each further transfer costs what the fit says", () => {
    const fit = { ...constant(100), lossPerStream: 0.25 };
    expect(times([runOf(1, 0, [transferOf()]), runOf(2, 0, [transferOf()])], fit)).toEqual([25, 25]);
  });

  it("ranks serve as many files at once as there are of them, the next when one is done", () => {
    const files = [0, 1, 2, 3].map((target) => transferOf({ targets: [target] }));
    expect(times([runOf(1, 0, files, { ranks: 4 })], constant(100))).toEqual([10]);
    expect(times([runOf(1, 0, files, { ranks: 2 })], constant(100))).toEqual([20]);
    expect(recordedSeconds(runOf(1, 0, files, { ranks: 2 }))).toBe(20);
    expect(placed(runOf(1, 7, files, { ranks: 2 })).map(({ start }) => start)).toEqual([7, 7, 17, 17]);
  });

  it("writes come as long after the reads as recorded, and end with the run", () => {
    const write = transferOf({ write: true, targets: [1] });
    const run = runOf(1, 0, [transferOf()], { writes: [write], end: 100 });
    const other = runOf(2, 0, [transferOf()]);
    expect(placed(run).map(({ start, end }) => [start, end])).toEqual([
      [0, 10],
      [90, 100],
    ]);
    // Reads take 20 s beside the other run, so the writes begin at 100 s.
    const { transfers } = replayRuns([run, other], constant(100));
    expect(transfers.find(({ transfer }) => transfer.write)).toMatchObject({ start: 100, end: 110 });
  });

  it("counts bytes, busy seconds and transfers at once per target", () => {
    const { targets } = replayRuns([runOf(1, 0, [transferOf()]), runOf(2, 5, [transferOf()])], constant(100));
    expect(targets.get(0)).toEqual({ bytes: 2000, transfers: 2, busy: 20, streamSeconds: 30 });
  });

  it("agrees with small steps of time on random runs", () => {
    for (let seed = 1; seed <= 15; seed++) {
      const { runs, fit } = randomRuns(seed);
      const exact = times(runs, fit);
      const stepped = inSmallSteps(runs, fit, 0.002);
      exact.forEach((time, i) => {
        expect(Math.abs(time / (stepped[i] as number) - 1), `seed ${seed}, run ${i}`).toBeLessThan(0.005);
      });
    }
  });
});

function randomRuns(seed: number): { runs: RecordedRun[]; fit: StorageFit } {
  const random = new Random(seed);
  const rates = [60, 80, 100, 120];
  const limits = [1e9, 30, 70, 1e9, 15, 1e9];
  const runs = limits.map((_, i) => {
    const targets = rates.map((__, target) => target).filter(() => random.unit() < 0.4);
    const one = transferOf({
      bytes: 100 + 900 * random.unit(),
      targets: targets.length === 0 ? [i % rates.length] : targets,
    });
    return runOf(i, 10 * random.unit(), [one]);
  });
  const fit = {
    rate: (target: number) => rates[target] as number,
    limit: ({ id }: RecordedRun) => limits[Number(id)] as number,
    lossPerStream: seed % 2 === 0 ? 0.1 : 0,
  };
  return { runs, fit };
}

/** Max-min rates by raising all together a little at a time, and progress in steps. */
function inSmallSteps(runs: readonly RecordedRun[], fit: StorageFit, step: number): number[] {
  const left = runs.map(({ reads }) => reads[0]!.bytes);
  const done = runs.map(() => Number.NaN);
  const known = new Map<string, number[]>();
  for (let now = 0; done.some(Number.isNaN); now += step) {
    const active = runs.flatMap((run, i) => (run.start <= now && Number.isNaN(done[i]) ? [i] : []));
    const rates =
      known.get(active.join()) ??
      raised(
        active.map((i) => runs[i] as RecordedRun),
        fit,
      );
    known.set(active.join(), rates);
    active.forEach((i, k) => {
      left[i]! -= (rates[k] as number) * step;
      if (left[i]! <= 0) done[i] = now + step - (runs[i] as RecordedRun).start;
    });
  }
  return done;
}

function raised(active: readonly RecordedRun[], fit: StorageFit): number[] {
  const rates = active.map(() => 0);
  const growing = new Set(active.keys());
  const room = new Map<number, number>();
  for (const run of active)
    for (const target of run.reads[0]!.targets) {
      const count = active.filter((one) => one.reads[0]!.targets.includes(target)).length;
      room.set(target, fit.rate(target) / (1 + fit.lossPerStream * (count - 1)));
    }
  const drop = 0.005;
  while (growing.size > 0) {
    for (const i of growing) {
      const { targets } = active[i]!.reads[0]!;
      const limit = fit.limit(active[i]!, active[i]!.reads[0]!, 0);
      const isHeld =
        rates[i]! + drop * targets.length > limit || targets.some((target) => room.get(target)! < drop);
      if (isHeld) growing.delete(i);
      else {
        rates[i]! += drop * targets.length;
        for (const target of targets) room.set(target, room.get(target)! - drop);
      }
    }
  }
  return rates;
}
