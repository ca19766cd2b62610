/** Every method in every case, both ways, on storage with and without lists and datatypes: every byte, every count. */
import { regionsOf } from "../pattern/test-kit.ts";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import type { NcioMethod } from "../../model/ncio.ts";
import {
  bytes,
  CASES,
  dataBytes,
  endOf,
  parts,
  vector,
  type PatternSpec,
  patternOf,
} from "../pattern/index.ts";
import type { Storage } from "../storage.ts";
import { memoryStorage, nullStorage, posixStorage } from "../storage/index.ts";
import {
  expectedCounts,
  METHOD_DEFAULTS,
  METHODS,
  type MethodOptions,
  type OperationResult,
  runOperation,
} from "./index.ts";
import { INSIDE } from "./method.ts";
import { onRanks } from "./test-kit.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-methods-"));
afterAll(() => rmSync(folder, { recursive: true }));

const OLD = 0xee;

/** The byte that a rank has at a place of its memory. */
const content = (rank: number, place: number): number => 1 + ((rank * 89 + place * 7 + (place >> 8)) % 200);

interface Run {
  readonly results: readonly OperationResult[];
  readonly asked: number;
  readonly moved: number;
  readonly told: number;
  readonly counts: { requests: number; movedBytes: number };
}

async function run(
  spec: PatternSpec,
  method: NcioMethod,
  direction: "write" | "read",
  storage: Storage,
  path: string,
  options: Partial<MethodOptions>,
  buffers: readonly Uint8Array[],
): Promise<Run> {
  const pattern = patternOf(spec);
  const before = storage.counts();
  let [asked, moved, told] = [0, 0, 0];
  let clock = 0;
  let backwards = false;
  const results = await onRanks(pattern.ranks, async (communicator) => {
    const file = await storage.open(path, direction);
    const result = await runOperation({
      method,
      direction,
      storage,
      file,
      access: pattern.access(communicator.rank),
      buffer: buffers[communicator.rank] as Uint8Array,
      communicator,
      options,
      clock: () => clock++,
      onRequests: (_, start, end, askedBytes, movedBytes, requests) => {
        backwards ||= end <= start;
        asked += askedBytes;
        moved += movedBytes;
        told += requests;
      },
    });
    await file.close();
    return result;
  });
  expect(backwards).toBe(false);
  const after = storage.counts();
  const counts = {
    requests: after.requests - before.requests,
    movedBytes: after.movedBytes - before.movedBytes,
  };
  return { results, asked, moved, told, counts };
}

function buffersOf(spec: PatternSpec, fill: (rank: number, place: number) => number): Uint8Array[] {
  const pattern = patternOf(spec);
  return Array.from({ length: pattern.ranks }, (_, rank) =>
    Uint8Array.from({ length: endOf(pattern.access(rank).memory) }, (_, place) => fill(rank, place)),
  );
}

function emptyBuffers(spec: PatternSpec): Uint8Array[] {
  const pattern = patternOf(spec);
  return Array.from(
    { length: pattern.ranks },
    (_, rank) => new Uint8Array(endOf(pattern.access(rank).memory)),
  );
}

/** The file after all ranks wrote, by the list of regions. */
function fileOf(spec: PatternSpec, old: Uint8Array): Uint8Array {
  const pattern = patternOf(spec);
  const file = new Uint8Array(Math.max(pattern.fileBytes, old.length));
  file.set(old);
  for (let rank = 0; rank < pattern.ranks; rank++)
    for (const { memory, file: at, length } of regionsOf(pattern.access(rank)))
      for (let i = 0; i < length; i++) file[at + i] = content(rank, memory + i);
  return file;
}

async function contentOf(storage: Storage, path: string, bytes: number): Promise<Uint8Array> {
  const file = await storage.open(path, "read");
  const all = new Uint8Array(bytes);
  await file.read(0, all);
  await file.close();
  return all;
}

const options = fc.record({
  listPairs: fc.integer({ min: 1, max: 9 }),
  sieveBytes: fc.integer({ min: 1, max: 200 }),
  aggregators: fc.integer({ min: 1, max: 6 }),
  collectiveBytes: fc.integer({ min: 1, max: 200 }),
  alignBytes: fc.constantFrom(1, 16, 50),
  requestBytes: fc.integer({ min: 1, max: 100 }),
  flowPairs: fc.option(fc.integer({ min: 1, max: 9 }), { nil: undefined }),
  inside: fc.constantFrom(...INSIDE),
  sync: fc.boolean(),
  oneSync: fc.boolean(),
});

