/** Content, verification, summaries, journals and needs of a benchmark run. */
import { appendFileSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { UsageError } from "../../base/errors.ts";
import type { NcioPoint } from "../../model/ncio.ts";
import { type PatternSpec, patternOf } from "../pattern/index.ts";
import { regionsOf } from "../pattern/test-kit.ts";
import { memoryStorage } from "../storage/index.ts";
import { byteAt, fillContent, findWrong } from "./content.ts";
import { Journal } from "./journal.ts";
import { checkNeeds, PAPER_DEFAULTS, PAPER_SWEEPS, pointKey, sweepPoints } from "./plan.ts";
import { countingTurns, type RankTurn, summarize } from "./summary.ts";
import { clearBuffer, fillRegions, wrongInFile, wrongInMemory } from "./verify.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-test-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("content", () => {
  it("follows from place and turn, at any alignment and beyond 2^34", () => {
    const places = fc.oneof(fc.nat(10_000), fc.integer({ min: 2 ** 34, max: 2 ** 34 + 10_000 }));
    fc.assert(
      fc.property(places, fc.nat(50), fc.nat(9), fc.nat(1000), (place, length, from, salt) => {
        const bytes = new Uint8Array(from + length + 3);
        fillContent(bytes, from, length, place, salt);
        for (let i = 0; i < length; i++) expect(bytes[from + i]).toBe(byteAt(place + i, salt));
        expect(bytes.subarray(from + length)).toEqual(new Uint8Array(3));
        expect(findWrong(bytes, from, length, place, salt)).toBe(-1);
        if (length > 0) {
          const wrong = from + (salt % length);
          bytes[wrong] = (bytes[wrong] as number) ^ 1;
          expect(findWrong(bytes, from, length, place, salt)).toBe(wrong);
        }
      }),
    );
  });

  it("differs between places and between turns", () => {
    const stretch = (place: number, salt: number) => {
      const bytes = new Uint8Array(64);
      fillContent(bytes, 0, 64, place, salt);
      return Buffer.from(bytes).toString("hex");
    };
    const all = [0, 64, 4096, 2 ** 32, 2 ** 34, 2 ** 40].flatMap((place) =>
      [0, 1, 4096].map((salt) => stretch(place, salt)),
    );
    expect(new Set(all).size).toBe(all.length);
  });
});

const SPECS: readonly PatternSpec[] = [
  { pattern: "ncio", ranks: 3, count: 7, size: 5, spacing: 11, case: "nc-nc" },
  { pattern: "ncio", ranks: 2, count: 9, size: 8, spacing: 8, case: "c-c" },
  { pattern: "flash", ranks: 2, blocks: 2, cells: 2, guard: 1, variables: 3 },
  { pattern: "subarray", grid: [4, 6, 5], ranksGrid: [2, 1, 1] },
];

describe("verification", () => {
  it.each(SPECS)("finds every wrong byte of a file: $pattern", async (spec) => {
    const pattern = patternOf(spec);
    const salt = 7;
    // The file as it should be, from byteAt alone.
    const image = new Uint8Array(pattern.fileBytes);
    const owned = new Uint8Array(pattern.fileBytes);
    for (let rank = 0; rank < pattern.ranks; rank++) {
      const access = pattern.access(rank);
      for (const { file, length } of regionsOf(access))
        for (let i = file; i < file + length; i++) {
          image[i] = byteAt(i, salt);
          owned[i] = 1;
        }
    }
    const check = { pattern, salt, from: 0, to: pattern.fileBytes, holesAreZero: true };
    const look = async (bytes: Uint8Array, from = 0, to = pattern.fileBytes, holesAreZero = true) => {
      const storage = memoryStorage();
      const file = await storage.open("f", "create");
      await file.write(0, bytes);
      return wrongInFile(file, { ...check, from, to, holesAreZero });
    };
    expect(await look(image)).toBeUndefined();
    for (let at = 0; at < image.length; at += Math.max(1, Math.floor(image.length / 60))) {
      const broken = image.slice();
      broken[at] = (broken[at] as number) ^ 0x10;
      expect(await look(broken)).toContain(`byte ${at} `);
      // Seen by the one whose share it is, and by nobody else; in a hole only where holes are promised.
      expect(await look(broken, at, at + 1)).toContain(`byte ${at} `);
      expect(await look(broken, 0, at)).toBeUndefined();
      if (owned[at] === 0) expect(await look(broken, 0, pattern.fileBytes, false)).toBeUndefined();
    }
  });

  it.each(SPECS)("finds what a read left wrong in memory: $pattern", (spec) => {
    const access = patternOf(spec).access(1);
    const buffer = new Uint8Array(5000);
    const filled = () => {
      clearBuffer(buffer);
      fillRegions(buffer, access, 3);
    };
    filled();
    expect(wrongInMemory(buffer, access, 3)).toBeUndefined();
    filled();
    expect(wrongInMemory(buffer, access, 4)).toContain("is not byte");
    for (let at = 0; at < 400; at += 7) {
      filled();
      buffer[at] = (buffer[at] as number) ^ 1;
      expect(wrongInMemory(buffer, access, 3)).toContain(`byte ${at} of the buffer`);
    }
  });
});

