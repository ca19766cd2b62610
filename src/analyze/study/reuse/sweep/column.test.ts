import { describe, expect, it } from "vitest";
import { Random } from "../../../../base/prng.ts";
import { PieceSpill } from "../../common/test-kit.ts";
import { Column, eachPage, Pages } from "./column.ts";

/** Values of some files, as numbers by file. */
function someValues(files: number): Map<number, number> {
  const random = new Random(files);
  const values = new Map<number, number>();
  for (let file = 0; file < files; file++)
    if (random.below(3) > 0) values.set(file, random.below(2 ** 40) / 7);
  return values;
}

describe.each([
  ["in memory", (): PieceSpill | undefined => undefined],
  ["on disk", (): PieceSpill | undefined => new PieceSpill()],
])("columns %s", (_, spillOf) => {
  it.each([0, 1, 300, 65_536, 200_000])("give back the values of %i files", (files) => {
    const spill = spillOf();
    const pages = spill && new Pages(spill);
    const [column, counts] = [new Column(pages), new Column(pages, 0)];
    const expected = someValues(files);
    for (const [file, value] of expected) {
      column.put(file, value);
      counts.put(file, file);
    }
    column.reach(files);
    counts.reach(files);
    const all = Array.from({ length: files }, (__, file) => expected.get(file) ?? Number.NaN);
    expect([...column.values()]).toEqual(all);
    expect([...column.known()]).toEqual([...expected.values()]);
    expect([...counts.passing((value) => value > 0)]).toEqual(
      [...expected.keys()].filter((file) => file > 0),
    );
    const places = [...expected.keys()].reverse().filter((file) => file % 7 === 0);
    expect([...column.at(places)]).toEqual(places.map((file) => expected.get(file)));
    const seen: number[] = [];
    eachPage([column, counts], ([values, numbers], from) => {
      expect(numbers.length).toBe(values.length);
      for (let i = 0; i < values.length; i++)
        if (!Number.isNaN(values[i])) seen.push(from + i - (numbers[i] as number));
    });
    expect(seen.length).toBe(expected.size);
    expect(seen.every((off) => off === 0)).toBe(true);
    // Full pages are elsewhere, and only those.
    if (spill !== undefined)
      expect(spill.pieces.size).toBe(files > 65_536 ? 2 * Math.floor(files / 65_536) : 0);
  });

  it("grow after they were looked at", () => {
    const spill = spillOf();
    const column = new Column(spill && new Pages(spill));
    for (const end of [100, 70_000, 70_001, 150_000]) {
      while (column.length < end) column.push(column.length);
      expect(column.values().every((value, i) => value === i)).toBe(true);
      expect(column.values().length).toBe(end);
    }
  });
});
