/** What is written is read again by readers that share no code with the encoders. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance } from "@duckdb/node-api";
import { afterAll, describe, expect, it } from "vitest";
import { CALL_ERROR, CALL_NESTED, CALL_NONFILE, Operation } from "../../model/index.ts";
import { callsCsv, callsParquet, perfettoTrace, speedscopeProfile } from "./index.ts";
import { bytesInFlight } from "./in-flight.ts";
import {
  blockOf,
  bytesOf,
  collected,
  HOSTILE,
  MemorySpill,
  ordered,
  randomCalls,
  type TestCall,
  textOf,
} from "./test-kit.ts";

const folder = mkdtempSync(join(tmpdir(), "plimsoll-export-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const MADE = { madeBy: "test" };
const calls = randomCalls(3000, 7);
const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);

describe("the collection", () => {
  const starts = (list: readonly TestCall[], options = {}) =>
    [...ordered(list, options).blocks()].flatMap((block) => [...block.startNs.subarray(0, block.count)]);

  it("hands calls out in order of time, the same with and without spilling", () => {
    const expected = calls.map(({ startNs }) => startNs).sort((a, b) => a - b);
    expect(starts(calls)).toEqual(expected);
    const spill = new MemorySpill();
    expect(starts(calls, { spill, callsMax: 250 })).toEqual(expected);
    expect(spill.bytes.length).toBe(51 * calls.length);
  });

  it.each([{}, { spill: new MemorySpill(), callsMax: 250 }])("puts groups one after another", (more) => {
    const rows = [...ordered(calls, { by: "file", ...more }).blocks()].flatMap((block) =>
      Array.from({ length: block.count }, (_, i) => [block.file[i] as number, block.startNs[i] as number]),
    );
    const expected = calls
      .map(({ file, startNs }) => [file, startNs] as const)
      .sort(([a, s], [b, t]) => a - b || s - t);
    expect(rows).toEqual(expected);
  });

  it("keeps calls that touch the window and are long enough, and counts the others", () => {
    const collection = collected(calls, {
      window: { fromNs: 100_000, toNs: 200_000 },
      originNs: 0,
      minDurationNs: 500,
    });
    const long = calls.filter(({ startNs, endNs }) => endNs - startNs >= 500);
    const inside = long.filter(({ startNs, endNs }) => endNs >= 100_000 && startNs < 200_000);
    expect(collection.finish().count).toBe(inside.length);
    expect(collection.leftOut.short).toBe(calls.length - long.length);
    expect(collection.leftOut.outside).toBe(long.length - inside.length);
  });

  it("leaves out pipes and calls with invalid times", () => {
    const one = { process: 0, file: 0, startNs: 5, endNs: 9, bytes: 1 };
    const bad = [
      { ...one, flags: CALL_NONFILE },
      { ...one, endNs: 4 },
      { ...one, startNs: Number.NaN },
    ];
    const collection = collected([one, ...bad]);
    expect(collection.finish().count).toBe(1);
    expect(collection.leftOut).toEqual({ nonFile: 1, unsound: 2, short: 0, outside: 0 });
  });

  it("counts traces from their first call, and several inputs on one clock", () => {
    const collection = collected([]);
    const sink = collection.sink({ startsAtZero: false });
    sink.clock({ kind: "realtime", epochNs: 1_700_000_001_000_000_000n });
    sink.process({ pid: 1 });
    sink.file({ path: "" });
    sink.block(blockOf([{ process: 0, file: 0, startNs: 5, endNs: 9, bytes: 1 }]));
    const found = collection.finish();
    expect([...found.blocks()][0]?.startNs[0]).toBe(1e9 + 5);
    expect(found.startUnixNs).toBe(1_700_000_000_000_000_000n);
  });
});

interface TraceEvent {
  ph: string;
  name: string;
  cat?: string;
  pid: number;
  tid?: number;
  ts?: number;
  dur?: number;
  args: Record<string, never>;
}

/** As Perfetto's importer takes times: microseconds times 1000, cut. */
const ns = (micros: number) => Math.trunc(micros * 1000);

