import { describe, expect, it } from "vitest";
import { CALL_COLLECTIVE, Operation } from "../../model/index.ts";
import { FormatError } from "../../base/errors.ts";
import { bytesSource } from "../../base/source.ts";
import {
  type CallClock,
  type CallFile,
  type CallNote,
  type CallProcess,
  type CallSink,
  noteText,
} from "../../model/calls.ts";
import { findFormat } from "../catalogue.ts";
import type { CallReader } from "../input-format.ts";
import { HEADER_BYTES, RECORD_BYTES } from "./layout.ts";
import { paper, paperSink } from "./paper.ts";
import { readTrace, trace } from "./reader.ts";
import { type MadeAccess, makeTrace, OFFSET, START_MONOTONIC as S } from "./test-kit.ts";

interface Read {
  readonly clocks: CallClock[];
  readonly processes: CallProcess[];
  readonly files: CallFile[];
  readonly notes: Map<string, CallNote>;
  /** Start, end, bytes, moved, path, flags. */
  readonly rows: [number, number, number, number, string, number][];
}

function read(bytes: Uint8Array, format: { readonly calls: CallReader } = trace): Read {
  const got: Read = { clocks: [], processes: [], files: [], notes: new Map(), rows: [] };
  const sink: CallSink = {
    clock: (clock) => void got.clocks.push(clock),
    process: (process) => got.processes.push(process) - 1,
    file: (file) => got.files.push(file) - 1,
    note: (note) => void got.notes.set(note.id, { ...note, text: noteText(note) }),
    block(block) {
      for (let i = 0; i < block.count; i++) {
        if ((block.operation[i] as number) > Operation.write) continue;
        got.rows.push([
          block.startNs[i] as number,
          block.endNs[i] as number,
          block.bytes[i] as number,
          block.movedBytes?.[i] ?? Number.NaN,
          got.files[block.file[i] as number]?.path as string,
          (block.flags[i] as number) | (block.operation[i] === Operation.write ? 1 : 0),
        ]);
      }
    },
  };
  format.calls(bytesSource(bytes, "test.plt"), sink);
  return got;
}

const accesses: MadeAccess[] = [
  { kind: 1, file: 2, bytes: 4096, start: S - 5n, end: S + 10n },
  {
    kind: 18,
    flags: 1 | 2 | 8,
    file: 1,
    bytes: 5_000_000_000,
    start: S + 5_000_000_001n,
    end: S + 9_000_000_003n,
  },
  { kind: 1, file: 2, bytes: 4096, moved: 17, start: S + 20n, end: S + 30n },
  { kind: 1, flags: 4, file: 2, bytes: 100, start: S + 40n, end: S + 41n },
  { kind: 33, flags: 64, file: 1, bytes: 8192, start: S + 50n, end: S + 60n },
  { kind: 34, file: 1, bytes: 8192, start: S + 50n, end: S + 60n },
  { kind: 35, file: 1, bytes: 8192, start: S + 50n, end: S + 60n },
  { kind: 1, file: 65535, bytes: 1, start: S + 70n, end: S + 65n },
  { kind: 1, file: 9, bytes: -1n, start: S + 70n, end: S + 75n },
];
const long = `/data/${"a long name/".repeat(30)}täil`;
const names = { 1: "/scratch/out", 2: long };

