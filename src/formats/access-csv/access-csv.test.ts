import { readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { FormatError } from "../../base/errors.ts";
import { collectAccesses, WRITE_FLAG } from "../test-kit.ts";
import { accessCsv } from "./format.ts";

const read = (text: string | Uint8Array, options = {}) => collectAccesses(accessCsv, text, options);
const row = (text: string, options = {}) => read(text, options).accesses[0];

/** The same table read slowly: a regular expression per field, big integers for times. */
function slowly(text: string, columns: readonly string[], separator: RegExp, unitDigits: number) {
  const ns = (field: string): bigint => {
    const [, sign = "", whole = "", fraction = ""] = /^([+-]?)(\d*)\.?(\d*)$/.exec(field) ?? [];
    const value = BigInt(whole + fraction.padEnd(unitDigits, "0").slice(0, unitDigits));
    return sign === "-" ? -value : value;
  };
  const rows = text
    .split(/\r\n|\n|\r/)
    .filter((line) => line.trim() !== "" && !line.startsWith("#"))
    .slice(1)
    .map((line) => {
      const fields = line.split(separator).map((field) => field.trim());
      return Object.fromEntries(columns.map((name, index) => [name, fields[index] ?? ""]));
    });
  return rows.map((fields) => ({
    start: ns(fields.start as string),
    end: ns(fields.end as string),
    bytes: fields.bytes === "" ? Number.NaN : Number(fields.bytes),
    moved: fields.moved === undefined || fields.moved === "" ? Number.NaN : Number(fields.moved),
    pid: Number(fields.pid),
    path: fields.file ?? "",
    flags: fields.op === "write" ? WRITE_FLAG : 0,
  }));
}

/** Exact as long as a double is. */
function expectNs(found: number, exact: bigint): void {
  if (Math.abs(found) <= Number.MAX_SAFE_INTEGER) expect(found).toBe(Number(exact));
  else expect(Math.abs(found - Number(exact))).toBeLessThanOrEqual(512);
}

const UNITS = { s: 9, ms: 6, us: 3, ns: 0 } as const;

describe("tables of accesses", () => {
  const time = (unit: keyof typeof UNITS) =>
    fc.tuple(fc.bigInt(0n, 2_000_000_000_000_000_000n), fc.boolean()).map(([ns, negative]) => {
      const digits = ns.toString().padStart(UNITS[unit] + 1, "0");
      const at = digits.length - UNITS[unit];
      const text = UNITS[unit] === 0 ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`;
      return `${negative && ns < 1_000_000n ? "-" : ""}${text}`;
    });
  const table = fc.constantFrom<keyof typeof UNITS>("s", "ms", "us", "ns").chain((unit) =>
    fc.record({
      unit: fc.constant(unit),
      columns: fc
        .shuffledSubarray(["pid", "moved", "file", "op"])
        .chain((some) =>
          fc.shuffledSubarray([...some, "bytes", "start", "end"], { minLength: some.length + 3 }),
        ),
      separator: fc.constantFrom(",", ";", "\t", " , ", ", "),
      newline: fc.constantFrom("\n", "\r\n", "\r", "\n\n", "\n# note\n"),
      ended: fc.boolean(),
      rows: fc.array(
        fc.record({
          pid: fc.nat(3).map(String),
          bytes: fc.constantFrom("0", "4096", "-1", "1048576", "9007199254740991", ""),
          start: time(unit),
          end: time(unit),
          moved: fc.constantFrom("", "512", "1e3"),
          file: fc.constantFrom("", "/a b/c", "/d"),
          op: fc.constantFrom("read", "write"),
        }),
        { minLength: 1, maxLength: 20 },
      ),
    }),
  );

  it("are read as a slow reader with big integers reads them", () => {
    fc.assert(
      fc.property(table, ({ unit, columns, separator, newline, ended, rows }) => {
        const lines = [
          columns,
          ...rows.map((fields) => columns.map((name) => fields[name as keyof typeof fields])),
        ];
        const text = lines.map((fields) => fields.join(separator)).join(newline) + (ended ? newline : "");
        const found = read(text, { time: unit });
        const expected = slowly(text, columns, new RegExp(separator.trim() || "\t"), UNITS[unit]);
        const epoch = found.clock?.epochNs ?? 0n;
        expect(found.accesses.length).toBe(expected.length);
        for (const [index, access] of found.accesses.entries()) {
          const twin = expected[index] as (typeof expected)[number];
          expectNs(access.start, twin.start - epoch);
          expectNs(access.end, twin.end - epoch);
          expect([access.bytes, access.moved]).toEqual([twin.bytes, twin.moved]);
          expect(access.path).toBe(columns.includes("file") ? twin.path : "");
          expect(access.pid).toBe(columns.includes("pid") ? twin.pid : 0);
          expect(access.flags).toBe(columns.includes("op") ? twin.flags : 0);
        }
      }),
      { numRuns: 300 },
    );
  });

  it("may end lines with CR alone, also beyond one window", () => {
    const rows = Array.from({ length: 100_000 }, (_, i) => `${i % 7},512,${i},${i + 1}`);
    const lines = ["pid,bytes,start,end", ...rows];
    const found = read(lines.join("\r"));
    expect(lines.join("\r").length).toBeGreaterThan(1 << 20);
    expect(found.accesses).toEqual(read(lines.join("\n")).accesses);
    expect(accessCsv.recognizes(new TextEncoder().encode("pid,bytes,start,end\r1,2,3,4\r"))).toBe(true);
    expect(accessCsv.recognizes(new TextEncoder().encode("1,2,3,4\r1,2,3,4\r"))).toBe(true);
  });

  it("lose no nanosecond of the time of day", () => {
    const text =
      "pid,bytes,start,end\n7,512,1712345678.123456789,1712345679.000000001\n7,1,1712345678,1712345678.5\n";
    const { clock, accesses, processes } = read(text);
    expect(clock).toEqual({ kind: "realtime", epochNs: 1_712_345_678_000_000_000n });
    expect(accesses.map(({ start, end }) => [start, end])).toEqual([
      [123_456_789, 1_000_000_001],
      [0, 500_000_000],
    ]);
    expect(processes).toEqual([{ pid: 7 }]);
  });

  it("take their units from the header, else from the option, else seconds", () => {
    expect(row("bytes,start_ns,end_ms\n1,1712345678123456789,1712345678124.5\n")).toMatchObject({
      start: 123_456_789,
      end: 124_500_000,
    });
    expect(row("1,512,10,20\n")).toMatchObject({ start: 10e9, end: 20e9 });
    expect(row("1,512,10,20\n", { time: "us" })).toMatchObject({ start: 10e3, end: 20e3 });
    expect(row("bytes,start_s,end_s\n1,10,20\n", { time: "us" })).toMatchObject({ start: 10e9, end: 20e9 });
  });

  it("need no header with four or five numbers", () => {
    expect(row("3 512 0.5 1.5")).toMatchObject({
      pid: 3,
      bytes: 512,
      start: 5e8,
      end: 15e8,
      moved: Number.NaN,
    });
    expect(row("\n# all\n3\t512\t0.5\t1.5\t1024\n")).toMatchObject({ pid: 3, bytes: 512, moved: 1024 });
    expect(() => read("1,2,3\n")).toThrow(/line 1: expected a header with bytes, start and end/);
    expect(() => read("1,2,3,4,5,6\n")).toThrow(FormatError);
  });

  it("may count blocks, as the record of the paper", () => {
    const text = readFileSync(new URL("../../../test/fixtures/accesses/paper.csv", import.meta.url));
    expect(read(text).accesses.map(({ pid, bytes, start, end }) => [pid, bytes, start, end])).toEqual([
      [1, 4096, 0, 5e8],
      [2, 4096, 25e7, 75e7],
      [1, 8192, 1e9, 15e8],
    ]);
    expect(read(text, { blockBytes: 4096 }).accesses[0]?.bytes).toBe(32768);
  });

  it("have hosts, ranks, quoted names and operations", () => {
    const text = [
      '"rank";"host";"file";"op";"offset";"bytes";"start";"end"',
      '0;n1;"/a;b ""c""";pwrite64;4096;10;0;1',
      "1; n2 ;/d;R;-;20;0;1;",
    ].join("\r\n");
    const { processes, accesses } = read(text);
    expect(processes).toEqual([
      { pid: 0, rank: 0, host: "n1" },
      { pid: 1, rank: 1, host: "n2" },
    ]);
    expect(accesses.map(({ path, flags, offset }) => [path, flags, offset])).toEqual([
      ['/a;b "c"', WRITE_FLAG, 4096],
      ["/d", 0, Number.NaN],
    ]);
  });

  it("pass on what is recorded, however odd", () => {
    const { accesses, notes } = read("pid,bytes,start,end\n1,-5,2,1\n1,,0,1\n1,NaN,-1.5,1e1\n");
    expect(accesses.map(({ bytes, start, end }) => [bytes, start, end])).toEqual([
      [-5, 2e9, 1e9],
      [Number.NaN, 0, 1e9],
      [Number.NaN, -15e8, 10e9],
    ]);
    expect(notes).toEqual([]);
  });

  it("count bad lines and say where the first is", () => {
    const text =
      "pid,bytes,start,end,why\n1,2,0,1,x\n1,2,0\n1,2,zero,1,x\n,2,0,1,x\n1,2,0,1,x,y\n1,2,0,nan,x\n1,2,0,1,\n";
    const { accesses, notes } = read(text);
    expect(accesses.length).toBe(2);
    expect(notes).toEqual([
      { id: "bad-line", count: 5, text: "5 lines were skipped, the first is line 3: 3 of 5 fields" },
      { id: "ignored-columns", count: 1, text: "unknown columns were ignored: why" },
    ]);
    expect(read("1,2,0,1\n1,2,0,one\n").notes[0]?.text).toBe(
      '1 line was skipped, the first is line 2: expected a number in column end, found "one"',
    );
  });

  it("are refused with the line when nothing is usable", () => {
    expect(() => read("# a\npid,bytes,start,end\n\nx,1,2,3\n", { name: "t.csv" })).toThrow(
      't.csv: line 4: expected a number in column pid, found "x"',
    );
    expect(() => read("start,start,end,bytes\n")).toThrow(/two columns for "start"/);
    expect(() => read("")).toThrow(FormatError);
    expect(() => read("hello world\n")).toThrow(/line 1: .*found "hello world"/);
    expect(read("pid,bytes,start,end\n").accesses).toEqual([]);
  });

  it("that were cut lose at most their last line, without another error", () => {
    const text = "pid,bytes,start,end,file\n1,4096,0.25,0.5,/a\n2,512,0.75,1.125,/b\n";
    const whole = read(text).accesses;
    for (let length = 0; length < text.length; length++) {
      try {
        const { accesses } = read(text.slice(0, length));
        expect(accesses.slice(0, -1)).toEqual(whole.slice(0, Math.max(0, accesses.length - 1)));
      } catch (error) {
        expect(error).toBeInstanceOf(FormatError);
      }
    }
    expect(read(text.slice(0, -12)).notes.map(({ id }) => id)).toEqual(["truncated"]);
  });

  it("of any bytes are read or refused", () => {
    const piece = fc.constantFrom(
      "pid,bytes,start,end\n",
      "1,2,3,4\n",
      ",",
      "\n",
      '"',
      "\t",
      " ",
      "1.5",
      "-",
      "e9",
      "\0",
      "é",
      "#",
      "\r",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, fc.string({ maxLength: 4 })), { maxLength: 30 }), (pieces) => {
        try {
          for (const { start, end } of read(pieces.join("")).accesses) {
            expect(Number.isNaN(start) || Number.isNaN(end)).toBe(false);
          }
        } catch (error) {
          if (!(error instanceof FormatError)) throw error;
        }
      }),
      { numRuns: 2000 },
    );
  });

  it("say when times are too far from their start to be exact", () => {
    const { clock, notes } = read("1,1,50000000,50000001\n");
    expect(clock).toEqual({ kind: "own", epochNs: 0n });
    expect(notes.map(({ id, count }) => [id, count])).toEqual([["rounded-times", 1]]);
  });
});
