import { describe, expect, it } from "vitest";
import { Random } from "../../../../base/prng.ts";
import { quantile, sorted } from "../../../../base/statistics.ts";
import { COMPLETE, READ_KNOWN, WRITTEN_KNOWN } from "./records.ts";
import { groupedRuns } from "./index.ts";
import { plainRunRows, RUN_STRIDE } from "./run-rows.ts";
import { RunSample } from "./run-sample.ts";
import { Runs } from "./runs.ts";

describe("runs", () => {
  it("are grouped as a map would, also when they fill many parts", () => {
    const random = new Random(3);
    const rows = 200_000;
    const words = new Uint32Array(rows * RUN_STRIDE);
    const expected = new Map<
      string,
      { r: bigint; w: bigint; complete: boolean; read: boolean; written: boolean }
    >();
    for (let row = 0; row < rows; row++) {
      const run = [random.below(70_000), random.below(2)] as const;
      const bytes = () =>
        random.unit() < 0.3 ? 0n : random.unit() < 0.001 ? 2n ** 61n : BigInt(random.below(2 ** 40));
      const [r, w] = [bytes(), bytes()];
      const [complete, read, written] = [random.unit() < 0.99, random.unit() < 0.98, random.unit() < 0.98];
      const flags = (complete ? COMPLETE : 0) | (read ? READ_KNOWN : 0) | (written ? WRITTEN_KNOWN : 0);
      const split = (value: bigint) => [Number(value & 0xffffffffn), Number(value >> 32n)];
      words.set([...run, ...split(r), ...split(w), flags], row * RUN_STRIDE);
      const one = expected.get(run.join()) ?? { r: 0n, w: 0n, complete: true, read: true, written: true };
      if (read) one.r += r;
      if (written) one.w += w;
      one.complete &&= complete;
      one.read &&= read;
      one.written &&= written;
      expected.set(run.join(), one);
    }
    // As from another thread.
    const runs = Runs.of(
      0.5,
      structuredClone(groupedRuns({ rows: plainRunRows(words, rows), oneSided: 0.5 })),
    );
    const all = [...expected.values()];
    const whole = all.filter(({ complete }) => complete);
    const known = whole.filter(({ read, written }) => read && written);
    const moving = known.filter(({ r, w }) => r + w > 0n);
    const x = moving.map(({ r, w }) => Number(r > w ? r - w : w - r) / Number(r + w));
    expect(runs.count).toBe(all.length);
    expect(runs.partial).toBe(all.length - whole.length);
    expect(runs.unknown).toBe(whole.length - known.length);
    expect(runs.idle).toBe(known.length - moving.length);
    expect(runs.moving).toBe(moving.length);
    expect(runs.reads).toBe(moving.filter(({ r, w }) => r > w).length);
    expect(runs.writes).toBe(moving.filter(({ r, w }) => r < w).length);
    expect([...runs.oneSided]).toEqual(
      [0.9, 0.95, 0.99, 0.5].map((bound) => x.filter((one) => one >= bound).length),
    );
    expect(runs.sumOfX).toBeCloseTo(
      x.reduce((sum, one) => sum + one, 0),
      6,
    );
    const total = (list: typeof moving) => list.reduce((sum, { r, w }) => sum + r + w, 0n);
    expect(runs.bytes.read).toBe(total(moving.filter(({ r, w }) => r > w)));
    expect(runs.bytes.written).toBe(total(moving.filter(({ r, w }) => r < w)));
    const median = (list: typeof moving) => quantile(sorted(list.map(({ r, w }) => Number(r + w))), 0.5);
    expect(runs.medians).toEqual({
      read: median(moving.filter(({ r, w }) => r > w)),
      written: median(moving.filter(({ r, w }) => r < w)),
    });
  });

  it("have exact medians although not all of their amounts are kept, or say that they have none", () => {
    const rows = 400_000;
    const words = new Uint32Array(rows * RUN_STRIDE);
    const flags = COMPLETE | READ_KNOWN | WRITTEN_KNOWN;
    for (let row = 0; row < rows; row++) words.set([row, 7, row + 1, 0, 0, 0, flags], row * RUN_STRIDE);
    const medians = (kept?: number) => {
      const runs = new Runs(0.95, kept);
      runs.add(plainRunRows(words, rows));
      return runs.medians;
    };
    const expected = { read: rows / 2 + 0.5, written: Number.NaN };
    expect([undefined, rows].map(medians)).toEqual([expected, expected]);
    expect(medians(64)).toBeUndefined();
  });

  it.each([0, 1, 5])("are %i where there are no more, of one access each", (rows) => {
    const words = new Uint32Array(rows * RUN_STRIDE);
    for (let row = 0; row < rows; row++)
      words.set([row, 7, 10, 0, 0, 0, COMPLETE | READ_KNOWN | WRITTEN_KNOWN], row * RUN_STRIDE);
    const runs = new Runs(0.95);
    runs.add(plainRunRows(words, rows));
    expect([runs.count, runs.reads, runs.bytes.read]).toEqual([rows, rows, BigInt(10 * rows)]);
    expect(runs.sample.count).toBe(rows);
  });

  it("are sampled by hash, whatever their order", () => {
    const hashes = Array.from({ length: 5000 }, (_, i) => Math.imul(i, 0x9e3779b1) >>> 0);
    const take = (order: readonly number[]) => {
      const sample = new RunSample(300);
      for (const hash of order) sample.add(hash, hash / 2 ** 32, 1, hash);
      expect(sample.count).toBe(300);
      return [...sample.take().bytes];
    };
    const smallest = [...hashes].sort((a, b) => a - b).slice(0, 300);
    expect(take(hashes)).toEqual(smallest);
    expect(take([...hashes].reverse())).toEqual(smallest);
  });
});
