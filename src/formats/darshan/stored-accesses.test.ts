// Planted values must come out of the rows for a store, each in its column and none twice.

import { describe, expect, it } from "vitest";
import { Random } from "../../base/prng.ts";
import { bytesSource } from "../../base/source.ts";
import { storedAccesses, TableBuilder, type Value } from "../../model/index.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { DarshanLog } from "./log.ts";
import { dfs, h5f, lustre, type ModuleSpec, mpiio, posix, stdio } from "./modules/index.ts";
import { recordId } from "./record-id.ts";
import { counterRecord, type DarshanRecord } from "./records.ts";
import { StoredRows } from "./stored-rows.ts";
import { type JobFacts, LogWriter, memorySink } from "./writer.ts";

const FILE = "/scratch/p/data.bin";
const ID = recordId(FILE);

type Modules = readonly (readonly [ModuleSpec, readonly DarshanRecord[], boolean?])[];

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

const RUN = (9n << 32n) | 7n;

/** Rows of `accesses`. */
async function stored(bytes: Uint8Array): Promise<Record<string, Value>[]> {
  const rows = new StoredRows({ identify: () => ({ low: 1, high: 2 }), nowUnixSeconds: 2_000_000_000 });
  rows.add(new DarshanLog(bytesSource(bytes, "planted.darshan"), { codecs: nodeCodecs }), "planted", {
    low: 7,
    high: 9,
  });
  const builder = new TableBuilder(storedAccesses);
  await rows.flush({
    async append(schema, count, columns) {
      if (schema === storedAccesses) builder.appendColumns(count, columns);
    },
  });
  const table = builder.finish();
  return Array.from({ length: table.rows }, (_, row) =>
    Object.fromEntries(table.schema.columns.map(({ name }) => [name, table.value(name, row)])),
  );
}

async function access(modules: Modules): Promise<Record<string, Value>> {
  const rows = await stored(logOf(modules));
  expect(rows).toHaveLength(1);
  return rows[0] as Record<string, Value>;
}

