/** The program never notices: at least 20 real programs; and the trace has the bytes per file and direction that strace sees. */
import { afterAll, describe, expect, it } from "vitest";
import { Workshop } from "./kit.ts";
import { bothBytes, isThere, sums } from "./real-kit.ts";
import { PROGRAMS } from "./real-programs.ts";

const shop = new Workshop();
afterAll(() => shop.remove());
const there = PROGRAMS.filter(isThere);

it("finds enough programs to try", () => {
  expect(there.length).toBeGreaterThanOrEqual(20);
});

describe("is the same with and without, and has the bytes that strace sees", () => {
  it.each(there)("$name", { timeout: 300_000 }, (program) => {
    const { recorded, traced } = bothBytes(shop, program);
    const { read, written } = sums(recorded);
    if (program.totalBytes !== undefined) expect(read + written).toBe(program.totalBytes);
    else if (program.unequal === undefined) expect(recorded).toEqual(traced);
    else expect(sums(recorded)).toEqual(sums(traced));
  });
});