const ncio = fc
  .record({
    ranks: fc.integer({ min: 1, max: 4 }),
    count: fc.integer({ min: 1, max: 20 }),
    size: fc.integer({ min: 1, max: 17 }),
    gap: fc.nat(20),
    memoryGap: fc.nat(5),
    memorySize: fc.integer({ min: 1, max: 40 }),
    case: fc.constantFrom(...CASES),
    pattern: fc.constantFrom("ncio" as const, "hpio" as const),
  })
  .map(({ gap, memoryGap, memorySize, pattern, ...spec }) => {
    const strided = { ...spec, spacing: spec.size + gap };
    if (pattern === "ncio") return { pattern, ...strided };
    return { pattern, ...strided, memorySize, memorySpacing: memorySize + memoryGap };
  });

const others: fc.Arbitrary<PatternSpec> = fc.oneof(
  fc
    .record({
      ranks: fc.integer({ min: 1, max: 3 }),
      blocks: fc.integer({ min: 1, max: 2 }),
      cells: fc.integer({ min: 1, max: 3 }),
      guard: fc.nat(1),
      variables: fc.integer({ min: 1, max: 3 }),
      size: fc.constantFrom(1, 4, 8),
    })
    .map((spec): PatternSpec => ({ pattern: "flash", ...spec })),
  fc
    .record({
      ranks: fc.integer({ min: 1, max: 4 }),
      cells: fc.integer({ min: 4, max: 30 }),
      variables: fc.integer({ min: 1, max: 4 }),
      size: fc.constantFrom(1, 4, 8),
      order: fc.constantFrom("cell" as const, "variable" as const),
    })
    .map((spec): PatternSpec => ({ pattern: "ipars", ...spec })),
  fc
    .record({
      grid: fc.constantFrom<[number, number, number]>([4, 5, 6], [3, 3, 3], [2, 8, 5]),
      ranksGrid: fc.constantFrom<[number, number, number]>([2, 1, 2], [1, 2, 1], [2, 2, 2]),
      size: fc.constantFrom(1, 8),
      ghost: fc.nat(2),
    })
    .map((spec): PatternSpec => ({ pattern: "subarray", ...spec })),
);

const kinds = fc.constantFrom(
  {},
  { listMax: 7 },
  { listMax: 64, types: true },
  { types: true, requestBytesMax: 33 },
);

async function check(
  spec: PatternSpec,
  method: NcioMethod,
  storage: Storage,
  path: string,
  chosen: Partial<MethodOptions>,
  old: Uint8Array,
): Promise<void> {
  const pattern = patternOf(spec);
  const buffers = buffersOf(spec, content);
  const written = await run(spec, method, "write", storage, path, chosen, buffers);
  const expected = fileOf(spec, old);
  const beyond = await contentOf(storage, path, expected.length + 50);
  expect(Buffer.compare(beyond.subarray(0, expected.length), expected)).toBe(0);
  expect(beyond.subarray(expected.length).every((byte) => byte === 0)).toBe(true);
  checkCounts(spec, method, "write", storage, chosen, written);

  const into = buffersOf(spec, () => OLD);
  const readBack = await run(spec, method, "read", storage, path, chosen, into);
  for (let rank = 0; rank < pattern.ranks; rank++) {
    const wanted = (into[rank] as Uint8Array).slice().fill(OLD);
    for (const { memory, length } of regionsOf(pattern.access(rank)))
      for (let i = 0; i < length; i++) wanted[memory + i] = content(rank, memory + i);
    expect(Buffer.compare(into[rank] as Uint8Array, wanted)).toBe(0);
  }
  checkCounts(spec, method, "read", storage, chosen, readBack);
}

function checkCounts(
  spec: PatternSpec,
  method: NcioMethod,
  direction: "write" | "read",
  storage: Storage,
  chosen: Partial<MethodOptions>,
  { results, asked, moved, told, counts }: Run,
): void {
  const pattern = patternOf(spec);
  const bytes = Array.from({ length: pattern.ranks }, (_, rank) => dataBytes(pattern.access(rank).file));
  expect(results.map((result) => result.bytes)).toEqual(bytes);
  const total = bytes.reduce((sum, one) => sum + one, 0);
  const sum = (field: "requests" | "movedBytes") => results.reduce((all, result) => all + result[field], 0);
  expect([asked, moved, told]).toEqual([total, sum("movedBytes"), sum("requests")]);
  expect(counts).toEqual({ requests: sum("requests"), movedBytes: sum("movedBytes") });
  if (spec.pattern === "ncio" || spec.pattern === "hpio") {
    const formula = expectedCounts(spec, method, direction, { ...METHOD_DEFAULTS, ...chosen }, storage);
    expect(counts).toEqual({ requests: formula.requests, movedBytes: formula.movedBytes });
  }
}