describe("summary", () => {
  const turn = (...ends: number[]): RankTurn[] =>
    ends.map((endSeconds) => ({
      endSeconds,
      lateSeconds: 0,
      syncSeconds: endSeconds / 4,
      requests: 3,
      messages: 6,
      movedBytes: 10,
    }));

  it("leaves out the fastest and the slowest turn, and ends with the last rank", () => {
    const turns = [turn(1, 2), turn(4, 1), turn(1, 1), turn(8, 3)];
    expect(countingTurns(turns)).toEqual([turn(1, 2), turn(4, 1)]);
    const summary = summarize(turns, [512, 512]);
    expect(summary.bandwidthBytesPerSecond).toBeCloseTo((1024 / 2 + 1024 / 4) / 2, 12);
    expect(summary.bandwidthWithoutSyncBytesPerSecond).toBeCloseTo((1024 / 1.5 + 1024 / 3) / 2, 12);
    expect(summary).toMatchObject({
      seconds: 3,
      syncSeconds: 0.75,
      requests: 6,
      messages: 12,
      movedBytes: 20,
    });
    expect(summary.spread).toEqual({ low: 256, high: 512, relative: 256 / 384 });
    // Two blocks in each of two turns that last two and four seconds.
    expect(summary.bps).toBeCloseTo(4 / 6, 12);
    expect(summary.iops).toBeCloseTo(4 / 6, 12);
    expect(summary.arptSeconds).toBe((1 + 2 + 4 + 1) / 4);
    expect(summary.steadyRequests).toBe(true);
  });

  it("takes all of one or two turns, and says when requests differ", () => {
    expect(countingTurns([turn(1), turn(2)])).toHaveLength(2);
    const other = turn(2).map((one) => ({ ...one, requests: 4 }));
    expect(summarize([turn(1), other], [8]).steadyRequests).toBe(false);
  });
});

describe("a journal", () => {
  const point = { method: "posix", count: 3 } as unknown as NcioPoint;
  const asIs = (value: unknown) => value as NcioPoint;

  it("goes on where it was cut, also within a line", () => {
    const path = join(folder, "journal");
    const first = Journal.open(path, { ranks: 4 }, 1000, asIs);
    first.add("a", point);
    first.add("b", point);
    first.close();
    appendFileSync(path, '{"key":"c","point":{"met');
    const second = Journal.open(path, { ranks: 4 }, 2000, asIs);
    expect([second.get("a"), second.get("b"), second.get("c")]).toEqual([point, point, undefined]);
    expect(second.startedUnixMs).toBe(1000);
    second.add("c", point);
    second.close();
    expect(Journal.open(path, { ranks: 4 }, 3000, asIs).get("c")).toEqual(point);
  });

  it("is not taken for that of another run", () => {
    expect(() => Journal.open(join(folder, "journal"), { ranks: 8 }, 0, asIs)).toThrow(UsageError);
    const foreign = join(folder, "foreign");
    appendFileSync(foreign, "hello\nyou\n");
    expect(() => Journal.open(foreign, {}, 0, asIs)).toThrow(/foreign: line 1: not a line of a journal/);
  });

  it("says which line is damaged", () => {
    const path = join(folder, "damaged");
    for (const [line, what] of [
      ["null", "not a line of a journal"],
      ["[]", "a point without a key"],
      ['{"point":{}}', "a point without a key"],
    ]) {
      rmSync(path, { force: true });
      const first = Journal.open(path, {}, 0, asIs);
      first.add("a", point);
      first.close();
      appendFileSync(path, `${line}\n`);
      expect(() => Journal.open(path, {}, 0, asIs)).toThrow(new RegExp(`damaged: line 3: ${what}`));
    }
  });
});

describe("a plan", () => {
  const options = {
    defaults: PAPER_DEFAULTS,
    cases: ["c-c", "c-nc"] as const,
    methods: ["posix"] as const,
    directions: ["write"] as const,
    ranks: 2,
  };

  it("has the paper's values, and every point once", () => {
    expect(PAPER_SWEEPS.count.at(-1)).toBe(1_048_576);
    expect(PAPER_SWEEPS.count).toHaveLength(10);
    expect(PAPER_SWEEPS.size).toHaveLength(10);
    expect(PAPER_SWEEPS.spacing).toHaveLength(6);
    const points = sweepPoints({ ...options, variables: { count: [1, 2], spacing: [128, 256] } });
    const keys = points.map(pointKey);
    expect(new Set(keys).size).toBe(keys.length);
    // c-c does not change with spacing: counts 1, 2 and the default; c-nc has two spacings at the default count.
    expect(points.filter(({ pattern }) => (pattern as { case: string }).case === "c-c")).toHaveLength(3);
    expect(points.filter(({ pattern }) => (pattern as { case: string }).case === "c-nc")).toHaveLength(4);
  });

  it("is refused when disk or memory are too small, and when it is none", () => {
    const points = sweepPoints({ ...options, variables: { count: [2 ** 20] } });
    const limits = { diskBytes: 2 ** 40, diskName: "/data", memoryBytes: 2 ** 40 };
    checkNeeds(points, 0, limits);
    expect(() => checkNeeds(points, 0, { ...limits, diskBytes: 1e6 })).toThrow(/\/data has 1 MB free/);
    expect(() => checkNeeds(points, 0, { ...limits, memoryBytes: 1e6 })).toThrow(/--memory allows 1 MB/);
    const wrong = sweepPoints({ ...options, variables: { spacing: [4] } });
    expect(() => checkNeeds(wrong, 0, limits)).toThrow(UsageError);
  });
});
