import { describe, expect, it } from "vitest";
import { joinedWarnings, nodeWarningLines } from "./warnings.ts";

describe("warnings about the nodes of a job", () => {
  const first = { remounted: 1200, cleared: 1 };
  const second = { remounted: 1200 };
  const lines = [first, second].flatMap((row) => [
    ...nodeWarningLines(Object.entries(row)),
    "7 nodes: not counted",
  ]);

  it("of several rows add up, and keep other lines once", () => {
    expect(
      joinedWarnings(lines.join("\n"), [first, second].map((row) => JSON.stringify(row)).join("\n")),
    ).toEqual(["2,400 nodes: remounted", "1 node: cleared", "7 nodes: not counted"]);
  });

  it("of older stores, which have only lines, stand as they are", () => {
    expect(joinedWarnings(lines.join("\n"), "")).toEqual([
      "1,200 nodes: remounted",
      "1 node: cleared",
      "7 nodes: not counted",
    ]);
  });
});
