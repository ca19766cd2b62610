/** Jobs whose counters look like a cause that they do not have, or like another one. */
import { describe, expect, it } from "vitest";
import { h5f, mpiio, posix, stdio } from "../../../formats/darshan/modules/index.ts";
import type { Finding } from "../../../model/finding.ts";
import { judge } from "../judge.ts";
import { type CountersOfFile, countersJob } from "./test-kit.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const FILE = "/scratch/run/data";

const findings = (ranks: number, ...records: readonly CountersOfFile[]): readonly Finding[] =>
  judge(countersJob(ranks, records)).findings;
const loud = (list: readonly Finding[]) =>
  list.filter(({ severity, id }) => severity !== "info" && id !== "io-share").map(({ id }) => id);

/** Reads or writes of one size, one after the other, by one rank. */
const calls = (way: "READ" | "WRITE", count: number, bytes: number, seconds: number, more = {}) => ({
  OPENS: 1,
  [`${way}S`]: count,
  [`CONSEC_${way}S`]: count - 1,
  [`SEQ_${way}S`]: count - 1,
  [way === "READ" ? "BYTES_READ" : "BYTES_WRITTEN"]: count * bytes,
  [way === "READ" ? "MAX_BYTE_READ" : "MAX_BYTE_WRITTEN"]: count * bytes - 1,
  [`F_${way}_TIME`]: seconds,
  ACCESS1_ACCESS: bytes,
  ACCESS1_COUNT: count,
  ...more,
});

describe("time that bytes take", () => {
  const synced = (bytes: number) =>
    findings(1, {
      module: posix,
      path: FILE,
      rank: 0,
      values: calls("WRITE", 400, bytes, 40, { FSYNCS: 400, F_MAX_WRITE_TIME: 0.1 }),
    });

  it("is not that of syncs, where megabytes are written before each", () => {
    expect(loud(synced(16 * KIB))).toEqual(["fsync-per-write"]);
    expect(loud(synced(2 * MIB))).not.toContain("fsync-per-write");
  });

  it("is not that of calls, where these are large and no other size tells the two apart", () => {
    const read = (bytes: number, size: string) =>
      findings(1, {
        module: posix,
        path: FILE,
        rank: 0,
        values: calls("READ", 4000, bytes, 40, { [size]: 4000 }),
      });
    expect(loud(read(4 * KIB, "SIZE_READ_1K_10K"))).toEqual(["small-reads"]);
    expect(loud(read(512 * KIB, "SIZE_READ_100K_1M"))).toEqual([]);
  });
});

describe("streams", () => {
  const values = { OPENS: 1, READS: 2000, BYTES_READ: 2000 * 4 * KIB, MAX_BYTE_READ: 64 * MIB };
  const seeking = (SEEKS: number, F_READ_TIME: number) =>
    findings(1, { module: stdio, path: FILE, rank: 0, values: { ...values, SEEKS, F_READ_TIME } });

  it("that seek before each read and wait for storage read at random", () => {
    const [first] = seeking(2000, 20);
    expect([first?.id, first?.severity]).toEqual(["random-reads", "high"]);
    expect(first?.statement).toContain("(1,999 of 2,000) from 1 file follow a seek of their stream");
    expect(loud(seeking(2000, 0.05))).toEqual([]);
  });

  it("that move megabytes with each call cost nothing that a log without other calls can tell", () => {
    const bulk = { OPENS: 1, WRITES: 100, BYTES_WRITTEN: 400 * MIB, MAX_BYTE_WRITTEN: 400 * MIB - 1 };
    const list = findings(1, { module: stdio, path: FILE, rank: 0, values: { ...bulk, F_WRITE_TIME: 20 } });
    expect(list.find(({ id }) => id === "stdio-bulk")?.cost.seconds).toBeNull();
    expect(loud(list)).toEqual([]);
  });
});

describe("a file that is written and read in turns", () => {
  const turns = (write: number, read: number) =>
    findings(1, {
      module: posix,
      path: FILE,
      rank: 0,
      values: {
        ...calls("WRITE", 300, 64 * KIB, 5),
        ...calls("READ", 300, 64 * KIB, 20),
        ...{ RW_SWITCHES: 599, F_WRITE_START_TIMESTAMP: write, F_READ_START_TIMESTAMP: read },
        ...{ F_WRITE_END_TIMESTAMP: 40, F_READ_END_TIMESTAMP: 40 },
      },
    })[0]?.id;

  it("is read back where the first call writes, and changed where it reads", () => {
    expect(turns(1, 2)).toBe("read-after-write");
    expect(turns(2, 1)).toBe("read-modify-write");
  });
});

it("small attributes of serial HDF5 are small HDF5 accesses, in whatever order", () => {
  const scattered = calls("WRITE", 1000, 300, 30, {
    CONSEC_WRITES: 10,
    SEQ_WRITES: 500,
    SIZE_WRITE_100_1K: 1000,
  });
  const list = findings(
    1,
    { module: posix, path: FILE, rank: 0, values: scattered },
    { module: h5f, path: FILE, rank: 0, values: { OPENS: 1, FLUSHES: 300 } },
  );
  expect(loud(list)).toEqual(["hdf5-small"]);
  expect(list[0]?.statement).toContain("attributes, headers and indexes, after 300 flushes");
});

it("small independent calls of ranks on ranges of their own are small, not a lack of collective calls", () => {
  const values = calls("WRITE", 4000, 4 * KIB, 160, { SIZE_WRITE_1K_10K: 4000, F_SLOWEST_RANK_TIME: 40 });
  const mpi = { COLL_OPENS: 4, INDEP_WRITES: 4000, BYTES_WRITTEN: 4000 * 4 * KIB, F_WRITE_TIME: 160 };
  const below = (CONSEC_WRITES: number) =>
    findings(
      4,
      { module: posix, path: FILE, values: { ...values, CONSEC_WRITES } },
      { module: mpiio, path: FILE, values: { ...mpi, SIZE_WRITE_AGG_1K_10K: 4000, F_SLOWEST_RANK_TIME: 40 } },
    )[0]?.id;
  expect(below(3990)).toBe("small-writes");
  expect(below(0)).toBe("independent-mpiio");
});

it("a rank that is last in one file of many by chance is no straggler", () => {
  const shared = (at: number, rank: number): CountersOfFile => ({
    module: posix,
    path: `${FILE}.${at}`,
    values: {
      ...calls("READ", 8, MIB, 13),
      ...{ SLOWEST_RANK: rank, SLOWEST_RANK_BYTES: 2 * MIB, F_SLOWEST_RANK_TIME: 10 },
      ...{ FASTEST_RANK: (rank + 1) % 4, FASTEST_RANK_BYTES: 2 * MIB, F_FASTEST_RANK_TIME: 1 },
    },
  });
  const files = (rankOf: (at: number) => number) =>
    findings(4, ...[0, 1, 2, 3, 4, 5, 6, 7].map((at) => shared(at, rankOf(at))));
  expect(loud(files((at) => at % 4))).not.toContain("straggler");
  expect(loud(files(() => 2))).toContain("straggler");
});
