import { expect, it } from "vitest";
import { roundTimes } from "./clock-names.ts";

const minutes = (from: number, count: number) =>
  Array.from({ length: count }, (_, at) => {
    const minute = from + at;
    const two = (value: number) => String(value).padStart(2, "0");
    return `${two(Math.floor(minute / 60) % 24)}:${two(minute % 60)}`;
  });

it("times under an axis are round, at most eight, and as many as fit", () => {
  const names = minutes(17 * 60 + 3, 92);
  const shown = (roundTimes(names, 20) ?? []).map((at) => names[at]);
  expect(shown).toEqual(["17:15", "17:30", "17:45", "18:00", "18:15", "18:30"]);
  expect((roundTimes(names, 3) ?? []).map((at) => names[at])).toEqual(["17:30", "18:00", "18:30"]);
  const day = minutes(0, 1440);
  expect((roundTimes(day, 20) ?? []).map((at) => day[at])).toHaveLength(8);
});

it("where too few or too many times are round, every second or third is written", () => {
  const names = Array.from({ length: 17 }, (_, at) => minutes(14 * 60 + 20 + 90 * at, 1)[0] as string);
  expect((roundTimes(names, 20) ?? []).map((at) => names[at])).toEqual([
    ...["14:20", "18:50", "23:20", "03:50", "08:20", "12:50"],
  ]);
});

it("few names, and names that are no times, are left to the chart", () => {
  expect(roundTimes(minutes(0, 10), 20)).toBeUndefined();
  expect(roundTimes([...minutes(0, 20), "other"], 20)).toBeUndefined();
  expect(roundTimes(["06-07 06:59", ...minutes(0, 20)], 20)).toBeDefined();
});