describe.each(["rank", "file"] as const)("a trace for Perfetto by %s", (by) => {
  const { traceEvents } = JSON.parse(textOf(perfettoTrace(ordered(calls), { by, ...MADE }))) as {
    traceEvents: TraceEvent[];
  };
  const slices = traceEvents.filter(({ ph }) => ph === "X");

  it("has every call once, with its bytes and times", () => {
    const key = (start: number, end: number, bytes: number, offset: number) =>
      `${start} ${end} ${bytes} ${offset}`;
    const found = slices.map(({ ts = 0, dur = 0, args }) =>
      key(ns(ts), ns(ts) + Math.round(dur * 1000), args.bytes as never, args.offset as never),
    );
    expect(found.sort()).toEqual(
      calls.map((call) => key(call.startNs, call.endNs, call.bytes, call.offset ?? 0)).sort(),
    );
    expect(sum(slices.map(({ args }) => args.bytes as never))).toBe(sum(calls.map(({ bytes }) => bytes)));
  });

  it("has no two slices that overlap on a lane, as whole nanoseconds of the importer", () => {
    const ends = new Map<number, number>();
    for (const { tid = 0, ts = 0, dur = 0 } of slices) {
      expect(ns(ts)).toBeGreaterThanOrEqual(ends.get(tid) ?? 0);
      ends.set(tid, ns(ts) + ns(dur));
    }
    expect(ends.size).toBeGreaterThan(3);
  });

  it("is in order of time, with ids from 1 and a name for every process and lane", () => {
    const times = traceEvents.flatMap(({ ts }) => ts ?? []);
    expect(times).toEqual([...times].sort((a, b) => a - b));
    const pidOfTid = new Map(slices.map(({ tid, pid }) => [tid, pid]));
    for (const { tid, pid } of slices) expect(pidOfTid.get(tid)).toBe(pid);
    const named = (name: string) => traceEvents.filter((event) => event.ph === "M" && event.name === name);
    expect(new Set(named("thread_name").map(({ tid }) => tid))).toEqual(new Set(pidOfTid.keys()));
    expect(named("process_name")).toHaveLength((by === "rank" ? 5 : 7) + 1);
    expect(Math.min(...traceEvents.map(({ pid }) => pid))).toBe(1);
    const shown =
      by === "rank"
        ? slices.map(({ args }) => args.file)
        : named("process_name").map(({ args }) => args.name);
    expect(shown).toContain(HOSTILE);
  });

  it("counts bytes in flight", () => {
    const counters = traceEvents.filter(({ ph }) => ph === "C");
    expect(counters.length).toBeGreaterThan(100);
    expect(counters.at(-1)?.args).toEqual({ read: 0, write: 0 });
  });
});

it("times that a cut would shorten stay whole", () => {
  const close = Array.from({ length: 5000 }, (_, i) => ({
    ...{ process: 0, file: 0, bytes: 1 },
    startNs: 1_234_567_891 + i,
    endNs: 1_234_567_892 + i,
  }));
  const text = textOf(perfettoTrace(ordered(close), { by: "rank", ...MADE }));
  const times = [...text.matchAll(/"ts":([\d.]+),"dur"/g)].map(([, ts]) => ns(Number(ts)));
  expect(times).toEqual(close.map(({ startNs }) => startNs));
  expect(text.match(/"thread_name"/g)).toHaveLength(1);
});

it("bytes in flight are those of open calls that are not inside others", () => {
  const one = { process: 0, file: 0, bytes: 10 };
  const list: TestCall[] = [
    { ...one, startNs: 0, endNs: 100 },
    { ...one, startNs: 50, endNs: 150, operation: Operation.read },
    { ...one, startNs: 60, endNs: 70, flags: CALL_NESTED },
    { ...one, startNs: 100, endNs: 1e6 },
  ];
  // Changes within a ten-thousandth of the run are one point, their peak, and where they end.
  expect(bytesInFlight(ordered(list))).toEqual([
    { atNs: 0, read: 10, write: 10 },
    { atNs: 100, read: 10, write: 10 },
    { atNs: 150, read: 0, write: 10 },
    { atNs: 1e6, read: 0, write: 0 },
  ]);
});

interface Profile {
  type: string;
  name: string;
  unit: string;
  startValue: number;
  endValue: number;
  events: { type: "O" | "C"; frame: number; at: number }[];
}

it.each(["rank", "file"] as const)("profiles of speedscope by %s open and close like brackets", (by) => {
  const pieces = speedscopeProfile(ordered(calls, { by: by === "rank" ? "process" : "file" }), {
    ...{ by, name: "x" },
    ...MADE,
  });
  const { profiles, shared } = JSON.parse(textOf(pieces)) as {
    profiles: Profile[];
    shared: { frames: { name: string }[] };
  };
  const durations: number[] = [];
  for (const { type, unit, events, startValue, endValue } of profiles) {
    expect([type, unit, startValue]).toEqual(["evented", "nanoseconds", 0]);
    const open: { frame: number; at: number }[] = [];
    let last = 0;
    for (const event of events) {
      expect(event.at).toBeGreaterThanOrEqual(last);
      last = event.at;
      expect(shared.frames[event.frame]).toBeDefined();
      if (event.type === "O") open.push(event);
      else {
        const top = open.pop();
        expect(top?.frame).toBe(event.frame);
        durations.push(event.at - (top?.at ?? 0));
      }
    }
    expect(open).toEqual([]);
    expect(endValue).toBe(last);
  }
  const sorted = (list: readonly number[]) => [...list].sort((a, b) => a - b);
  expect(sorted(durations)).toEqual(sorted(calls.map(({ startNs, endNs }) => endNs - startNs)));
  const groups = new Set(profiles.map(({ name }) => name.replace(/ \(\d+\)$/, "")));
  expect(groups.size).toBe(by === "rank" ? 5 : 7);
});

