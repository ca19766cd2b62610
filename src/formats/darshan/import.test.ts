// Planted values must come out of the tables, each in its column and none twice.

import { describe, expect, it } from "vitest";
import { layOut } from "../../../test/fuzz/build-log.ts";
import { bytesSource } from "../../base/source.ts";
import { type Table, TablesBuilder, type Value } from "../../model/index.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { collectingSink, WRITE_FLAG } from "../test-kit.ts";
import { importLog } from "./import.ts";
import { DarshanLog } from "./log.ts";
import { dxtMpiio, dxtPosix, type ModuleSpec, posix, stdio } from "./modules/index.ts";
import { recordId } from "./record-id.ts";
import { counterRecord, type DarshanRecord, type TraceObject } from "./records.ts";
import { type JobFacts, LogWriter, memorySink } from "./writer.ts";

const FILE = "/scratch/p/data.bin";
const ID = recordId(FILE);

type Modules = readonly (readonly [ModuleSpec, readonly (DarshanRecord | TraceObject)[], boolean?])[];

function logOf(modules: Modules, job: Partial<JobFacts> = {}, names: readonly string[] = [FILE]): Uint8Array {
  const sink = memorySink();
  const writer = new LogWriter(sink, { encoders: nodeEncoders });
  writer.job({
    uid: 1001,
    startSeconds: 1_700_000_000,
    startNanoseconds: 250_000_000,
    endSeconds: 1_700_000_010,
    endNanoseconds: 500_000_000,
    nprocs: 4,
    jobId: 4242,
    metadata: [["lib_ver", "3.5.0"]],
    commandLine: "/apps/bin/solver --input deck.in",
    mounts: [
      { type: "lustre", path: "/scratch" },
      { type: "xfs", path: "/" },
    ],
    ...job,
  });
  writer.names(names.map((name) => ({ id: recordId(name), name })));
  for (const [spec, records, partial] of modules) writer.module(spec, records, partial);
  writer.finish();
  return sink.bytes();
}

function imported(bytes: Uint8Array) {
  const { sink, collected } = collectingSink();
  const builder = new TablesBuilder({ calls: () => sink });
  importLog(new DarshanLog(bytesSource(bytes, "planted.darshan"), { codecs: nodeCodecs }), builder, "run-7");
  const tables = builder.finish();
  return {
    runs: rowsOf(tables.get("runs") as Table),
    layers: rowsOf(tables.get("layers") as Table),
    ops: collected().accesses,
    processes: collected().processes,
    tables,
  };
}

function rowsOf(table: Table): Record<string, Value>[] {
  return Array.from({ length: table.rows }, (_, row) =>
    Object.fromEntries(table.schema.columns.map(({ name }) => [name, table.value(name, row)])),
  );
}

const only = <T>(list: readonly T[]): T => {
  expect(list).toHaveLength(1);
  return list[0] as T;
};

describe("the run of a log", () => {
  it("has the planted job", () => {
    const { runs } = imported(
      logOf([
        [posix, [counterRecord(posix, { id: ID, rank: 0 }, {})]],
        [stdio, [counterRecord(stdio, { id: ID, rank: 0 }, {})], true],
      ]),
    );
    expect(only(runs)).toEqual({
      run_id: "run-7",
      source: "planted.darshan",
      kind: "darshan",
      job_id: "4242",
      user_id: "1001",
      application: "solver",
      command_line: "/apps/bin/solver --input deck.in",
      ranks: 4n,
      start_unix_ns: 1_700_000_000_250_000_000n,
      end_unix_ns: 1_700_000_010_500_000_000n,
      run_seconds: 10.25,
      log_version: "3.41",
      library_version: "3.5.0",
      synthetic: 0,
      modules: "POSIX STDIO",
      partial_modules: "STDIO",
      warnings: "",
    });
  });

  it("without an end time has no end and no duration", () => {
    const { runs } = imported(logOf([], { endSeconds: 0, endNanoseconds: 0 }));
    expect(only(runs)).toMatchObject({ end_unix_ns: null, run_seconds: null });
  });

  it("without a library version has none, and without a program an empty name", () => {
    const { runs } = imported(logOf([], { metadata: [], commandLine: "" }));
    expect(only(runs)).toMatchObject({ library_version: null, application: "", command_line: "" });
  });
});