describe("the accesses of a log", () => {
  it("have the planted POSIX counters of all ranks together", async () => {
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
    expect(await access([[posix, [record(0, 3), record(2, 1)]]])).toMatchObject({
      run_id: RUN,
      file_id: ID,
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
      size_read_0_100: 60n,
      size_read_100_1k: 0n,
      size_write_1g_plus: 64n,
      read_seconds: 0.5,
      write_seconds: 1,
      meta_seconds: 2,
      slowest_seconds: 2.625,
      fastest_seconds: 0.875,
      mpiio_bytes_read: null,
      mpiio_collective: null,
      stripe_count: null,
      osts: null,
    });
  });

  it("put every size class of POSIX into its own column", async () => {
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
    expect(await access([[posix, [counterRecord(posix, { id: ID, rank: 0 }, values)]]])).toMatchObject(
      expected,
    );
  });

  it("add POSIX and STDIO, which do not nest, but keep MPI-IO apart", async () => {
    const row = await access([
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

  it("of DFS have its own counters", async () => {
    const row = await access([
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
    });
  });

  it("leave out what was not available: -1 is neither zero nor taken off a sum", async () => {
    const record = (rank: number, seeks: number, stats: number) =>
      counterRecord(posix, { id: ID, rank }, { POSIX_SEEKS: seeks, POSIX_STATS: stats, POSIX_WRITES: 0 });
    const row = await access([[posix, [record(0, -1, -1), record(1, -1, 5)]]]);
    expect(row.seeks).toBeNull();
    expect(row.stats).toBe(5n);
    expect(row.writes).toBe(0n);
  });

  it("of a shared record have its extremes and variances, and all ranks", async () => {
    const row = await access([
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
      slowest_seconds: 2.5,
      fastest_seconds: 0.5,
      variance_seconds: 0.125,
      variance_bytes: 4096,
    });
  });

  it("of a file shared in two layers have the extremes of the one with more time", async () => {
    const both = (posixTime: number, stdioTime: number) =>
      access([
        [
          posix,
          [
            counterRecord(
              posix,
              { id: ID, rank: -1 },
              { POSIX_F_VARIANCE_RANK_TIME: 0.1, POSIX_F_SLOWEST_RANK_TIME: posixTime },
            ),
          ],
        ],
        [
          stdio,
          [
            counterRecord(
              stdio,
              { id: ID, rank: -1 },
              { STDIO_F_VARIANCE_RANK_TIME: 0.2, STDIO_F_SLOWEST_RANK_TIME: stdioTime },
            ),
          ],
        ],
      ]);
    expect(await both(3, 1)).toMatchObject({ slowest_seconds: 3, variance_seconds: 0.1 });
    expect(await both(1, 3)).toMatchObject({ slowest_seconds: 3, variance_seconds: 0.2 });
  });

  it("of the ranks' own records have the population variance of time and bytes", async () => {
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
      const row = await access([
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
      expect(row.ranks).toBe(BigInt(count));
    }
  });

  it("of a file that only MPI-IO knows have no times, but the ranks and whether it was shared", async () => {
    const record = (rank: number) => counterRecord(mpiio, { id: ID, rank }, { MPIIO_BYTES_WRITTEN: 5 });
    expect(await access([[mpiio, [record(-1)]]])).toMatchObject({
      layer: "MPI-IO",
      shared: 1,
      ranks: 4n,
      bytes_written: null,
      mpiio_bytes_written: 5n,
      slowest_seconds: null,
      variance_seconds: null,
    });
    expect(await access([[mpiio, [record(0), record(3)]]])).toMatchObject({
      shared: 0,
      ranks: 2n,
      mpiio_bytes_written: 10n,
    });
  });

  it("have the stripes of a Lustre file: those of its first component", async () => {
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
    const row = await access([
      [posix, [counterRecord(posix, { id: ID, rank: -1 }, {})]],
      [lustre, [layout]],
    ]);
    expect(row).toMatchObject({ stripe_count: 2n, stripe_bytes: 65536n, osts: "7 8 1 2 3" });
    // A layout alone is no access.
    expect(await stored(logOf([[lustre, [layout]]]))).toEqual([]);
  });

  it("leave out OSTs that are not known, as those of a component that has no data yet", async () => {
    const component = (count: bigint, start: bigint, flags: bigint) => ({
      counters: BigInt64Array.of(1048576n, count, 0n, flags, start, -1n, 0n),
      pool: new Uint8Array(0),
    });
    const layout = (osts: bigint[]): DarshanRecord => ({
      kind: "lustre",
      id: ID,
      rank: -1n,
      components: [component(1n, 0n, 16n), component(BigInt(osts.length - 1), 1048576n, 0n)],
      osts: BigInt64Array.from(osts),
    });
    const ostsOf = async (osts: bigint[]) =>
      (
        await access([
          [posix, [counterRecord(posix, { id: ID, rank: -1 }, {})]],
          [lustre, [layout(osts)]],
        ])
      ).osts;
    expect(await ostsOf([3n, -1n, -1n, -1n])).toBe("3");
    expect(await ostsOf([-1n, -1n])).toBe(null);
  });

  it("have no extremes and no spread of times that ran backwards", async () => {
    const record = (rank: number, read: number, write: number) =>
      counterRecord(
        posix,
        { id: ID, rank },
        { POSIX_F_READ_TIME: read, POSIX_F_WRITE_TIME: write, POSIX_F_META_TIME: -5 },
      );
    expect(await access([[posix, [record(0, 2, 1), record(1, -7, 1), record(2, -1, -1)]]])).toMatchObject({
      ranks: 3n,
      slowest_seconds: 3,
      fastest_seconds: 1,
      variance_seconds: 1,
    });
    const shared = (slowest: number, fastest: number) =>
      counterRecord(
        posix,
        { id: ID, rank: -1 },
        {
          POSIX_F_SLOWEST_RANK_TIME: slowest,
          POSIX_F_FASTEST_RANK_TIME: fastest,
          POSIX_F_VARIANCE_RANK_TIME: 9,
        },
      );
    expect(await access([[posix, [shared(4, -2)]]])).toMatchObject({
      slowest_seconds: 4,
      fastest_seconds: null,
      variance_seconds: null,
    });
    expect(await access([[posix, [shared(4, 2)]]])).toMatchObject({
      fastest_seconds: 2,
      variance_seconds: 9,
    });
  });

  it("are one row per file, and none for modules above the file layers", async () => {
    const other = recordId("/home/x");
    const accesses = await stored(
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
    expect(accesses.map(({ file_id, mount, layer }) => [file_id, mount, layer])).toEqual([
      [ID, "/scratch", "POSIX"],
      [other, "/", "POSIX"],
      [5n, null, "STDIO"],
    ]);
  });
});
