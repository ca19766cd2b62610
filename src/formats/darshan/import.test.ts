// Planted values must come out of the tables, each in its column and none twice.

import { describe, expect, it } from "vitest";
import { layOut } from "../../../test/fuzz/build-log.ts";
import { Random } from "../../base/prng.ts";
import { bytesSource } from "../../base/source.ts";
import { type Table, TablesBuilder, type Value } from "../../model/index.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { importLog } from "./import.ts";
import { DarshanLog } from "./log.ts";
import {
  dfs,
  dxtMpiio,
  dxtPosix,
  h5f,
  lustre,
  type ModuleSpec,
  mpiio,
  posix,
  stdio,
} from "./modules/index.ts";
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
  const builder = new TablesBuilder();
  importLog(new DarshanLog(bytesSource(bytes, "planted.darshan"), { codecs: nodeCodecs }), builder, "run-7");
  const tables = builder.finish();
  return {
    runs: rowsOf(tables.get("runs") as Table),
    accesses: rowsOf(tables.get("accesses") as Table),
    ops: rowsOf(tables.get("ops") as Table),
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
const access = (modules: Modules, job: Partial<JobFacts> = {}) =>
  only(imported(logOf(modules, job)).accesses);

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

describe("the accesses of a log", () => {
  it("have the planted POSIX counters of all ranks together", () => {
    const record = (rank: number, factor: number) =>
      counterRecord(
        posix,
        { id: ID, rank },
        {
          POSIX_OPENS: factor,
          POSIX_READS: 2 * factor,
          POSIX_WRITES: 3 * factor,
          POSIX_SEEKS: 4 * factor,
          POSIX_STATS: 5 * factor,
          POSIX_FSYNCS: 6 * factor,
          POSIX_FDSYNCS: 7 * factor,
          POSIX_BYTES_READ: 8 * factor,
          POSIX_BYTES_WRITTEN: 9 * factor,
          POSIX_SEQ_READS: 10 * factor,
          POSIX_SEQ_WRITES: 11 * factor,
          POSIX_CONSEC_READS: 12 * factor,
          POSIX_CONSEC_WRITES: 13 * factor,
          POSIX_FILE_NOT_ALIGNED: 14 * factor,
          POSIX_FILE_ALIGNMENT: 1048576,
          POSIX_SIZE_READ_0_100: 15 * factor,
          POSIX_SIZE_WRITE_1G_PLUS: 16 * factor,
          POSIX_F_READ_TIME: factor / 8,
          POSIX_F_WRITE_TIME: factor / 4,
          POSIX_F_META_TIME: factor / 2,
          POSIX_F_OPEN_START_TIMESTAMP: factor,
          POSIX_F_CLOSE_END_TIMESTAMP: 10 + factor,
        },
      );
    expect(access([[posix, [record(0, 3), record(2, 1)]]])).toMatchObject({
      run_id: "run-7",
      file_id: ID,
      path: FILE,
      mount: "/scratch",
      fs_type: "lustre",
      layer: "POSIX",
      ranks: 2n,
      shared: 0,
      opens: 4n,
      reads: 8n,
      writes: 12n,
      seeks: 16n,
      stats: 20n,
      syncs: 52n,
      bytes_read: 32n,
      bytes_written: 36n,
      sequential_reads: 40n,
      sequential_writes: 44n,
      consecutive_reads: 48n,
      consecutive_writes: 52n,
      not_aligned: 56n,
      alignment: 1048576n,
      size_read_0_100: 60n,
      size_read_100_1k: 0n,
      size_write_1g_plus: 64n,
      read_seconds: 0.5,
      write_seconds: 1,
      meta_seconds: 2,
      slowest_seconds: 2.625,
      slowest_rank: 0n,
      fastest_seconds: 0.875,
      fastest_rank: 2n,
      first_open_seconds: 1,
      last_close_seconds: 13,
      mpiio_bytes_read: null,
      mpiio_collective: null,
      stripe_count: null,
      osts: null,
    });
  });

  it("put every size class of POSIX into its own column", () => {
    const classes = [
      "0_100",
      "100_1K",
      "1K_10K",
      "10K_100K",
      "100K_1M",
      "1M_4M",
      "4M_10M",
      "10M_100M",
      "100M_1G",
    ];
    const values: Record<string, number> = {};
    const expected: Record<string, bigint> = {};
    [...classes, "1G_PLUS"].forEach((size, index) => {
      values[`POSIX_SIZE_READ_${size}`] = 100 + index;
      values[`POSIX_SIZE_WRITE_${size}`] = 200 + index;
      expected[`size_read_${size.toLowerCase()}`] = BigInt(100 + index);
      expected[`size_write_${size.toLowerCase()}`] = BigInt(200 + index);
    });
    expect(access([[posix, [counterRecord(posix, { id: ID, rank: 0 }, values)]]])).toMatchObject(expected);
  });

  it("add POSIX and STDIO, which do not nest, but keep MPI-IO apart", () => {
    const row = access([
      [
        posix,
        [
          counterRecord(
            posix,
            { id: ID, rank: 0 },
            { POSIX_BYTES_READ: 1000, POSIX_READS: 10, POSIX_OPENS: 1 },
          ),
        ],
      ],
      [
        mpiio,
        [
          counterRecord(
            mpiio,
            { id: ID, rank: 0 },
            {
              MPIIO_BYTES_READ: 900,
              MPIIO_BYTES_WRITTEN: 7,
              MPIIO_COLL_READS: 2,
              MPIIO_COLL_WRITES: 3,
              MPIIO_INDEP_READS: 4,
              MPIIO_INDEP_WRITES: 5,
              MPIIO_F_READ_TIME: 99,
            },
          ),
        ],
      ],
      [
        stdio,
        [
          counterRecord(
            stdio,
            { id: ID, rank: 0 },
            {
              STDIO_BYTES_READ: 50,
              STDIO_READS: 3,
              STDIO_OPENS: 2,
              STDIO_FLUSHES: 4,
              STDIO_F_READ_TIME: 0.5,
            },
          ),
        ],
      ],
    ]);
    expect(row).toMatchObject({
      layer: "MPI-IO",
      bytes_read: 1050n,
      reads: 13n,
      opens: 3n,
      syncs: 4n,
      read_seconds: 0.5,
      slowest_seconds: 0.5,
      mpiio_bytes_read: 900n,
      mpiio_bytes_written: 7n,
      mpiio_collective: 5n,
      mpiio_independent: 9n,
    });
  });

  it("of DFS have its own counters", () => {
    const row = access([
      [
        dfs,
        [
          counterRecord(
            dfs,
            { id: ID, rank: 0 },
            {
              DFS_READS: 1,
              DFS_READXS: 2,
              DFS_NB_READS: 4,
              DFS_WRITES: 8,
              DFS_WRITEXS: 16,
              DFS_NB_WRITES: 32,
              DFS_BYTES_READ: 64,
              DFS_BYTES_WRITTEN: 128,
              DFS_STATS: 3,
              DFS_OPENS: 5,
            },
          ),
        ],
      ],
    ]);
    expect(row).toMatchObject({
      layer: "DFS",
      reads: 7n,
      writes: 56n,
      bytes_read: 64n,
      bytes_written: 128n,
      stats: 3n,
      opens: 5n,
      seeks: null,
      alignment: null,
    });
  });

  it("leave out what was not available: -1 is neither zero nor taken off a sum", () => {
    const record = (rank: number, seeks: number, stats: number) =>
      counterRecord(posix, { id: ID, rank }, { POSIX_SEEKS: seeks, POSIX_STATS: stats, POSIX_WRITES: 0 });
    const row = access([[posix, [record(0, -1, -1), record(1, -1, 5)]]]);
    expect(row.seeks).toBeNull();
    expect(row.stats).toBe(5n);
    expect(row.writes).toBe(0n);
    const unknown = counterRecord(posix, { id: ID, rank: -1 }, { POSIX_FILE_ALIGNMENT: -1 });
    expect(access([[posix, [unknown]]]).alignment).toBeNull();
  });

  it("have no first open and no last close where none was seen", () => {
    const row = access([
      [posix, [counterRecord(posix, { id: ID, rank: 0 }, { POSIX_F_CLOSE_END_TIMESTAMP: -1 })]],
    ]);
    expect(row.first_open_seconds).toBeNull();
    expect(row.last_close_seconds).toBeNull();
  });

  it("of a shared record have its extremes and variances, and all ranks", () => {
    const row = access([
      [
        posix,
        [
          counterRecord(
            posix,
            { id: ID, rank: -1 },
            {
              POSIX_SLOWEST_RANK: 3,
              POSIX_FASTEST_RANK: 1,
              POSIX_F_SLOWEST_RANK_TIME: 2.5,
              POSIX_F_FASTEST_RANK_TIME: 0.5,
              POSIX_F_VARIANCE_RANK_TIME: 0.125,
              POSIX_F_VARIANCE_RANK_BYTES: 4096,
              POSIX_FILE_ALIGNMENT: 65536,
            },
          ),
        ],
      ],
    ]);
    expect(row).toMatchObject({
      shared: 1,
      ranks: 4n,
      slowest_rank: 3n,
      slowest_seconds: 2.5,
      fastest_rank: 1n,
      fastest_seconds: 0.5,
      variance_seconds: 0.125,
      variance_bytes: 4096,
      alignment: 65536n,
    });
  });

  it("of a file shared in two layers have the extremes of the one with more time", () => {
    const both = (posixTime: number, stdioTime: number) =>
      access([
        [
          posix,
          [
            counterRecord(
              posix,
              { id: ID, rank: -1 },
              { POSIX_SLOWEST_RANK: 1, POSIX_F_SLOWEST_RANK_TIME: posixTime, POSIX_FILE_ALIGNMENT: 512 },
            ),
          ],
        ],
        [
          stdio,
          [
            counterRecord(
              stdio,
              { id: ID, rank: -1 },
              { STDIO_SLOWEST_RANK: 2, STDIO_F_SLOWEST_RANK_TIME: stdioTime },
            ),
          ],
        ],
      ]);
    expect(both(3, 1)).toMatchObject({ slowest_rank: 1n, slowest_seconds: 3, alignment: 512n });
    expect(both(1, 3)).toMatchObject({ slowest_rank: 2n, slowest_seconds: 3, alignment: 512n });
  });

  it("of the ranks' own records have the population variance of time and bytes", () => {
    const random = new Random(4);
    for (const count of [1, 2, 7, 40]) {
      const ranks = Array.from({ length: count }, (_, rank) => ({
        rank,
        read: random.unit(),
        write: random.unit() * 10,
        meta: random.unit(),
        bytesRead: random.below(1e6),
        bytesWritten: random.below(1e6),
      }));
      const row = access([
        [
          posix,
          ranks.map(({ rank, read, write, meta, bytesRead, bytesWritten }) =>
            counterRecord(
              posix,
              { id: ID, rank },
              {
                POSIX_F_READ_TIME: read,
                POSIX_F_WRITE_TIME: write,
                POSIX_F_META_TIME: meta,
                POSIX_BYTES_READ: bytesRead,
                POSIX_BYTES_WRITTEN: bytesWritten,
              },
            ),
          ),
        ],
      ]);
      // Mean of squares of all differences of pairs, which needs no mean: sum (a - b)^2 / (2 n^2).
      const spread = (values: readonly number[]) => {
        let sum = 0;
        for (const a of values) for (const b of values) sum += (a - b) ** 2;
        return sum / (2 * values.length ** 2);
      };
      const seconds = ranks.map(({ read, write, meta }) => read + write + meta);
      const bytes = ranks.map(({ bytesRead, bytesWritten }) => bytesRead + bytesWritten);
      expect(row.variance_seconds).toBeCloseTo(spread(seconds), 9);
      expect(Number(row.variance_bytes) / (spread(bytes) || 1)).toBeCloseTo(count === 1 ? 0 : 1, 9);
      expect(row.slowest_seconds).toBeCloseTo(Math.max(...seconds), 12);
      expect(row.fastest_seconds).toBeCloseTo(Math.min(...seconds), 12);
      expect(row.slowest_rank).toBe(BigInt(seconds.indexOf(Math.max(...seconds))));
      expect(row.fastest_rank).toBe(BigInt(seconds.indexOf(Math.min(...seconds))));
      expect(row.ranks).toBe(BigInt(count));
    }
  });

  it("of a file that only MPI-IO knows have no times, but the ranks and whether it was shared", () => {
    const record = (rank: number) => counterRecord(mpiio, { id: ID, rank }, { MPIIO_BYTES_WRITTEN: 5 });
    expect(access([[mpiio, [record(-1)]]])).toMatchObject({
      layer: "MPI-IO",
      shared: 1,
      ranks: 4n,
      bytes_written: null,
      mpiio_bytes_written: 5n,
      slowest_seconds: null,
      variance_seconds: null,
    });
    expect(access([[mpiio, [record(0), record(3)]]])).toMatchObject({
      shared: 0,
      ranks: 2n,
      mpiio_bytes_written: 10n,
    });
  });

  it("have the stripes of a Lustre file: those of its first component", () => {
    const component = (size: bigint, count: bigint) => ({
      counters: BigInt64Array.of(size, count, 0n, 16n, 0n, -1n, 0n),
      pool: new Uint8Array(0),
    });
    const layout: DarshanRecord = {
      kind: "lustre",
      id: ID,
      rank: -1n,
      components: [component(65536n, 2n), component(1048576n, 3n)],
      osts: BigInt64Array.of(7n, 8n, 1n, 2n, 3n),
    };
    const row = access([
      [posix, [counterRecord(posix, { id: ID, rank: -1 }, {})]],
      [lustre, [layout]],
    ]);
    expect(row).toMatchObject({ stripe_count: 2n, stripe_bytes: 65536n, osts: "7 8 1 2 3" });
    // A layout alone is no access.
    expect(imported(logOf([[lustre, [layout]]])).accesses).toEqual([]);
  });

  it("are one row per file, and none for modules above the file layers", () => {
    const other = recordId("/home/x");
    const { accesses } = imported(
      logOf(
        [
          [
            posix,
            [
              counterRecord(posix, { id: ID, rank: 0 }, {}),
              counterRecord(posix, { id: other, rank: 0 }, {}),
              counterRecord(posix, { id: ID, rank: 1 }, {}),
            ],
          ],
          [h5f, [counterRecord(h5f, { id: 77n, rank: 0 }, { H5F_OPENS: 1 })]],
          [stdio, [counterRecord(stdio, { id: 5n, rank: 0 }, {})]],
        ],
        {},
        [FILE, "/home/x"],
      ),
    );
    expect(accesses.map(({ path, mount, layer }) => [path, mount, layer])).toEqual([
      [FILE, "/scratch", "POSIX"],
      ["/home/x", "/", "POSIX"],
      [null, null, "STDIO"],
    ]);
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
    const { ops } = imported(logOf([[dxtPosix, [trace]]]));
    const common = {
      run_id: "run-7",
      rank: 3n,
      host: "node7",
      file_id: ID,
      layer: "POSIX",
      moved_bytes: null,
    };
    expect(ops).toEqual([
      {
        ...common,
        thread: 2n ** 63n,
        direction: "write",
        offset: 0n,
        bytes: 100n,
        start_ns: 1000,
        end_ns: 500_000_000,
      },
      {
        ...common,
        thread: 1n,
        direction: "write",
        offset: 2n ** 40n,
        bytes: 0n,
        start_ns: 1_250_000_000,
        end_ns: 1_500_000_000,
      },
      {
        ...common,
        thread: 1n,
        direction: "read",
        offset: 50n,
        bytes: 25n,
        start_ns: 2_123_456_789,
        end_ns: 3_000_000_000,
      },
    ]);
  });

  it("of both layers stay apart, and need no access to exist", () => {
    const { ops, accesses } = imported(
      logOf([
        [dxtPosix, [trace]],
        [dxtMpiio, [{ ...trace, rank: 1n, reads: [] }]],
      ]),
    );
    expect(ops.map(({ layer, rank, direction }) => `${layer} ${rank} ${direction}`)).toEqual([
      "POSIX 3 write",
      "POSIX 3 write",
      "POSIX 3 read",
      "MPI-IO 1 write",
      "MPI-IO 1 write",
    ]);
    expect(accesses).toEqual([]);
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
    const { tables } = imported(logOf([[dxtPosix, [long]]]));
    const ops = tables.get("ops") as Table;
    expect(ops.rows).toBe(24_000);
    const directions = ops.column("direction");
    const offsets = ops.column("offset");
    for (let row = 0; row < ops.rows; row++) {
      if (offsets[row] !== BigInt(row)) expect(offsets[row]).toBe(BigInt(row));
      if (directions[row] !== (row < 15_000 ? "write" : "read")) expect(`${row} ${directions[row]}`).toBe("");
    }
    expect(ops.value("start_ns", 23_999)).toBe(23_999_000_000);
  });

  it("without a thread have thread 0, and without a meaningful offset none", () => {
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
      layer: "MPI-IO",
      rank: 2n,
      thread: 0n,
      offset: null,
      bytes: 77n,
      start_ns: 250_000_000,
      end_ns: 750_000_000,
    });
  });
});
