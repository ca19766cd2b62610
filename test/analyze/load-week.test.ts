import { describe, expect, it } from "vitest";
import { lastWeek } from "../../src/analyze/load/index.ts";

const minute = (text: string) => Date.parse(text) / 60_000;
const ZONE = "America/Los_Angeles";

describe("the week of a store", () => {
  it("is seven whole days of its zone", () => {
    const stored = { from: minute("2018-05-01T00:00Z"), to: minute("2018-06-11T15:30Z") };
    expect(lastWeek(ZONE, stored)).toEqual({
      from: minute("2018-06-04T07:00Z"),
      to: minute("2018-06-11T07:00Z"),
    });
  });

  it("keeps days whole where clocks change", () => {
    const stored = { from: minute("2018-03-01T00:00Z"), to: minute("2018-03-13T12:00Z") };
    expect(lastWeek(ZONE, stored)).toEqual({
      from: minute("2018-03-06T08:00Z"),
      to: minute("2018-03-13T07:00Z"),
    });
  });

  it("begins with the first whole day of a store that is younger", () => {
    const stored = { from: minute("2018-06-07T06:59Z"), to: minute("2018-06-11T07:02Z") };
    expect(lastWeek(ZONE, stored)).toEqual({
      from: minute("2018-06-07T07:00Z"),
      to: minute("2018-06-11T07:00Z"),
    });
    const hours = { from: minute("2018-06-07T10:00Z"), to: minute("2018-06-07T12:00Z") };
    expect(lastWeek(ZONE, hours)).toEqual(hours);
  });
});
