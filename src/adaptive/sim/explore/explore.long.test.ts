import { expect, it } from "vitest";
import { explore } from "./explore.ts";
import { EXPLORED_POLICIES } from "./scenario.ts";

it("2,000 runs with faults break no invariant", async () => {
  const tally = await explore({ seed: 1, count: 2000, policies: EXPLORED_POLICIES, threads: 1 });
  expect(tally.violations).toEqual([]);
  expect(tally.runs).toBe(2000);
  expect(tally.complete + tally.aborted + tally.nobodyLeft).toBe(2000);
  // The faults are real, and most of them are survived.
  expect(tally.complete).toBeGreaterThan(1450);
  expect(tally.aborted).toBeGreaterThan(200);
  expect(Object.keys(tally.reasons).length).toBeGreaterThan(4);
  // Ranks that are left alone continue by themselves, unless messages take longer than what counts as death.
  const orphaned = Object.keys(tally.reasons).filter((reason) => /has no answer/.test(reason));
  expect(orphaned).toEqual([
    "rank N has no answer from any coordinator: messages were delayed beyond the silence of N s that counts as death",
  ]);
  expect(tally.reasons[orphaned[0] as string]).toBeLessThan(15);
});
