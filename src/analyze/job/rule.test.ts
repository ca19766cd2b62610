import { expect, it } from "vitest";
import { limit } from "./rule.ts";

it("a threshold in a line has value, unit, meaning and source", () => {
  const bytes = 2 * 1024;
  expect(limit`${bytes} bytes | calls below this are small | ours: "half" of a page`).toEqual({
    ...{
      value: 2048,
      unit: "bytes",
      meaning: "calls below this are small",
      source: 'ours: "half" of a page',
    },
  });
  expect(limit`0.3 ratio, at most | spread | a paper`).toEqual({
    ...{ value: 0.3, unit: "ratio", meaning: "spread", most: true, source: "a paper" },
  });
  expect(() => limit`much share | spread | a paper`).toThrow("a threshold has value, unit");
  expect(() => limit`1 share | spread`).toThrow("a threshold has value, unit");
});