describe("the layers of a log", () => {
  const layer = (values: readonly (readonly [rank: number, Record<string, number>])[]) =>
    only(
      imported(logOf([[posix, values.map(([rank, own]) => counterRecord(posix, { id: ID, rank }, own))]]))
        .layers,
    );

  it("have name, alignment, first open, last close and the ranks at the ends", () => {
    const values = (factor: number) => ({
      POSIX_FILE_ALIGNMENT: 1048576,
      POSIX_F_READ_TIME: factor / 8,
      POSIX_F_OPEN_START_TIMESTAMP: factor,
      POSIX_F_CLOSE_END_TIMESTAMP: 10 + factor,
    });
    expect(
      layer([
        [0, values(3)],
        [2, values(1)],
      ]),
    ).toMatchObject({
      run_id: "run-7",
      path: FILE,
      file_alignment: 1048576n,
      slowest_rank: 0n,
      fastest_rank: 2n,
      open_start_seconds: 1,
      close_end_seconds: 13,
    });
    expect(layer([[-1, { POSIX_SLOWEST_RANK: 3, POSIX_FASTEST_RANK: 1 }]])).toMatchObject({
      slowest_rank: 3n,
      fastest_rank: 1n,
    });
  });

  it("have none of them where none was seen", () => {
    expect(layer([[0, { POSIX_F_CLOSE_END_TIMESTAMP: -1, POSIX_FILE_ALIGNMENT: -1 }]])).toMatchObject({
      file_alignment: null,
      open_start_seconds: null,
      close_end_seconds: null,
    });
  });
});

describe("the operations of a trace", () => {
  const trace: TraceObject = {
    id: ID,
    rank: 3n,
    host: "node7",
    writes: [
      { offset: 0n, length: 100n, start: 0.000001, end: 0.5, thread: 2n ** 63n },
      { offset: 2n ** 40n, length: 0n, start: 1.25, end: 1.5, thread: 1n },
    ],
    reads: [{ offset: 50n, length: 25n, start: 2.1234567891, end: 3, thread: 1n }],
  };

  it("are the planted segments, writes first, with times in nanoseconds", () => {
    const { ops, processes } = imported(logOf([[dxtPosix, [trace]]]));
    expect(processes).toMatchObject([{ rank: 3, host: "node7" }]);
    const common = { pid: 3, path: FILE, layer: "POSIX", moved: Number.NaN };
    expect(ops).toEqual([
      { ...common, flags: WRITE_FLAG, offset: 0, bytes: 100, start: 1000, end: 500_000_000 },
      { ...common, flags: WRITE_FLAG, offset: 2 ** 40, bytes: 0, start: 1_250_000_000, end: 1_500_000_000 },
      { ...common, flags: 0, offset: 50, bytes: 25, start: 2_123_456_789, end: 3_000_000_000 },
    ]);
  });

  it("of both layers stay apart, and need no counters to exist", () => {
    const { ops, layers } = imported(
      logOf([
        [dxtPosix, [trace]],
        [dxtMpiio, [{ ...trace, rank: 1n, reads: [] }]],
      ]),
    );
    expect(
      ops.map(({ layer, pid, flags }) => `${layer} ${pid} ${flags & WRITE_FLAG ? "write" : "read"}`),
    ).toEqual(["POSIX 3 write", "POSIX 3 write", "POSIX 3 read", "MPI-IO 1 write", "MPI-IO 1 write"]);
    expect(layers).toEqual([]);
  });

  it("that fill several blocks keep their direction and order", () => {
    const segments = (count: number, from: number) =>
      Array.from({ length: count }, (_, i) => ({
        offset: BigInt(from + i),
        length: 1n,
        start: (from + i) / 1000,
        end: (from + i) / 1000,
        thread: 0n,
      }));
    const long = { ...trace, writes: segments(15_000, 0), reads: segments(9_000, 15_000) };
    const { ops } = imported(logOf([[dxtPosix, [long]]]));
    expect(ops.map(({ offset }) => offset)).toEqual(Array.from({ length: 24_000 }, (_, i) => i));
    expect(ops.map(({ flags }) => flags)).toEqual(
      Array.from({ length: 24_000 }, (_, i) => (i < 15_000 ? WRITE_FLAG : 0)),
    );
    expect(ops[23_999]?.start).toBe(23_999_000_000);
  });

  it("without a meaningful offset have none", () => {
    // DXT_MPIIO version 1: four words a segment, and the offset means nothing.
    const plain = new DataView(new ArrayBuffer(104 + 32));
    plain.setBigUint64(0, ID, true);
    plain.setBigInt64(8, 2n, true);
    plain.setBigInt64(88, 1n, true);
    plain.setBigInt64(104, 123456n, true);
    plain.setBigInt64(112, 77n, true);
    plain.setFloat64(120, 0.25, true);
    plain.setFloat64(128, 0.75, true);
    const bytes = layOut({
      minor: 10,
      bigEndian: false,
      compression: 0,
      partial: 0n,
      job: { plain: new Uint8Array(1065) },
      modules: [{ fileSlot: 9, version: 1, plain: new Uint8Array(plain.buffer) }],
    });
    expect(only(imported(bytes).ops)).toMatchObject({
      ...{ layer: "MPI-IO", pid: 2, offset: Number.NaN, bytes: 77, start: 250_000_000, end: 750_000_000 },
    });
  });
});
