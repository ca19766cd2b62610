/** What all rules build on: numbers in sentences, lists of files. */
import { describe, expect, it } from "vitest";
import type { Job, JobFile } from "../job.ts";
import { worstFiles } from "./evidence.ts";
import { oncePerJob } from "../once-per-job.ts";
import { many, partOf, partOfBytes, percent, rough, secondsText, sizeText, times } from "./wording.ts";

describe("numbers in sentences", () => {
  it("have three digits, and counts all of theirs", () => {
    expect(percent(1, 3)).toBe("33.3 %");
    expect(partOf(30_512, 32_768, "writes")).toBe("93.1 % of writes (30,512 of 32,768)");
    expect(many(1, "file")).toBe("1 file");
    expect(many(4096, "file")).toBe("4,096 files");
    expect(times(10 / 3)).toBe("3.33 times");
    expect(rough(123_456)).toBe("123,000");
  });

  it("never say all for less, nor nothing for more", () => {
    expect(percent(99_999, 100_000)).toBe("over 99.9 %");
    expect(percent(1, 100_000)).toBe("under 0.1 %");
    expect(percent(5, 5)).toBe("100 %");
    expect(percent(0, 5)).toBe("0 %");
    expect(partOfBytes(2e9, 2e9, "the data")).toBe("all of the data (2 GB)");
  });

  it("have the units that people expect", () => {
    expect([4096, 3.5 * 2 ** 20, 2 ** 30, 3e6, 100].map(sizeText)).toEqual([
      "4 KiB",
      "3.5 MiB",
      "1 GiB",
      "2.86 MiB",
      "100 B",
    ]);
    expect([0, 25e-6, 0.0102, 6.17, 570_123].map(secondsText)).toEqual([
      "0 s",
      "25 µs",
      "10.2 ms",
      "6.17 s",
      "570,000 s",
    ]);
  });
});

describe("the worst files", () => {
  it("are the ten heaviest, of the same weight by path, as sorting all would give", () => {
    const files = Array.from({ length: 200 }, (_, i) => {
      const index = (i * 71) % 200;
      return {
        fileId: String(index),
        path: `/${index}`,
        seconds: index % 30 === 7 ? Number.NaN : index % 30,
      };
    }) as unknown as JobFile[];
    const sorted = [...files]
      .sort((a, b) => (b.seconds || 0) - (a.seconds || 0) || (a.path < b.path ? -1 : 1))
      .map(({ path }) => path);
    const shown = worstFiles(
      files,
      ({ seconds }) => seconds,
      () => "",
    );
    expect(shown.files.map(({ path }) => path)).toEqual(sorted.slice(0, 10));
    expect(shown.filesTotal).toBe(200);
  });
});

describe("what is kept for a job", () => {
  it("is computed once for each, also when it is nothing", () => {
    let computed = 0;
    const answer = oncePerJob(() => void computed++);
    const [one, two] = [{ kept: new Map() }, { kept: new Map() }] as unknown as [Job, Job];
    for (const job of [one, two, one, two]) answer(job);
    expect(computed).toBe(2);
  });
});
