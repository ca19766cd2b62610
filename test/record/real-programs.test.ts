/** The program never notices, and the trace has the bytes that strace sees: a few programs; the long test has all. */
import { afterAll, describe, expect, it } from "vitest";
import { Workshop } from "./kit.ts";
import { bothBytes, isThere, sums } from "./real-kit.ts";
import { PROGRAMS, QUICK } from "./real-programs.ts";

const shop = new Workshop();
afterAll(() => shop.remove());

describe("is the same with and without, and has the bytes that strace sees", () => {
  it.each(PROGRAMS.filter((one) => QUICK.has(one.name) && isThere(one)))("$name", (program) => {
    const { recorded, traced } = bothBytes(shop, program);
    expect(Object.keys(traced).length).toBeGreaterThan(0);
    if (program.unequal === undefined) expect(recorded).toEqual(traced);
    else expect(sums(recorded)).toEqual(sums(traced));
  });
});
