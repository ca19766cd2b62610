import { describe, expect, it } from "vitest";
import { layers } from "../../model/schema.ts";
import { TablesBuilder, type Row, type Table } from "../../model/tables.ts";
import { SIZE_NAMES } from "../../model/index.ts";
import { layerRecords, sizesOf, sumOf } from "./records.ts";
import type { RunPlace } from "./run-places.ts";

const HERE: RunPlace = { rankBase: 0, shiftSeconds: 0 };
/** Runs "a" and "b"; the second begins 100 s later and has its ranks behind four others. */
const place = (runId: string): RunPlace => (runId === "b" ? { rankBase: 4, shiftSeconds: 100 } : HERE);

function tableOf(...rows: Row[]): Table {
  const builder = new TablesBuilder();
  for (const row of rows)
    builder.table(layers).append({
      run_id: "a",
      file_id: 1n,
      parent_id: 0n,
      layer: "POSIX",
      path: "/f",
      ranks: 1,
      shared: 0,
      ...row,
    });
  return builder.finish().get("layers") as Table;
}

describe("records of one run", () => {
  it("are the rows, with NaN for what was not recorded", () => {
    const [record] = layerRecords(
      tableOf({
        file_id: 2n ** 64n - 1n,
        reads: 3n,
        bytes_read: 2n ** 53n,
        read_seconds: 0.5,
        open_start_seconds: 1.5,
        shared: 1,
        osts: "4 9",
        access1_bytes: 512n,
        access1_count: 2n,
        access2_bytes: 0n,
        access2_count: 0n,
        size_read_0_100: 3n,
      }),
      () => HERE,
    );
    expect(record).toMatchObject({
      fileId: "18446744073709551615",
      path: "/f",
      layer: "POSIX",
      shared: true,
    });
    expect(record?.reads).toBe(3);
    expect(record?.bytesRead).toBe(2 ** 53);
    expect(record?.readSeconds).toBe(0.5);
    expect(record?.openStart).toBe(1.5);
    expect(record?.osts).toEqual([4, 9]);
    expect(record?.accesses).toEqual([{ bytes: 512, count: 2 }]);
    expect(record?.readSizes[0]).toBe(3);
    for (const missing of [record?.writes, record?.writeSeconds, record?.closeEnd, record?.readSizes[1]])
      expect(missing).toBeNaN();
  });

  it("have a name even when the log has none", () => {
    expect(layerRecords(tableOf({ path: null, file_id: 7n }), () => HERE)[0]?.path).toBe("(record 7)");
    expect(layerRecords(tableOf({ path: "", file_id: 7n }), () => HERE)[0]?.path).toBe("(record 7)");
  });
});

