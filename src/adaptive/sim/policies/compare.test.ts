import { describe, expect, it } from "vitest";
import { machineNamed } from "../machines/index.ts";
import { COMPARED, policySettings, runPolicy } from "./compare.ts";

const machine = machineNamed("jaguar");
const small = { sizeMb: 8, writers: 48, targets: 12, interference: false, steps: 3, seed: 7 } as const;

describe("policies beside each other", () => {
  it("every size, number of writers and condition is a setting", () => {
    const settings = policySettings();
    expect(settings).toHaveLength(4 * 4 * 2);
    expect(new Set(settings.map((one) => JSON.stringify(one))).size).toBe(settings.length);
  });

  it("give the same steps for the same seed, and others for another", () => {
    for (const policy of COMPARED) {
      const steps = runPolicy({ ...small, policy }, machine);
      expect(steps).toHaveLength(3);
      expect(runPolicy({ ...small, policy }, machine)).toEqual(steps);
      expect(runPolicy({ ...small, policy, seed: 8 }, machine)).not.toEqual(steps);
    }
  });

  it("where the paper cannot adapt, it does what static does", () => {
    const few = { ...small, writers: 12 };
    const [paper, fixed] = (["paper", "static"] as const).map((policy) =>
      runPolicy({ ...few, policy }, machine),
    );
    paper?.forEach((step, i) => {
      expect(step.seconds / (fixed?.[i]?.seconds ?? 0)).toBeCloseTo(1, 1);
      expect(step.movedShare).toBe(0);
    });
  });

  it("history is all that tells the last two apart: the first step is the same, later ones may differ", () => {
    const [known, forgotten] = (["plimsoll", "plimsoll, no history"] as const).map((policy) =>
      runPolicy({ ...small, policy }, machine),
    );
    expect(known?.[0]).toEqual(forgotten?.[0]);
    expect(known?.slice(1)).not.toEqual(forgotten?.slice(1));
  });
});
