import { describe, expect, it } from "vitest";
import { formatBytes, formatRate, formatSeconds, formatSize } from "./units.ts";

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

  it("have binary units where they are sizes", () => {
    const sizes = [
      0,
      512,
      1000,
      1023,
      1024,
      4096,
      47_500,
      1000 * 1024,
      1_047_950,
      2 ** 20,
      3.5 * 2 ** 20,
      3e6,
    ];
    expect(sizes.map(formatSize)).toEqual(
      "0 B,512 B,1000 B,1023 B,1 KiB,4 KiB,46.4 KiB,1000 KiB,1023 KiB,1 MiB,3.5 MiB,2.86 MiB".split(","),
    );
    expect([1_048_500, 2 ** 30, 1.5 * 2 ** 40].map(formatSize)).toEqual(["1 MiB", "1 GiB", "1.5 TiB"]);
  });
});
