import { describe, expect, it } from "vitest";
import { explainDocument, explainFigures, explainJson } from "./explain.ts";
import { PUBLISHED_OVERHEAD } from "./published.ts";

const pair = (part: string) => {
  const { left, right } = explainJson(32).figure1.find((one) => one.part === part)!;
  return [left, right] as const;
};
/** Blocks of 512 bytes in S. */
const BLOCKS = 2 ** 20 / 512;

describe("Figure 1", () => {
  it("(a): IOPS is 1/T on both sides, BPS doubles as the time halves", () => {
    const [left, right] = pair("a");
    expect([left.iops, right.iops]).toEqual([1, 1]);
    expect([left.seconds, right.seconds]).toEqual([2, 1]);
    expect([left.bps, right.bps]).toEqual([(2 * BLOCKS) / 2, (2 * BLOCKS) / 1]);
  });

  it("(b): bandwidth doubles, BPS and time stay", () => {
    const [left, right] = pair("b");
    expect(right.bandwidth / left.bandwidth).toBe(2);
    expect([left.bps, left.seconds]).toEqual([right.bps, right.seconds]);
  });

  it("(c): ARPT is T on both sides, BPS doubles as the time halves", () => {
    const [left, right] = pair("c");
    expect([left.arpt, right.arpt]).toEqual([1, 1]);
    expect([left.seconds, right.seconds]).toEqual([2, 1]);
    expect(right.bps / left.bps).toBe(2);
  });

  it("is drawn, each rectangle as long as its request", () => {
    const drawn = explainFigures();
    expect(drawn.map(({ id }) => id)).toEqual(["figure-01a", "figure-01b", "figure-01c", "figure-02"]);
    for (const { chart } of drawn)
      if (chart.kind === "spans")
        expect(chart.spans.every(({ x1, x2, y1, y2 }) => x2 > x1 && y2 > y1)).toBe(true);
  });
});

describe("Figures 2 and 3", () => {
  it("as meant give the length of the union, found second by second in the drawing", () => {
    const { chart } = explainFigures().find(({ id }) => id === "figure-02")!;
    const requests = chart.kind === "spans" ? chart.spans.filter(({ role }) => role === "read") : [];
    let seconds = 0;
    for (let t = 0; t < 10; t++) if (requests.some(({ x1, x2 }) => x1 <= t && t < x2)) seconds++;
    const { meantSeconds, plimsollSeconds } = explainJson(32).figure2;
    expect([requests.length, meantSeconds, plimsollSeconds]).toEqual([4, seconds, seconds]);
  });

  it("as printed keep the last stretch", () => {
    expect(explainJson(32).figure2.printedSeconds).toBe(1);
  });
});

it("the paper's 3 MB of records are 2 MB", () => {
  expect(PUBLISHED_OVERHEAD.find(({ id }) => id === "records")).toMatchObject({
    here: "2.1 MB (2,097,120 bytes)",
    holds: false,
  });
  expect(explainDocument("", "", 32).verdict).toMatch(/gives 1 s for Figure 2 where 6 s are meant/);
});