describe("a trace", () => {
  const rows = [
    [-5, 10, 4096, 4096, long, 0],
    [5_000_000_001, 9_000_000_003, 5_000_000_000, 5_000_000_000, "/scratch/out", 11],
    [20, 30, 4096, 17, long, 0],
    [40, 41, 100, 0, long, 4],
    [50, 60, 8192, 0, "/scratch/out", 0],
    [50, 60, 8192, 8192, "/scratch/out", 0],
    [50, 60, 8192, Number.NaN, "/scratch/out", CALL_COLLECTIVE],
    [70, 65, 1, 1, "(other files)", 0],
    [70, 75, -1, -1, "(file 9)", 0],
  ];

  it.each([true, false])("is read in either byte order (little: %s)", (little) => {
    const bytes = makeTrace({ little, names, accesses });
    const got = read(bytes);
    expect(got.rows).toEqual(rows);
    expect(got.clocks).toEqual([{ kind: "realtime", epochNs: S + OFFSET, uncertaintyNs: 57 }]);
    expect(got.processes).toMatchObject([{ pid: 4711, rank: 3, host: "node17", program: "solve" }]);
    expect(got.files.find(({ path }) => path === long)?.fileSystem).toBe("ext4");
    expect([...got.notes.keys()]).toEqual([]);
    expect(findFormat(bytes.subarray(0, 4096), "no matter", "calls")?.id).toBe("trace");
  });

  it.each([true, false])("says where files are and how many ranks there are (little: %s)", (little) => {
    const mount = ["lustre", "/scratch with a long name of more than one part"] as const;
    const { files, processes } = read(makeTrace({ little, names, mount, accesses, header: { ranks: 64n } }));
    for (const { path, ...rest } of files.filter(({ path }) => path.startsWith("/")))
      expect({ path, ...rest }).toEqual({ path, fileSystem: "lustre", mount: mount[1] });
    expect(processes).toMatchObject([{ rank: 3, ranks: 64, tellsCollectives: true }]);
    // Older traces say neither.
    expect(read(makeTrace({ little, accesses })).processes[0]).not.toHaveProperty("ranks");
  });

  it("is read from memory that no word view can cover", () => {
    const odd = new Uint8Array(makeTrace({ names, accesses }).length + 1);
    odd.set(makeTrace({ names, accesses }), 1);
    expect(read(odd.subarray(1)).rows).toEqual(rows);
  });

  it("keeps an access and what came back together where blocks end", () => {
    const many = Array.from({ length: 150_000 }, (_, i) => ({
      bytes: 100,
      ...(i % 3 === 0 ? { moved: i % 100 } : {}),
      start: S + BigInt(i),
      end: S + BigInt(i + 1),
    }));
    const got = read(makeTrace({ accesses: many }));
    expect(got.rows).toHaveLength(many.length);
    expect(
      got.rows.every(([start, , , moved], i) => start === i && moved === (i % 3 === 0 ? i % 100 : 100)),
    ).toBe(true);
  });

  it("counts syncs that are not inside another, and hands them out where asked", () => {
    const made = [
      { kind: 17, flags: 1, bytes: 100, start: S, end: S + 10n },
      { kind: 64, flags: 1, bytes: 0, start: S + 10n, end: S + 40n },
      { kind: 64, flags: 1 | 2, bytes: 0, start: S + 12n, end: S + 38n },
    ];
    for (const little of [true, false]) {
      const source = bytesSource(makeTrace({ little, accesses: made }), "test.plt");
      const rows: number[][] = [];
      const { counts } = readTrace(source, {
        ...{ clock: () => {}, process: () => 0, file: () => 0, note: () => {} },
        block: ({ count, startNs, endNs, bytes, operation, flags }) => {
          for (let i = 0; i < count; i++)
            rows.push([startNs[i], endNs[i], bytes[i], operation[i], flags[i]] as number[]);
        },
      });
      expect([counts.syncs, counts.syncNs]).toEqual([1, 30]);
      expect(rows).toEqual([
        [0, 10, 100, Operation.write, 0],
        [10, 40, 0, Operation.sync, 0],
        [12, 38, 0, Operation.sync, 2],
      ]);
    }
  });

  it("has offsets from version 2 on, in either byte order", () => {
    const accesses = [
      { kind: 2, bytes: 4096, offset: 0n, start: S, end: S + 1n },
      {
        kind: 18,
        flags: 1,
        bytes: 0xffff_ffffn,
        moved: 7,
        offset: 2n ** 50n + 12345n,
        start: S,
        end: S + 1n,
      },
      { kind: 1, bytes: 2n ** 40n, start: S, end: S + 1n },
      { kind: 69, bytes: 2, start: S, end: S + 1n },
    ];
    for (const little of [true, false]) {
      const rows: number[][] = [];
      const source = bytesSource(makeTrace({ little, accesses, header: { version: 2n } }), "test.plt");
      readTrace(source, {
        ...{ clock: () => {}, process: () => 0, file: () => 0, note: () => {} },
        block: ({ count, bytes, movedBytes, offset, operation }) => {
          for (let i = 0; i < count; i++)
            rows.push([bytes[i], movedBytes?.[i], offset?.[i], operation[i]] as number[]);
        },
      });
      expect(rows).toEqual([
        [4096, 4096, 0, Operation.read],
        [0xffff_ffff, 7, 2 ** 50 + 12345, Operation.write],
        [2 ** 40, 2 ** 40, Number.NaN, Operation.read],
        [0, 0, Number.NaN, Operation.stat],
      ]);
    }
  });

  it("says what else it holds", () => {
    const got = read(
      makeTrace({
        accesses: [
          { kind: 64, bytes: 0, start: S, end: S + 3_000_000_000n },
          { kind: 65, bytes: 4096, start: S, end: S },
          { kind: 0, bytes: 0, start: 0n, end: 0n },
          { kind: 199, bytes: 0, start: 0n, end: 0n },
        ],
        header: { dropped: 12n, skipped: 5n, filesOther: 3n, unfinished: 2n, flags: 6n },
      }),
    );
    expect(got.rows).toEqual([]);
    const counts = Object.fromEntries([...got.notes].map(([id, { count }]) => [id, count]));
    expect(counts).toEqual({
      ...{ dropped: 12, unfinished: 1, "not-waited": 2, "unknown-kind": 1, "not-ended": 1, "left-out": 5 },
      ...{ sync: 1, mapped: 1, "other-files": 3, sandbox: 1, delay: 1 },
    });
    expect(got.notes.get("sync")?.text).toContain("3 s");
  });
});

