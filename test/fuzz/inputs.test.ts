// A sample of the damaged inputs of inputs.long.test.ts, of every kind.

import { describe, expect, it } from "vitest";
import { campaignOf } from "./campaign.ts";
import { INPUT_KINDS } from "./input-kinds.ts";
import { tryInputs } from "./inputs.ts";

describe("damage is said in one line", () => {
  it.each(INPUT_KINDS.map((kind) => [kind.name, kind] as const))("%s", async (_, kind) => {
    const campaign = campaignOf(20180302, kind.costly ? 1 : 4);
    expect(await tryInputs(kind, campaign, `test/fuzz/inputs.test.ts -t "${kind.name}"`)).toBe("");
  });
});