describe.each(METHODS)("method %s", (method) => {
  it("brings every byte to its place in new and old files, leaves holes alone, and makes the requests of the formula", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(ncio, others),
        options,
        kinds,
        fc.nat(400),
        async (spec, chosen, offers, oldBytes) => {
          const storage = memoryStorage(offers);
          const old = new Uint8Array(oldBytes).fill(OLD);
          const file = await storage.open("file", "create");
          await file.write(0, old);
          await check(spec, method, storage, "file", chosen, old);
        },
      ),
      { numRuns: 100 },
    );
  });

  it("does the same with files of the system", async () => {
    const storage = posixStorage();
    const path = join(folder, method);
    await fc.assert(
      fc.asyncProperty(fc.oneof(ncio, others), options, fc.nat(400), async (spec, chosen, oldBytes) => {
        const old = new Uint8Array(oldBytes).fill(OLD);
        writeFileSync(path, old);
        await check(spec, method, storage, path, { ...chosen, sync: false }, old);
        expect(readFileSync(path).length).toBe(Math.max(oldBytes, patternOf(spec).fileBytes));
      }),
      { numRuns: 30 },
    );
  });

  it("agrees with the formula on larger accesses", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          ranks: fc.integer({ min: 1, max: 5 }),
          count: fc.integer({ min: 1, max: 2000 }),
          size: fc.constantFrom(1, 8, 24, 1000),
          gap: fc.constantFrom(0, 8, 120, 5000),
          case: fc.constantFrom(...CASES),
        }),
        fc.record({
          listPairs: fc.constantFrom(1, 64, 1000),
          sieveBytes: fc.constantFrom(512, 5000, 65536),
          aggregators: fc.integer({ min: 1, max: 5 }),
          collectiveBytes: fc.constantFrom(1000, 65536, 1 << 20),
          alignBytes: fc.constantFrom(1, 4096),
          requestBytes: fc.constantFrom(700, 65536, 1 << 20),
          inside: fc.constantFrom(...INSIDE),
        }),
        kinds,
        fc.constantFrom("write" as const, "read" as const),
        async ({ gap, ...rest }, chosen, offers, direction) => {
          const spec = { pattern: "ncio" as const, ...rest, spacing: rest.size + gap };
          const storage = nullStorage(offers);
          const done = await run(spec, method, direction, storage, "file", chosen, emptyBuffers(spec));
          checkCounts(spec, method, direction, storage, chosen, done);
        },
      ),
      { numRuns: 25 },
    );
  });
});

describe("files of the system", () => {
  it.each(METHODS)(
    "take large pieces of memory by %s without packing, and give them back",
    async (method) => {
      const spec = { pattern: "ncio", ranks: 2, count: 90, size: 1500, spacing: 1700, case: "nc-c" } as const;
      const path = join(folder, `large-${method}`);
      await check(spec, method, posixStorage(), path, { sync: true, sieveBytes: 40_000 }, new Uint8Array(0));
    },
  );
});

/** Every request takes effect some turns after it was made, as with servers. */
function later(storage: Storage, turns: number): Storage {
  const wait = async (): Promise<void> => {
    for (let i = 0; i < turns; i++) await undefined;
  };
  return {
    ...storage,
    async open(path, mode) {
      const file = await storage.open(path, mode);
      return {
        write: async (at, bytes) => wait().then(() => file.write(at, bytes)),
        read: async (at, into) => wait().then(() => file.read(at, into)),
        ...(file.writeList !== undefined && {
          writeList: async (pieces, data) => wait().then(() => file.writeList?.(pieces, data)),
          readList: async (pieces, into) => wait().then(() => file.readList?.(pieces, into)),
        }),
        ...(file.writeType !== undefined && {
          writeType: async (start, type, skip, data) =>
            wait().then(() => file.writeType?.(start, type, skip, data)),
          readType: async (start, type, skip, into) =>
            wait().then(() => file.readType?.(start, type, skip, into)),
        }),
        sync: async () => wait(),
        close: async () => wait(),
      };
    },
  };
}

