// Damaged inputs of every kind through the commands that read them.

import { describe, expect, it } from "vitest";
import { campaignOf } from "./campaign.ts";
import { INPUT_KINDS } from "./input-kinds.ts";
import { tryInputs } from "./inputs.ts";

describe("damage is said in one line", () => {
  it.each(INPUT_KINDS.map((kind) => [kind.name, kind] as const))(
    "%s",
    { timeout: 3_600_000 },
    async (_, kind) => {
      const campaign = campaignOf(20131118, kind.costly ? 20 : 100);
      // A failure names the short test, which tries one mutant as well.
      expect(await tryInputs(kind, campaign, `test/fuzz/inputs.test.ts -t "${kind.name}"`)).toBe("");
    },
  );
});
