import { describe, expect, it } from "vitest";
import { threeCentres } from "./cluster.ts";

describe("three clusters", () => {
  it("end at the means of what lies around the corners", () => {
    const x = Float64Array.of(12, 11.8, 0, 0.2, 12, 11.9);
    const y = Float64Array.of(0, 0.2, 11, 11.2, 12, 11.9);
    const centres = threeCentres(x, y).map(([cx, cy]) => [cx.toFixed(2), cy.toFixed(2)]);
    expect(centres).toEqual([
      ["11.90", "0.10"],
      ["0.10", "11.10"],
      ["11.95", "11.95"],
    ]);
  });

  it("keep an empty one where it began", () => {
    const [read, written, both] = threeCentres(Float64Array.of(5, 5), Float64Array.of(7, 7));
    expect([read, written, both]).toEqual([
      [5, 7],
      [5, 7],
      [5, 7],
    ]);
  });
});