describe("a damaged trace", () => {
  const whole = makeTrace({ names, accesses });

  it("that was cut gives what it has and says how much is missing", () => {
    const cut = whole.subarray(0, whole.length - 2 * RECORD_BYTES - 7);
    const got = read(cut);
    expect(got.rows).toHaveLength(accesses.length - 3);
    expect(got.notes.get("truncated")?.count).toBe(3);
  });

  it("whose header counts more than there was space for is read up to there", () => {
    const got = read(makeTrace({ accesses, count: 1000, capacity: 5 }));
    expect(got.rows).toHaveLength(4);
    expect(got.notes.has("truncated")).toBe(false);
  });

  it("in the middle of a name has the files by number", () => {
    const got = read(
      makeTrace({ names: { 1: long }, accesses: [] }).subarray(0, HEADER_BYTES + 3 * RECORD_BYTES),
    );
    expect(got.rows).toEqual([]);
  });

  it.each([
    ["no trace", whole.subarray(1), /byte 0: not a trace/],
    ["half a header", whole.subarray(0, 100), /byte 100: a trace header has 4096 bytes, this file has 100/],
    [
      "another version",
      makeTrace({ header: { version: 3n } }),
      /byte 8: trace version 3, this program reads versions 1 and 2/,
    ],
    ["no byte order", makeTrace({ header: { byteOrder: 5n } }), /byte 12: invalid byte order mark/],
  ])("%s is an error with its place", (_, bytes, message) => {
    expect(() => read(bytes)).toThrow(FormatError);
    expect(() => read(bytes)).toThrow(message);
  });
});

describe("records of the paper", () => {
  const pieces: Uint8Array[] = [];
  trace.calls(
    bytesSource(makeTrace({ names, accesses: accesses.slice(0, 4) })),
    paperSink((bytes) => void pieces.push(bytes.slice())),
  );
  const bytes = new Uint8Array(pieces.flatMap((piece) => [...piece]));

  it("have process, blocks, start and end in 32 bytes, of outermost accesses", () => {
    expect(bytes.length).toBe(3 * 32);
    const words = new BigUint64Array(bytes.buffer);
    expect([...words.slice(0, 4)]).toEqual([4711n, 8n, S + OFFSET - 5n, S + OFFSET + 10n]);
    // 100 bytes are a block.
    expect(words[9]).toBe(1n);
  });

  it("are read back", () => {
    const got = read(bytes, paper);
    expect(got.clocks).toEqual([{ kind: "realtime", epochNs: S + OFFSET - 5n }]);
    expect(got.processes).toEqual([{ pid: 4711 }]);
    expect(got.rows.map(([start, end, size]) => [start, end, size])).toEqual([
      [0, 15, 4096],
      [25, 35, 4096],
      [45, 46, 512],
    ]);
    expect(paper.recognizes(bytes, "x.bps32")).toBe(true);
    expect(paper.recognizes(bytes, "x.csv")).toBe(false);
  });

  it("that were cut say so", () => {
    expect(read(bytes.subarray(0, 70), paper).rows).toHaveLength(2);
    expect(read(bytes.subarray(0, 70), paper).notes.get("truncated")?.text).toMatch(/6 of 32 bytes/);
    expect(() => read(bytes.subarray(0, 20), paper)).toThrow(/a record has 32 bytes, this file has 20/);
  });
});
