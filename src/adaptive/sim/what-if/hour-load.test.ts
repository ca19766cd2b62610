import { describe, expect, it } from "vitest";
import { Random } from "../../../base/prng.ts";
import { withoutRun } from "./answer.ts";
import { fitStorage } from "./fit.ts";
import { fitHourLoad } from "./hour-load.ts";
import { replayRuns, type StorageFit } from "./fluid.ts";
import type { RecordedRun } from "./recorded.ts";
import { reproduction } from "./reproduced.ts";
import { placed } from "./schedule.ts";
import { constant, runOf, transferOf } from "./test-kit.ts";

const HOUR = 3600;
const SLOPE = 0.02;

/** Load of an hour: anything from a third to three times the median. */
function loads(count: number): number[] {
  const random = new Random(7);
  return Array.from({ length: count }, () => Math.exp(1.1 * (2 * random.unit() - 1)));
}

/** Forty files on four targets, read again and again over ten days; files of even number take the square of the load. */
function world(): { runs: RecordedRun[]; truth: StorageFit; load: number[] } {
  const random = new Random(3);
  const load = loads(240);
  const own = (file: string) => 10 + Number(file.slice(1));
  const power = (file: string) => (Number(file.slice(1)) % 2 === 0 ? 2 : 1);
  const truth: StorageFit = {
    ...constant(1e9),
    limit: (_, { file }, at) =>
      own(file) / (load[Math.min(239, Math.floor(at / HOUR))] as number) ** power(file),
    slope: SLOPE,
  };
  const plain = Array.from({ length: 2400 }, (_, i) => {
    const file = random.below(40);
    const write = file % 2 === 1;
    const one = transferOf({ file: `f${file}`, targets: [file % 4], bytes: 9000, write });
    const start = random.below(240 * HOUR);
    return runOf(i + 1, start, write ? [] : [one], write ? { writes: [one], end: start + 1 } : {});
  });
  const ordered = plain.toSorted((a, b) => a.start - b.start);
  const taken = new Map(
    replayRuns(ordered, truth).transfers.map(({ transfer, start, end }) => [transfer, { start, end }]),
  );
  const told = (list: RecordedRun["reads"]) =>
    list.map((one) => ({ ...one, seconds: taken.get(one)!.end - taken.get(one)!.start }));
  const runs = ordered.map((run) => {
    const end = run.writes.length > 0 ? taken.get(run.writes[0]!)!.end : run.end;
    return { ...run, end, reads: told(run.reads), writes: told(run.writes) };
  });
  return { runs, truth, load };
}

describe("loads of hours", () => {
  const { runs, load } = world();

  it("come out of recorded times, with what others on the same target cost", () => {
    const { loadAt, slope } = fitHourLoad(runs.flatMap(placed));
    const found = load.map((_, hour) => Math.log(loadAt((hour + 0.5) * HOUR)));
    const true_ = load.map(Math.log);
    const mean = (list: number[]) => list.reduce((a, b) => a + b) / list.length;
    const [a, b] = [mean(found), mean(true_)];
    const covariance = mean(found.map((x, i) => (x - a) * (true_[i]! - b)));
    const spread = (list: number[], at: number) => Math.sqrt(mean(list.map((x) => (x - at) ** 2)));
    expect(covariance / spread(found, a) / spread(true_, b)).toBeGreaterThan(0.98);
    expect(slope / SLOPE).toBeGreaterThan(0.85);
    expect(slope / SLOPE).toBeLessThan(1.15);
  });

  it("are taken where they predict other runs better, and those are met within a tenth", () => {
    const { storage, error } = fitStorage(runs);
    expect(storage.loadAt).toBeDefined();
    expect(error.median).toBeLessThan(0.1);
    expect(error.met.runs).toBeGreaterThan(20);
    expect(error.met.median).toBeLessThan(error.met.alone);
  });

  it("are left out where hours do not differ", () => {
    const flat = runs.map((run) => {
      const same = (list: RecordedRun["reads"]) => list.map((one) => ({ ...one, seconds: 100 }));
      return { ...run, reads: same(run.reads), writes: same(run.writes) };
    });
    expect(fitStorage(flat).storage.loadAt).toBeUndefined();
  });
});

describe("a replay that does not give back what was recorded", () => {
  // On targets of 100 bytes per second both take 20 s; one of them recorded 2 s.
  const two = [runOf(1, 0, [transferOf({ seconds: 20 })]), runOf(2, 0, [transferOf({ seconds: 2 })])];

  it("gives no answer, and says by how much it is off", () => {
    const answer = withoutRun(two, "1", constant(100));
    const { reproduced, why } = reproduction(0.05, { answer });
    expect(reproduced).toBe(false);
    expect(why).toBe(
      "the 2 runs in question recorded 22 s of I/O and the replay is off by 18 s (limit 25 %)",
    );
  });

  it("gives none either when runs left out of the fit are far off", () => {
    const alike = two.map((run) => ({ ...run, reads: [transferOf({ seconds: 20 })] }));
    const answer = withoutRun(alike, "1", constant(100));
    expect(reproduction(0.05, { answer })).toEqual({ reproduced: true, why: undefined });
    expect(reproduction(0.6, { answer }).why).toContain("are off by 60 % or more");
  });
});
