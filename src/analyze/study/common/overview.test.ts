import { describe, expect, it } from "vitest";
import type { StudyFinding } from "./finding.ts";
import { overviewFigure } from "./overview.ts";

const finding = (
  id: string,
  published: number | null,
  measured: number,
  interval: [number, number],
): StudyFinding => ({
  ...{ id, title: `title of ${id}`, statement: "", decidedBy: "A", published, measured, interval },
  ...{ verdict: "confirmed", reason: "", n: 1, minimum: 1, unit: "files", claims: [], sensitivity: [] },
});
const options = { level: 0.95, seed: 1 };

describe("the picture beside the headline", () => {
  it("has the quotients with their intervals, and says what has none", () => {
    const figure = overviewFigure(
      [
        finding("F1", 2, 3, [2, 4]),
        finding("F2", -0.5, -0.25, [-0.5, -0.125]),
        finding("F3", null, 3, [2, 4]),
        finding("F4", 2, Number.NaN, [Number.NaN, Number.NaN]),
      ],
      options,
    );
    if (figure?.chart.kind !== "bars") throw new Error("no bars");
    expect(figure.chart.categories).toEqual(["F1 title of F1", "F2 title of F2"]);
    expect(figure.chart.series[0]).toMatchObject({ values: [1.5, 0.5], low: [1, 0.25], high: [2, 1] });
    expect(figure.caption).toContain("F3, F4");
    expect(figure.summary).toContain("F2 (title of F2), 0.5 times");
  });

  it("is not drawn of a single finding", () => {
    expect(overviewFigure([finding("F1", 2, 3, [2, 4])], options)).toBeUndefined();
  });
});
