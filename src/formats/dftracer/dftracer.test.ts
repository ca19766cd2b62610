import { describe, expect, it } from "vitest";
import { bytesSource } from "../../base/source.ts";
import { CALL_ERROR, Operation } from "../../model/index.ts";
import { findFormat } from "../catalogue.ts";
import { collectAccesses, collectingSink, WRITE_FLAG } from "../test-kit.ts";
import { dftracer } from "./format.ts";

const T0 = 1_727_387_307_000_000;

function event(name: string, args: Record<string, unknown>, more: Record<string, unknown> = {}) {
  const base = { id: 1, name, cat: "POSIX", pid: 71, tid: 71, ts: T0, dur: 10, ph: "X" };
  return JSON.stringify({ ...base, ...more, args });
}
const name = (kind: string, value: unknown, text: string) =>
  event(kind, { name: text, value }, { cat: "dftracer", ph: "M" });
const traceOf = (...lines: readonly string[]) => `[\n${lines.join("\n")}\n]`;
const FILE = name("FH", 5, "/scratch/a");

describe("events of DFTracer", () => {
  it("are calls with bytes, times and files behind hashes", () => {
    const { accesses, clock, processes } = collectAccesses(
      dftracer,
      traceOf(
        name("HH", 9, "node7"),
        FILE,
        event("read", { hhash: 9, fhash: 5, count: 100, ret: 60, fd: 3 }, { ts: T0 + 7, dur: 3 }),
        event("fwrite", { hhash: 9, fhash: 5, count: 4, size: 8, ret: 3 }, { cat: "STDIO", ts: T0 + 20 }),
      ),
    );
    expect(clock).toEqual({ kind: "realtime", epochNs: BigInt(T0 + 7) * 1000n });
    expect(processes).toEqual([{ pid: 71, host: "node7" }]);
    expect(accesses).toMatchObject([
      { start: 0, end: 3000, bytes: 100, moved: 60, path: "/scratch/a", layer: "POSIX", flags: 0 },
      { start: 13_000, end: 23_000, bytes: 32, moved: 24, layer: "STDIO", flags: WRITE_FLAG },
    ]);
  });

  it("of the older dialect have strings for numbers and names in place", () => {
    const line = `{"id":"5","name":"write","cat":"POSIX","pid":"71","tid":"72","ts":"${T0}","dur":"106","ph":"X","args":{"hostname":"corona237","ret":"3276800","count":"3276800","fname":"/p/a \\"b\\"","fd":18}}`;
    const { accesses, processes } = collectAccesses(dftracer, line);
    expect(accesses).toMatchObject([
      { start: 0, end: 106_000, bytes: 3_276_800, moved: 3_276_800, path: '/p/a "b"', flags: WRITE_FLAG },
    ]);
    expect(processes).toEqual([{ pid: 71, host: "corona237" }]);
  });

  it("that failed keep what was requested and move nothing", () => {
    const { accesses } = collectAccesses(
      dftracer,
      traceOf(
        FILE,
        event("write", { fhash: 5, count: 10, ret: -1 }),
        event("write", { fhash: 5, count: 10, ret: "18446744073709551615" }),
      ),
    );
    for (const one of accesses)
      expect(one).toMatchObject({ bytes: 10, moved: 0, flags: WRITE_FLAG | CALL_ERROR });
    expect(accesses).toHaveLength(2);
  });

  it("have offsets where the trace leaves no doubt", () => {
    const { accesses } = collectAccesses(
      dftracer,
      traceOf(
        FILE,
        event("read", { fhash: 5, ret: 1, count: 1, fd: 3 }),
        event("open", { fhash: 5, ret: 3, flags: 2 }),
        event("read", { fhash: 5, ret: 10, count: 16, fd: 3 }),
        event("write", { fhash: 5, ret: 5, count: 5, fd: 3 }),
        event("lseek", { fhash: 5, ret: 100, fd: 3, whence: 0, offset: 100 }),
        event("read", { fhash: 5, ret: 1, count: 1, fd: 3 }),
        event("pread", { fhash: 5, ret: 1, count: 1, fd: 3, offset: 77 }),
        event("read", { fhash: 5, ret: 1, count: 1, fd: 3 }, { tid: 99 }),
        event("read", { fhash: 5, ret: 1, count: 1, fd: 3 }),
        event("open", { fhash: 5, ret: 4, flags: 0o2001 }),
        event("write", { fhash: 5, ret: 1, count: 1, fd: 4 }),
        event("open", { fhash: 5, ret: 4, flags: 2 }),
        event("fcntl", { fhash: 5, fd: 4, cmd: 0 }),
        event("read", { fhash: 5, ret: 1, count: 1, fd: 4 }),
      ),
    );
    expect(accesses.map(({ offset }) => offset)).toEqual([
      ...[Number.NaN, 0, 10, 100, 77],
      ...[Number.NaN, Number.NaN, Number.NaN, Number.NaN],
    ]);
  });

  it("of other categories are spans; ranks, lives and parents are learned", () => {
    const { sink } = collectingSink();
    const spans: unknown[] = [];
    const learned: unknown[] = [];
    const processes: unknown[] = [];
    dftracer.calls(
      bytesSource(
        new TextEncoder().encode(
          traceOf(
            name("SH", 1, "./cm1.exe --fast"),
            event("start", { cmd_hash: 1, ppid: 70 }, { cat: "dftracer", dur: 0 }),
            event("compute", {}, { cat: "ai_framework", ts: T0 + 5, tid: 72 }),
            name("PR", "3", "rank"),
            event("end", {}, { cat: "dftracer", dur: 0, ts: T0 + 50 }),
          ),
        ),
      ),
      {
        ...sink,
        process: (process) => processes.push(process) - 1,
        learn: (process, facts) => void learned.push([process, facts]),
        spans: ({ startNs, endNs, thread, name: number, names }) =>
          void spans.push([startNs[0], endNs[0], thread[0], names[number[0] as number]]),
      },
    );
    expect(spans).toEqual([[5000, 15_000, 72, { category: "ai_framework", name: "compute" }]]);
    expect(processes).toEqual([{ pid: 71, parent: 70, program: "cm1.exe", command: "./cm1.exe --fast" }]);
    expect(learned).toEqual([[0, { rank: 3, life: { startNs: 0, endNs: 50_000 } }]]);
  });

  it("may use hashes before they are named", () => {
    const read = event("read", { fhash: 5, ret: 1, count: 1 });
    expect(collectAccesses(dftracer, traceOf(read, FILE)).accesses).toMatchObject([{ path: "/scratch/a" }]);
    const names = () => dftracer.names([bytesSource(new TextEncoder().encode(traceOf(FILE)))]);
    expect(collectAccesses(dftracer, traceOf(read), { names }).accesses).toMatchObject([
      { path: "/scratch/a" },
    ]);
    const { accesses, notes } = collectAccesses(dftracer, traceOf(read));
    expect(accesses).toMatchObject([{ path: "(file hash 5)" }]);
    expect(notes).toMatchObject([{ id: "unnamed-files", count: 1 }]);
  });

  it("without process ids are of one process, by the name of the file", () => {
    const lines = traceOf(FILE, event("read", { fhash: 5, ret: 1, count: 1 }, { pid: 0 }));
    const { processes, notes } = collectAccesses(dftracer, lines, { name: "/x/trace-3-of-8.pfw" });
    expect(processes).toMatchObject([{ pid: 3 }]);
    expect(notes).toMatchObject([{ id: "no-process-id" }]);
  });
});