describe.each(METHODS)("method %s on storage that answers later", (method) => {
  it("brings every byte to its place, though requests of ranks are under way together", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.oneof(ncio, others),
        options,
        kinds,
        fc.nat(3),
        async (spec, chosen, offers, turns) => {
          const storage = later(memoryStorage(offers), turns);
          await (await storage.open("file", "create")).close();
          await check(spec, method, storage, "file", chosen, new Uint8Array(0));
        },
      ),
      { numRuns: 60 },
    );
  });

  it("lets ranks have nothing to do", async () => {
    const storage = memoryStorage();
    for (const busy of [[], [1], [0, 2]]) {
      const results = await onRanks(3, async (communicator) => {
        const { rank } = communicator;
        const file = await storage.open("f", "write");
        const data = busy.includes(rank) ? vector(2, 4, bytes(1)) : parts();
        const access = { memory: data, file: data, fileStart: rank };
        const shared = {
          method,
          storage,
          file,
          access,
          communicator,
          buffer: new Uint8Array(5).fill(rank + 1),
        };
        return runOperation({ ...shared, direction: "write" });
      });
      expect(results.map((result) => result.bytes > 0)).toEqual([0, 1, 2].map((rank) => busy.includes(rank)));
    }
    expect([...(await contentOf(storage, "f", 8))]).toEqual([1, 2, 3, 0, 1, 2, 3, 0]);
  });
});

describe("a result", () => {
  const spec = { pattern: "ncio", ranks: 2, count: 8, size: 8, spacing: 32, case: "c-nc" } as const;
  const fallback = async (method: NcioMethod, offers: object, caseName: (typeof CASES)[number] = "c-nc") => {
    const chosen = { ...spec, case: caseName };
    const { results } = await run(
      chosen,
      method,
      "write",
      nullStorage(offers),
      "f",
      {},
      buffersOf(chosen, () => 1),
    );
    return results[0]?.fallback;
  };

  it("says what requests were used where the storage has no better", async () => {
    expect(await fallback("list", {})).toBe("contiguous");
    expect(await fallback("list", { listMax: 4 })).toBeUndefined();
    expect(await fallback("datatype", {})).toBe("contiguous");
    expect(await fallback("datatype", { listMax: 4 })).toBe("list");
    expect(await fallback("datatype", { types: true })).toBeUndefined();
    expect(await fallback("list", {}, "nc-c")).toBeUndefined();
    expect(await fallback("datatype", {}, "nc-c")).toBeUndefined();
  });
});

describe("two phase", () => {
  it.each([
    [false, [1, 0, 1, 0]],
    [true, [1, 0, 0, 0]],
  ])(
    "with one sync for all: %s, aggregators sync %j times and everybody waits",
    async (oneSync, expected) => {
      const spec = { pattern: "ncio", ranks: 4, count: 8, size: 8, spacing: 32, case: "c-nc" } as const;
      const pattern = patternOf(spec);
      const syncs = [0, 0, 0, 0];
      const writesAtSync: number[] = [];
      const storage = nullStorage();
      const plain = await storage.open("f", "write");
      await onRanks(4, async (communicator) => {
        const { rank } = communicator;
        const sync = () => {
          syncs[rank] = (syncs[rank] ?? 0) + 1;
          writesAtSync.push(storage.counts().movedBytes);
          return undefined;
        };
        const buffer = new Uint8Array(64);
        const shared = {
          storage,
          file: { ...plain, sync },
          buffer,
          communicator,
          direction: "write",
        } as const;
        await runOperation({
          ...shared,
          method: "two-phase",
          access: pattern.access(rank),
          options: { aggregators: 2, oneSync },
        });
      });
      expect(syncs).toEqual(expected);
      // Who syncs for all does so when all have written.
      if (oneSync) expect(writesAtSync).toEqual([storage.counts().movedBytes]);
    },
  );

  it("refuses ranks that disagree on options", async () => {
    const pattern = patternOf({ pattern: "ncio", ranks: 2, count: 8, size: 8, spacing: 32, case: "c-nc" });
    const storage = nullStorage();
    const file = await storage.open("f", "write");
    const ranks = onRanks(2, (communicator) =>
      runOperation({
        method: "two-phase",
        direction: "write",
        storage,
        file,
        access: pattern.access(communicator.rank),
        buffer: new Uint8Array(64),
        communicator,
        options: { collectiveBytes: 100 + communicator.rank },
      }),
    );
    await expect(ranks).rejects.toThrow("disagree on the options of two phase");
  });
});

describe("options", () => {
  it.each([
    "listPairs",
    "sieveBytes",
    "aggregators",
    "collectiveBytes",
    "alignBytes",
    "requestBytes",
  ] as const)("refuse %s of zero", async (name) => {
    const spec = { pattern: "ncio", ranks: 1, count: 1, size: 8, spacing: 8, case: "c-c" } as const;
    const bad = run(spec, "list", "write", nullStorage(), "f", { [name]: 0 }, [new Uint8Array(8)]);
    await expect(bad).rejects.toThrow(`${name} is a whole number from 1 to`);
  });
});
