// A few mutants of those in analysis.long.test.ts.

import { expect, it } from "vitest";
import { analyzeMutants } from "./analysis.ts";
import { campaignOf } from "./campaign.ts";

it("judges 80 mutated logs without a crash, a hang or a number that is none", async () => {
  expect(await analyzeMutants(campaignOf(20180302, 80), "test/fuzz/analysis.test.ts")).toBe("");
});