describe("lines", () => {
  const read = event("read", { fhash: 5, ret: 1, count: 1 });

  it.each([
    ["with commas", `[\n${FILE},\n${read},\n${read}\n]\n`],
    ["without the closing bracket", `[\n${FILE}\n${read}\n${read}`],
    ["without brackets", `${FILE}\n${read}\n${read}\n`],
    ["with CR LF and spaces", `[\r\n  ${FILE} ,\r\n ${read}\r\n${read}\r\n]\r\n`],
    ["as one list", `[${[FILE, read, read].join(",")}]`],
    [
      "as JSON with spaces",
      `[\n${[FILE, read, read].map((one) => JSON.stringify(JSON.parse(one), null, 1).replaceAll("\n", " ")).join(",\n")}\n]`,
    ],
    [
      "with odd values",
      `${FILE}\n${read}\n${read.replace('"args":{', '"x":[1,{"y":"}"}],"args":{"epoch":1e3,"z":null,')}`,
    ],
  ])("%s", (_, text) => {
    const { accesses, notes } = collectAccesses(dftracer, text);
    expect(accesses).toHaveLength(2);
    expect(accesses[1]).toMatchObject({ bytes: 1, path: "/scratch/a" });
    expect(notes).toEqual([]);
  });

  it("that are bad are counted, with the place of the first; the last one may be cut", () => {
    const { accesses, notes } = collectAccesses(
      dftracer,
      `[\n${FILE}\nnoise\n${read}\n{"id":1,"name"\n${read.slice(0, -9)}`,
    );
    expect(accesses).toHaveLength(1);
    expect(notes).toMatchObject([
      { id: "bad-line", count: 2, text: "2 lines were skipped, the first is line 3: noise" },
      { id: "truncated", count: 1 },
    ]);
  });

  it("of a cut trace never make up a call, wherever the cut is", () => {
    const text = traceOf(FILE, read, read);
    const whole = text.indexOf(read) + read.length;
    for (let at = 3; at < text.length; at++) {
      if (at < FILE.length + 2) continue;
      const { accesses } = collectAccesses(dftracer, text.slice(0, at), { name: "a.pfw" });
      expect(accesses).toHaveLength(at < whole ? 0 : at < whole + 1 + read.length ? 1 : 2);
    }
  });

  it("that are none at all are refused", () => {
    expect(() => collectAccesses(dftracer, "hello\nworld\n", { name: "a.pfw" })).toThrow(
      'a.pfw: line 1: expected an event of DFTracer, found "hello"',
    );
    expect(() => collectAccesses(dftracer, "[\n]\n", { name: "a.pfw" })).toThrow("the trace has no events");
  });
});

it("is recognised by content", () => {
  const bytes = (text: string) => new TextEncoder().encode(text);
  expect(findFormat(bytes(traceOf(FILE)), "x", "calls")).toBe(dftracer);
  expect(findFormat(bytes('{"fio version": "3.1", "name": "x"}'), "x", "calls")).not.toBe(dftracer);
});

it("metadata calls are calls of the stream", () => {
  const operations: number[] = [];
  const { sink } = collectingSink();
  const text = traceOf(
    FILE,
    ...["open", "close", "lseek", "__xstat", "fsync", "mkdir"].map((call) => event(call, { fhash: 5 })),
  );
  dftracer.calls(bytesSource(new TextEncoder().encode(text)), {
    ...sink,
    block: ({ count, operation }) => void operations.push(...operation.subarray(0, count)),
  });
  const { open, close, seek, stat, sync, other } = Operation;
  expect(operations).toEqual([open, close, seek, stat, sync, other]);
});
