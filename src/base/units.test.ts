import { describe, expect, it } from "vitest";
import { formatBytes, formatRate, formatSeconds } from "./units.ts";

describe("numbers for people", () => {
  it("have three digits and an SI prefix", () => {
    expect(formatBytes(0)).toBe("0 B");
    expect(formatBytes(512)).toBe("512 B");
    expect(formatBytes(1073741824)).toBe("1.07 GB");
    expect(formatBytes(999.4)).toBe("999 B");
    expect(formatBytes(999_600)).toBe("1 MB");
    expect(formatBytes(2 ** 63)).toBe("9.22 EB");
    expect(formatRate(1.5e9)).toBe("1.5 GB/s");
    expect(formatSeconds(0.0123456)).toBe("0.0123 s");
  });
});
