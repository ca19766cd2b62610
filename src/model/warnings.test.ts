import { describe, expect, it } from "vitest";
import { joinedNodeWarnings, nodesWarning } from "./warnings.ts";

describe("warnings about the nodes of a job", () => {
  it("of several rows add up, and keep other lines once", () => {
    const first = [nodesWarning(1200, "remounted"), nodesWarning(1, "cleared"), "job 7 overlaps"].join("\n");
    const second = [nodesWarning(1200, "remounted"), "job 7 overlaps"].join("\n");
    expect(joinedNodeWarnings(`${first}\n${second}`)).toEqual([
      "2,400 nodes: remounted",
      "1 node: cleared",
      "job 7 overlaps",
    ]);
  });
});
