import { describe, expect, it } from "vitest";
import { matches, stepsOf } from "./session.ts";

describe("a session", () => {
  it("is read from console blocks alone", () => {
    const text = "```console\n$ a\nout\n\n```\n```\n$ no\n```\n```console varies\n$ b\n```\n";
    expect(stepsOf(text)).toEqual([
      { line: 2, command: "a", expected: ["out", ""], varies: false },
      { line: 10, command: "b", expected: [], varies: true },
    ]);
  });

  it("must print what is written, and anything for …", () => {
    expect(matches(["a", "b", "c 17"], ["a", "…", "c …"])).toBe(true);
    expect(matches(["a", "c 17"], ["a", "…", "c …"])).toBe(true);
    expect(matches(["a", "b"], ["a"])).toBe(false);
    expect(matches(["a", "b"], ["b", "…"])).toBe(false);
    expect(matches(["1.5 s"], ["1.4 s"])).toBe(false);
  });

  it("that varies may have other times and rates, but no other counts", () => {
    const line = "67.1 MB in 3.24 s (20.7 MB/s), 256 blocks";
    expect(matches(["67.1 MB in 912 ms (73 MB/s), 256 blocks"], [line], true)).toBe(true);
    expect(matches(["67.1 MB in 3.24 s (20.7 MB/s), 255 blocks"], [line], true)).toBe(false);
    expect(matches(["a   1 s  4"], ["a  21.5 s    4"], true)).toBe(true);
    expect(matches(["67.2 MB in 3.24 s (20.7 MB/s), 256 blocks"], [line], true)).toBe(false);
  });
});
