// Checks the fuzzing tools themselves: same mutants each time, no false alarms, faults found.

import { inflateSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { OracleError, type OracleLog, oracleRead } from "../oracle/darshan-oracle.ts";
import { layOut, takeApart } from "./build-log.ts";
import { mutate, zeroBomb } from "./mutate.ts";
import { Random } from "./random.ts";
import { type FuzzResult, runFuzz } from "./run.ts";
import { synthesizeLog } from "./synthesize.ts";

const plainBytesMax = 16 * 1048576;

/** Works without any data: all mutants start from synthetic logs. */
function fuzz(count: number, change: (log: OracleLog) => void): Promise<FuzzResult> {
  return runFuzz({
    seedLogs: [],
    seed: 20240607,
    count,
    readUnderTest: (bytes) => {
      const log = oracleRead(bytes, { plainBytesMax });
      change(log);
      return log;
    },
    isExpectedError: (error) => error instanceof OracleError,
    isLimitError: (error) => error instanceof OracleError && error.kind === "limit",
    limits: { plainBytesMax },
    mutateOptions: { bombShare: 0.002, bzip2Share: 0 },
  });
}

describe("mutants", () => {
  it("are the same for the same seed and number", () => {
    for (let index = 0; index < 100; index++) {
      const one = mutate([], 7, index, { bzip2Share: 0 });
      const two = mutate([], 7, index, { bzip2Share: 0 });
      expect(one.description).toBe(two.description);
      expect(Buffer.compare(one.bytes, two.bytes)).toBe(0);
    }
  });

  it("differ from seed to seed", () => {
    const found = new Set<string>();
    for (let seed = 0; seed < 50; seed++)
      found.add(Buffer.from(mutate([], seed, 1).bytes).toString("base64"));
    expect(found.size).toBeGreaterThan(45);
  });

  it("start from synthetic logs that are valid", () => {
    const modules = new Set<string>();
    for (let index = 0; index < 1000; index++) {
      const bytes = layOut(synthesizeLog(new Random(1, index)));
      for (const module of oracleRead(bytes).modules) {
        if (module.records.length > 0) modules.add(`${module.name} ${module.version}`);
      }
    }
    // 18 modules in all their record versions.
    expect(modules.size).toBe(4 + 3 + 2 + 3 + 2 + 3 + 1 + 2 + 2 + 2 + 3 + 1 + 1 + 1 + 1 + 1 + 1 + 1);
  });

  it("are laid out as the logs they were taken from", () => {
    for (let index = 0; index < 100; index++) {
      const bytes = layOut(synthesizeLog(new Random(2, index)));
      expect(Buffer.compare(layOut(takeApart(bytes)), bytes)).toBe(0);
    }
  });

  it("hold bombs that are right streams", () => {
    expect(inflateSync(zeroBomb(3)).equals(Buffer.alloc(3 * 1048576))).toBe(true);
  });
});

describe("runFuzz", () => {
  it("finds nothing wrong with the oracle, and reads many mutants", async () => {
    const result = await fuzz(1000, () => {});
    expect(result.problems).toEqual([]);
    expect(result.read + result.rejected + result.limited).toBe(1000);
    expect(result.read).toBeGreaterThan(300);
    expect(result.rejected).toBeGreaterThan(300);
  });

  const faults: [string, (log: OracleLog) => void][] = [
    [
      "a partial flag",
      (log) => {
        for (const module of log.modules) module.partial = false;
      },
    ],
    ["the last mount", (log) => log.job.mounts.pop()],
    [
      "the payload of a NaN",
      (log) => {
        for (const { records } of log.modules) {
          for (const record of records) {
            record.realBits = record.realBits.map((bits, n) =>
              Number.isNaN(record.reals[n]) ? 0x7ff8000000000000n : bits,
            );
          }
        }
      },
    ],
    [
      "integers beyond 2^53",
      (log) => {
        for (const { records } of log.modules) {
          for (const record of records)
            record.integers = record.integers.map((value) => BigInt(Number(value)));
        }
      },
    ],
    ["a record", (log) => log.modules.at(-1)?.records.pop()],
    [
      "names that are no UTF-8",
      (log) => {
        for (const [id, name] of log.names)
          log.names.set(id, Buffer.from(Buffer.from(name).toString("utf8")));
      },
    ],
    [
      "record ids above 2^63",
      (log) => {
        for (const { records } of log.modules) {
          for (const record of records) record.id = BigInt.asIntN(64, record.id);
        }
      },
    ],
  ];

  it.each(faults)("notices a reader that loses %s", async (_, change) => {
    const result = await fuzz(300, change);
    expect(result.problems.length).toBeGreaterThan(0);
    expect(result.problems[0]?.problem).toMatch(/^differs: /);
  });

  it("notices readers that are too strict, too lax or that crash", async () => {
    const run = (readUnderTest: (bytes: Uint8Array) => OracleLog) =>
      runFuzz({
        seedLogs: [],
        seed: 3,
        count: 100,
        readUnderTest,
        isExpectedError: (error) => error instanceof OracleError,
        isLimitError: () => false,
        limits: { plainBytesMax },
        mutateOptions: { bombShare: 0, bzip2Share: 0 },
      });
    const strict = await run(() => {
      throw new OracleError("no");
    });
    expect(strict.stricter).toBeGreaterThan(10);
    expect(strict.problems.length).toBe(strict.stricter);
    const valid = oracleRead(layOut(synthesizeLog(new Random(4))));
    const lax = await run(() => valid);
    expect(lax.problems.length).toBe(100);
    const crashing = await run(() => {
      throw new TypeError("x is undefined");
    });
    expect(crashing.problems.every(({ problem }) => problem.startsWith("unexpected error TypeError"))).toBe(
      true,
    );
    expect(crashing.problems.length).toBe(100);
  });
});
