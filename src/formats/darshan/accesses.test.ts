import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { everyModuleLog } from "../../../test/formats/every-module.ts";
import { FormatError } from "../../base/errors.ts";
import { bytesSource } from "../../base/source.ts";
import { CALL_NESTED } from "../../model/calls.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { collectAccesses, WRITE_FLAG } from "../test-kit.ts";
import { darshan } from "./format.ts";
import { DarshanLog } from "./log.ts";
import { recordId } from "./record-id.ts";
import { findModule, type ModuleSpec } from "./modules/index.ts";
import { decodeSegments, type Segment, type TraceObject } from "./records.ts";
import { LogWriter, memorySink } from "./writer.ts";

const fixture = (name: string) =>
  readFileSync(new URL(`../../../test/fixtures/darshan/${name}`, import.meta.url));
const read = (bytes: Uint8Array, options = {}) =>
  collectAccesses(darshan, bytes, { codecs: nodeCodecs, name: "a.darshan", ...options });

const segment = (offset: number, length: number, start: number, end: number): Segment => ({
  offset: BigInt(offset),
  length: BigInt(length),
  start,
  end,
  thread: 0n,
});

const trace = (file: string, rank: number, writes: Segment[], reads: Segment[] = []): TraceObject => ({
  id: recordId(file),
  rank: BigInt(rank),
  host: `node${rank}`,
  writes,
  reads,
});

/** A log with these traces; `partial` names modules that ran out of memory. */
function logOf(
  modules: Readonly<Record<string, TraceObject[]>>,
  partial: readonly string[] = [],
): Uint8Array {
  const sink = memorySink();
  const writer = new LogWriter(sink, { encoders: nodeEncoders });
  writer.job({
    uid: 1n,
    startSeconds: 1_700_000_000,
    startNanoseconds: 250_000_000,
    endSeconds: 1_700_000_100,
    endNanoseconds: 0,
    nprocs: 2,
    jobId: 1n,
    metadata: [],
    commandLine: "/bin/app -x",
    mounts: [{ type: "lustre", path: "/scratch" }],
  });
  writer.names(["/scratch/a", "/scratch/b"].map((name) => ({ id: recordId(name), name })));
  for (const [name, records] of Object.entries(modules))
    writer.module(findModule(name) as ModuleSpec, records, partial.includes(name));
  writer.finish();
  return sink.bytes();
}

describe("accesses of a Darshan log", () => {
  it("of POSIX are nested where the same process used MPI-IO on the same file", () => {
    const { accesses, clock, processes, files, notes } = read(
      logOf({
        DXT_POSIX: [
          trace("/scratch/a", 0, [segment(0, 1000, 1, 1.25)], [segment(8, 9, 2, 3)]),
          trace("/scratch/a", 1, [segment(0, 7, 1, 2)]),
          trace("/scratch/b", 0, [segment(0, 5, 1, 2)]),
        ],
        DXT_MPIIO: [trace("/scratch/a", 0, [segment(0, 100, 0.5, 1.5)])],
      }),
    );
    expect(clock).toEqual({ kind: "realtime", epochNs: 1_700_000_000_250_000_000n });
    const life = { startNs: 0, endNs: 99_750_000_000 };
    const common = { ranks: 2, program: "/bin/app", life };
    expect(processes).toEqual([
      { ...common, pid: 0, rank: 0, host: "node0" },
      { ...common, pid: 1, rank: 1, host: "node1" },
    ]);
    expect(files).toEqual([
      { path: "/scratch/a", fileSystem: "lustre", id: recordId("/scratch/a") },
      { path: "/scratch/b", fileSystem: "lustre", id: recordId("/scratch/b") },
    ]);
    expect(
      accesses.map(({ bytes, start, end, offset, flags, pid }) => [bytes, start, end, offset, flags, pid]),
    ).toEqual([
      [100, 5e8, 15e8, 0, WRITE_FLAG, 0],
      [1000, 1e9, 125e7, 0, WRITE_FLAG | CALL_NESTED, 0],
      [9, 2e9, 3e9, 8, CALL_NESTED, 0],
      [7, 1e9, 2e9, 0, WRITE_FLAG, 1],
      [5, 1e9, 2e9, 0, WRITE_FLAG, 0],
    ]);
    expect(notes).toEqual([]);
  });

  it("of an MPI program are all segments of its trace", () => {
    const bytes = fixture("mpiio4_dxt.darshan");
    const log = new DarshanLog(bytesSource(bytes), { codecs: nodeCodecs });
    const expected = ["DXT_MPIIO", "DXT_POSIX"].flatMap((name) => {
      const entry = log.modules.find((module) => module.name === name);
      if (entry === undefined) return [];
      const rows: unknown[] = [];
      for (const block of log.segments(entry)) {
        const records = decodeSegments(block);
        for (const [index, { offset, length, start, end }] of records.entries()) {
          const write = block.first + index < block.record.writes ? WRITE_FLAG : 0;
          const flags = write | (name === "DXT_POSIX" ? CALL_NESTED : 0);
          rows.push([Number(offset), Number(length), Math.round(start * 1e9), Math.round(end * 1e9), flags]);
        }
      }
      return rows;
    });
    const { accesses, notes } = read(bytes);
    expect(
      accesses.map(({ offset, bytes: size, start, end, flags }) => [offset, size, start, end, flags]),
    ).toEqual(expected);
    expect(accesses.length).toBe(16);
    expect(notes.filter(({ id }) => id === "dropped")).toEqual([]);
  });

  it("of a program without MPI are not nested", () => {
    const { accesses, notes } = read(fixture("files1000_dxt.darshan"));
    expect(accesses.length).toBeGreaterThanOrEqual(1000);
    expect(accesses.every(({ flags }) => (flags & CALL_NESTED) === 0)).toBe(true);
    expect(notes.every(({ text }) => text.length > 10)).toBe(true);
  });

  it("that the library had no memory for are told of", () => {
    const partial = read(
      logOf({ DXT_POSIX: [trace("/scratch/a", 0, [segment(0, 1, 0, 1)])] }, ["DXT_POSIX"]),
    );
    expect(partial.notes).toEqual([
      {
        id: "dropped",
        count: 1,
        text: "Darshan ran out of memory for DXT_POSIX, so the trace is incomplete (raise MODMEM)",
      },
    ]);
  });

  it("are not there without DXT", () => {
    expect(() => read(logOf({}))).toThrow(FormatError);
    expect(() => read(logOf({}))).toThrow(
      /^a\.darshan: the log has no single accesses; record with DXT_ENABLE_IO_TRACE=1/,
    );
    const { bytes } = everyModuleLog(3, { modules: ({ kind }) => kind !== "dxt" });
    expect(() => read(bytes)).toThrow(/DXT_ENABLE_IO_TRACE/);
  });

  it("of layers that are not traced are counted", () => {
    const { bytes } = everyModuleLog(5, { whole: true });
    const untraced = read(bytes).notes.filter(({ id }) => id === "untraced");
    expect(untraced.map(({ text }) => text)).toContain(
      "Darshan does not trace calls of STDIO; they are not included",
    );
  });

  it("of a log cut anywhere are read or refused", () => {
    const bytes = fixture("mpiio4_dxt.darshan");
    for (let length = 0; length < bytes.length; length += 7) {
      for (const keepGoing of [false, true]) {
        try {
          const { notes } = read(bytes.subarray(0, length), { keepGoing });
          if (keepGoing) expect(notes.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(FormatError);
        }
      }
    }
  });
});
