/** Slices of the selected files that play no more than their own OSTs and some beside them, against all runs played together. */
import { describe, expect, it } from "vitest";
import {
  AnswerSheetBuilder,
  Contention,
  centre,
  centreSlice,
  JoinedLoad,
  type Load,
  Population,
  SelectedSlice,
  type SliceReader,
} from "./index.ts";
import { type Group, SELECTED } from "./truth.ts";

const SLICES = 4;
const population = new Population({ seed: 11, scale: 2, background: 0.000002 });

/** `halo` OSTs on either side are played: less than all of the ring. */
const slicesOf = (halo: number): SelectedSlice[] =>
  Array.from({ length: SLICES }, (_, i) => new SelectedSlice(population, { index: i + 1, of: SLICES }, halo));

function reader({ times }: SelectedSlice): SliceReader {
  const [own, neighbours] = [times.own.values(), times.neighbours.values()];
  const next = (numbers: IterableIterator<number>) => numbers.next().value ?? Number.NaN;
  return { ...times, own: () => next(own), neighbour: () => next(neighbours) };
}

function sheet(load: Load): string {
  const builder = new AnswerSheetBuilder(population, load);
  for (const group of centre(population, load)) builder.add(group);
  return JSON.stringify(builder.finish(), (_, value) => (typeof value === "bigint" ? String(value) : value));
}

/** Milliseconds and seconds of I/O of every run on a selected file, by its number. */
function timesOf(groups: Iterable<Group>, into = new Map<number, number>()): Map<number, number> {
  for (const { runs } of groups)
    for (const { kind, number, durationMs, accesses } of runs) {
      if (kind !== SELECTED) continue;
      into.set(2 * number, durationMs);
      into.set(2 * number + 1, accesses[0]?.slowestSeconds ?? 0);
    }
  return into;
}

describe("slices of selected files", () => {
  it("have the runs and answers of all played together", () => {
    const slices = slicesOf(180);
    const whole = new Contention(population);
    expect(sheet(new JoinedLoad(population, slices.map(reader)))).toBe(sheet(whole));
    const times = new Map<number, number>();
    for (const [i, slice] of slices.entries())
      timesOf(centreSlice(population, { index: i + 1, of: SLICES }, slice), times);
    const expected = timesOf(centre(population, whole));
    expect(times.size).toBe(expected.size);
    expect(Array.from(expected).filter(([key, time]) => times.get(key) !== time)).toEqual([]);
  });

  it("are not joined where runs of neighbours hang on OSTs that were not played", () => {
    expect(() => sheet(new JoinedLoad(population, slicesOf(72).map(reader)))).toThrow(
      /disagree on the times/,
    );
  });
});
