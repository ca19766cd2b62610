import { describe, expect, it } from "vitest";
import type { Unit } from "../model/finding.ts";
import { formatExact, formatTick, formatValue } from "./format.ts";

/** The narrow blank is hard to see in a table of expectations. */
const plain = (text: string) => text.replaceAll(",", "_");

describe("numbers for people", () => {
  const cases: readonly (readonly [number | bigint, Unit, string])[] = [
    [1_073_741_824, "bytes", "1.07 GB"],
    [1_073_741_824n, "bytes", "1.07 GB"],
    [0, "bytes", "0 B"],
    [512, "bytes", "512 B"],
    [1.39e9, "bytes/s", "1.39 GB/s"],
    [0.413, "share", "41.3 %"],
    [0.41, "share", "41 %"],
    [0, "share", "0 %"],
    [1, "share", "100 %"],
    [0.99999, "share", ">99.9 %"],
    [0.000001, "share", "<0.001 %"],
    [12.5, "share", "1_250 %"],
    [3.1, "ratio", "3.1×"],
    [2.34567, "ratio", "2.35×"],
    [1234, "calls", "1_234 calls"],
    [1, "calls", "1 call"],
    [1, "calls/s", "1 call/s"],
    [99_999, "count", "99_999"],
    [1_234_567, "count", "1.23 M"],
    [1234.6, "calls/s", "1_235 calls/s"],
    [0.5, "files", "0.5 files"],
    [1_234_567, "index", "1234567"],
    [2, "ranks", "2 ranks"],
    [0.0012, "seconds", "1.2 ms"],
    [35e-6, "seconds", "35 µs"],
    [4e-9, "seconds", "4 ns"],
    [0.99996, "seconds", "1 s"],
    [6.1666, "seconds", "6.17 s"],
    [59.8, "seconds", "1 min"],
    [90, "seconds", "1 min 30 s"],
    [7980, "seconds", "2 h 13 min"],
    [3599.9, "seconds", "1 h"],
    [200_000, "seconds", "2 d 8 h"],
    [-0.002, "seconds", "-2 ms"],
    [1_714_564_800, "unix-seconds", "2024-05-01T12:00:00Z"],
    [Number.NaN, "bytes", "not recorded"],
    [Number.NaN, "index", "not recorded"],
    [Number.POSITIVE_INFINITY, "seconds", "infinite"],
  ];
  it.each(cases)("writes %s %s as %s", (value, unit, text) => {
    expect(plain(formatValue(value, unit))).toBe(text);
  });
});

it("exact numbers have all their digits", () => {
  expect(plain(formatExact(1_073_741_824, "bytes"))).toBe("1_073_741_824 B");
  expect(plain(formatExact(18_446_744_073_709_551_615n, "bytes"))).toBe("18_446_744_073_709_551_615 B");
  expect(formatExact(0.07, "share")).toBe("7 %");
  expect(formatExact(0.4131592, "share")).toBe("41.31592 %");
  expect(formatExact(1.5, "share")).toBe("150 %");
  expect(plain(formatExact(1234.56789, "seconds"))).toBe("1_234.56789 s");
  expect(formatExact(1_714_564_800.25, "unix-seconds")).toBe("2024-05-01T12:00:00.250Z");
  expect(formatExact(Number.NaN, "calls")).toBe("not recorded");
  expect(formatExact(1e300, "unix-seconds")).toBe("1e+300 s");
});

it("ticks say zero without a unit and counts without a word", () => {
  expect(formatTick(0, "bytes")).toBe("0");
  expect(formatTick(500, "calls")).toBe("500");
  expect(formatTick(5e8, "bytes")).toBe("500 MB");
  expect(formatTick(1_714_564_800, "unix-seconds")).toBe("05-01 12:00");
});
