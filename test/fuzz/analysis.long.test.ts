// 4,000 mutated logs through report, findings and diff.

import { expect, it } from "vitest";
import { analyzeMutants } from "./analysis.ts";
import { campaignOf } from "./campaign.ts";

const RSS_MIB_MAX = 1536;

it("judges 4,000 mutated logs in bounded time and memory", { timeout: 3_600_000 }, async () => {
  // A failure names this command, which needs no long run.
  expect(await analyzeMutants(campaignOf(20131118, 4_000), "test/fuzz/analysis.test.ts")).toBe("");
  expect(process.resourceUsage().maxRSS / 1024).toBeLessThan(RSS_MIB_MAX);
});