describe("the same file in several runs", () => {
  it("becomes one: sums, extremes, first and last times of the job", () => {
    const [record, ...others] = layerRecords(
      tableOf(
        {
          reads: 3n,
          writes: 1n,
          bytes_read: 300n,
          max_byte_read: 99n,
          read_seconds: 1,
          open_start_seconds: 5,
          close_end_seconds: 50,
          ranks: 4,
          stripe_count: 2n,
          osts: "1 2",
        },
        {
          run_id: "b",
          reads: 4n,
          bytes_read: 400n,
          max_byte_read: 399n,
          read_seconds: 0.25,
          open_start_seconds: 1,
          close_end_seconds: 2,
          ranks: 1,
          osts: "8",
        },
      ),
      place,
    );
    expect(others).toEqual([]);
    expect(record).toMatchObject({
      reads: 7,
      // Of one run only.
      writes: 1,
      bytesRead: 700,
      maxByteRead: 399,
      readSeconds: 1.25,
      openStart: 5,
      closeEnd: 102,
      ranks: 5,
      stripeCount: 2,
      osts: [1, 2],
    });
    expect(record?.writeSeconds).toBeNaN();
  });

  it("takes slowest, fastest and longest with all that belongs to them", () => {
    const run = (seconds: number, rank: bigint, bytes: bigint): Row => ({
      slowest_seconds: seconds,
      slowest_rank: rank,
      slowest_bytes: bytes,
      fastest_seconds: seconds / 10,
      fastest_rank: rank,
      fastest_bytes: bytes,
      longest_read_seconds: seconds / 2,
      longest_read_bytes: bytes,
      variance_seconds: 1,
    });
    const slowerFirst = tableOf(run(8, 2n, 20n), { run_id: "b", ...run(3, 0n, 30n) });
    const slowerLast = tableOf(run(3, 0n, 30n), { run_id: "b", ...run(8, 2n, 20n) });
    expect(layerRecords(slowerFirst, place)[0]).toMatchObject({
      slowestSeconds: 8,
      slowestRank: 2,
      slowestBytes: 20,
      fastestSeconds: 0.3,
      fastestRank: 4,
      fastestBytes: 30,
      longestReadSeconds: 4,
      longestReadBytes: 20,
      varianceSeconds: Number.NaN,
    });
    expect(layerRecords(slowerLast, place)[0]).toMatchObject({
      slowestSeconds: 8,
      slowestRank: 6,
      fastestSeconds: 0.3,
      fastestRank: 0,
      longestReadBytes: 20,
    });
  });

  it("adds frequent sizes of the same value and keeps the four most frequent", () => {
    const sizes = (...pairs: [number, number][]): Row =>
      Object.fromEntries(
        pairs.flatMap(([bytes, count], i) => [
          [`access${i + 1}_bytes`, BigInt(bytes)],
          [`access${i + 1}_count`, BigInt(count)],
        ]),
      );
    const [record] = layerRecords(
      tableOf(sizes([100, 5], [200, 4], [300, 3], [400, 2]), {
        run_id: "b",
        ...sizes([300, 9], [500, 3], [600, 1]),
      }),
      place,
    );
    expect(record?.accesses).toEqual([
      { bytes: 300, count: 12 },
      { bytes: 100, count: 5 },
      { bytes: 200, count: 4 },
      { bytes: 500, count: 3 },
    ]);
  });

  it("does not depend on the order of the runs, nor on what one of them lacks", () => {
    const shared: Row = { shared: 1, slowest_seconds: 3, slowest_rank: 1n, fastest_seconds: 1 };
    const bare: Row = { shared: 0 };
    for (const [first, second] of [
      [shared, bare],
      [bare, shared],
    ] as const)
      expect(layerRecords(tableOf(first, { run_id: "b", ...second }), () => HERE)[0]).toMatchObject({
        shared: true,
        slowestSeconds: 3,
        slowestRank: 1,
        fastestSeconds: 1,
      });
  });

  it("leaves the table as it was", () => {
    const table = tableOf({ run_id: "b", open_start_seconds: 5, slowest_rank: 1n });
    const first = layerRecords(table, place)[0];
    expect(first).toMatchObject({ openStart: 105, slowestRank: 5 });
    expect(layerRecords(table, place)[0]).toMatchObject({ openStart: 105, slowestRank: 5 });
    expect(table.value("open_start_seconds", 0)).toBe(5);
  });

  it("keeps files and layers apart", () => {
    const records = layerRecords(
      tableOf(
        { file_id: 1n },
        { file_id: 2n },
        { file_id: 1n, layer: "STDIO" },
        { run_id: "b", file_id: 2n },
        { run_id: "b", file_id: 3n },
      ),
      place,
    );
    expect(records.map(({ layer, fileId }) => `${layer} ${fileId}`)).toEqual([
      "POSIX 1",
      "POSIX 2",
      "STDIO 1",
      "POSIX 3",
    ]);
    expect(records.map(({ ranks }) => ranks)).toEqual([1, 2, 1, 1]);
  });
});

describe("sums over records", () => {
  const records = layerRecords(
    tableOf(
      { file_id: 1n, reads: 2n, size_read_0_100: 2n, size_write_1g_plus: 1n },
      { file_id: 2n, reads: 5n, size_read_0_100: 4n, size_read_100_1k: 1n },
      { file_id: 3n },
    ),
    () => HERE,
  );

  it("pass over what was not recorded, and are not known when nothing was", () => {
    expect(sumOf(records, ({ reads }) => reads)).toBe(7);
    expect(sumOf(records, ({ writes }) => writes)).toBeNaN();
    expect(sumOf([], ({ reads }) => reads)).toBeNaN();
  });

  it("of size classes are per class", () => {
    const [reads, writes] = [sizesOf(records, "read"), sizesOf(records, "write")];
    expect([...reads.slice(0, 3)]).toEqual([6, 1, Number.NaN]);
    expect(writes[SIZE_NAMES.indexOf("1g_plus")]).toBe(1);
  });
});