it("spans of the application become slices and frames", () => {
  const collection = collected([{ process: 0, file: 0, startNs: 20, endNs: 30, bytes: 1 }]);
  const sink = collection.sink({ startsAtZero: false });
  sink.spans?.({
    count: 1,
    startNs: Float64Array.of(10),
    endNs: Float64Array.of(50),
    process: Uint32Array.of(sink.process({ pid: 0, rank: 0 })),
    thread: Float64Array.of(0),
    name: Uint32Array.of(0),
    names: [{ name: "epoch", category: "app" }],
  });
  const found = collection.finish();
  const trace = JSON.parse(textOf(perfettoTrace(found, { by: "rank", ...MADE }))) as {
    traceEvents: TraceEvent[];
  };
  const span = trace.traceEvents.find(({ name }) => name === "epoch");
  expect(span).toMatchObject({ ph: "X", cat: "app", ts: 0.01, dur: 0.04, pid: 1 });
  const scope = JSON.parse(textOf(speedscopeProfile(found, { by: "rank", name: "x", ...MADE }))) as {
    profiles: Profile[];
  };
  expect(scope.profiles[0]?.events.map(({ type, at }) => `${type}${at}`)).toEqual([
    "O10",
    "O20",
    "C30",
    "C50",
  ]);
});

async function rowsOf(sql: string) {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  try {
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
  }
}

describe("tables of calls", () => {
  const some: TestCall[] = [
    ...calls,
    { process: 0, file: 6, startNs: 2e15 + 1, endNs: 2e15 + 3, bytes: 2 ** 53 - 1, flags: CALL_ERROR },
    { process: 1, file: 1, startNs: 2e15 + 2, endNs: 2e15 + 4, bytes: Number.NaN },
  ];

  it.each([
    ["parquet", (list: TestCall[]) => bytesOf(callsParquet(ordered(list), "test"))],
    ["csv", (list: TestCall[]) => bytesOf(callsCsv(ordered(list)))],
  ])("%s holds every call as another program reads it", async (ending, encode) => {
    const path = join(folder, `calls.${ending}`);
    writeFileSync(path, encode(some));
    const from = ending === "csv" ? `read_csv('${path}', header = true)` : `'${path}'`;
    const [total] = await rowsOf(
      `select count(*) as n, sum(bytes)::varchar as bytes, count("offset") as offsets, sum(failed) as failed,
       count(moved) as moved, max("end")::double as last, count(distinct file) as files from ${from}`,
    );
    expect(total).toMatchObject({
      n: String(some.length),
      bytes: String(BigInt(sum(calls.map(({ bytes }) => bytes))) + 2n ** 53n - 1n),
      offsets: String(calls.length),
      failed: "1",
      moved: "0",
      last: 2000000.000000004,
      files: "7",
    });
    const rows = await rowsOf(
      `select rank, op, start::double as start, "offset" as at from ${from} limit 50`,
    );
    const expected = [...calls].sort((a, b) => a.startNs - b.startNs).slice(0, 50);
    expect(rows.map(({ start }) => Math.round(Number(start) * 1e9))).toEqual(
      expected.map(({ startNs }) => startNs),
    );
    expect(rows.map(({ at }) => Number(at)).sort()).toEqual(expected.map(({ offset }) => offset).sort());
  });

  it("a hostile name comes back from Parquet but for what UTF-8 has no bytes for", async () => {
    const [row] = await rowsOf(`select file from '${join(folder, "calls.parquet")}' where failed = 1`);
    expect(row?.file).toBe(HOSTILE.replace("\ud800", "\ufffd"));
  });

  it("more rows than a row group holds", async () => {
    const many = randomCalls(260_000, 3);
    const path = join(folder, "many.parquet");
    writeFileSync(path, bytesOf(callsParquet(ordered(many), "test")));
    const [total] = await rowsOf(`select count(*) as n, sum(bytes)::varchar as bytes from '${path}'`);
    expect(total).toEqual({ n: "260000", bytes: String(sum(many.map(({ bytes }) => bytes))) });
  });
});
