import { expect, it } from "vitest";
import { dxtPosix, posix } from "../../formats/darshan/modules/index.ts";
import { recordId } from "../../formats/darshan/record-id.ts";
import { counterRecord, type DarshanRecord, type TraceObject } from "../../formats/darshan/records.ts";
import { LogWriter, memorySink } from "../../formats/darshan/writer.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { ioRanksOf } from "./io-ranks.ts";
import type { JobFile } from "./job.ts";
import { jobOf } from "./test-kit.ts";

function logOf(records: readonly DarshanRecord[], traced: readonly TraceObject[] = []): Uint8Array {
  const sink = memorySink();
  const writer = new LogWriter(sink, { encoders: nodeEncoders });
  const job = { uid: 1, startSeconds: 1_700_000_000, endSeconds: 1_700_000_060, nprocs: 4, jobId: 7 };
  writer.job({ ...job, metadata: [], commandLine: "/apps/a", mounts: [] });
  writer.names(["/own", "/shared"].map((name) => ({ id: recordId(name), name })));
  writer.module(posix, records);
  if (traced.length > 0) writer.module(dxtPosix, traced);
  writer.finish();
  return sink.bytes();
}

const own = (rank: number, writes: number) =>
  counterRecord(
    posix,
    { id: recordId("/own"), rank },
    { POSIX_OPENS: 1, POSIX_WRITES: writes, POSIX_BYTES_WRITTEN: 10 * writes },
  );
const shared = (fastestBytes: number) =>
  counterRecord(
    posix,
    { id: recordId("/shared"), rank: -1 },
    {
      ...{ POSIX_OPENS: 4, POSIX_WRITES: 3, POSIX_BYTES_WRITTEN: 30, POSIX_F_WRITE_TIME: 3 },
      ...{ POSIX_SLOWEST_RANK: 2, POSIX_SLOWEST_RANK_BYTES: 20, POSIX_F_SLOWEST_RANK_TIME: 2 },
      ...{ POSIX_FASTEST_RANK: 1, POSIX_FASTEST_RANK_BYTES: fastestBytes, POSIX_F_FASTEST_RANK_TIME: 0.1 },
    },
  );
const call = (rank: number, length: number): TraceObject => ({
  ...{ id: recordId("/shared"), rank: BigInt(rank), host: "n", reads: [] },
  writes: [{ offset: 0n, length: BigInt(length), start: 1, end: 2, thread: 1n }],
});

function ioRanks(name: string, ...logs: Uint8Array[]) {
  const job = jobOf(...logs);
  return ioRanksOf(job, job.files.find(({ path }) => path === name) as JobFile);
}

it("counts ranks with reads or writes, not those that only open a file", () => {
  expect(ioRanks("/own", logOf([own(0, 3), own(1, 0), own(2, 1)]))).toEqual({ ranks: 2, atLeast: 2 });
  expect(ioRanks("/own", logOf([own(0, 0)]))).toEqual({ ranks: 0, atLeast: 0 });
});

it("does not know them of a shared record, but at least those that the record names", () => {
  expect(ioRanks("/shared", logOf([shared(5)]))).toEqual({ ranks: Number.NaN, atLeast: 2 });
  expect(ioRanks("/shared", logOf([shared(0)]))).toEqual({ ranks: Number.NaN, atLeast: 1 });
});

it("takes them from traced calls where all bytes are traced", () => {
  expect(ioRanks("/shared", logOf([shared(5)], [call(0, 10), call(1, 10), call(2, 10)]))).toEqual({
    ranks: 3,
    atLeast: 3,
  });
  expect(ioRanks("/shared", logOf([shared(5)], [call(0, 10), call(1, 10)]))).toEqual({
    ranks: Number.NaN,
    atLeast: 2,
  });
});

it("adds up over logs, and is unknown when one of them is", () => {
  expect(ioRanks("/own", logOf([own(0, 3)]), logOf([own(0, 1), own(1, 0)]))).toEqual({
    ranks: 2,
    atLeast: 2,
  });
  expect(ioRanks("/shared", logOf([shared(5)]), logOf([shared(5)])).ranks).toBeNaN();
});
