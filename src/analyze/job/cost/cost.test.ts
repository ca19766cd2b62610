import { describe, expect, it } from "vitest";
import type { Job, JobFile, RankLoad } from "../job.ts";
import type { LayerRecord } from "../records.ts";
import { Ledger } from "./ledger.ts";
import { modelText, remainsWithLargerCalls, timeModel } from "./time-model.ts";

const record = (values: Partial<LayerRecord>): LayerRecord =>
  ({
    ...{ fileId: "1", parentId: "0", layer: "POSIX", shared: false, ranks: 1, slowestRank: 0 },
    ...{ readSeconds: 0, writeSeconds: 0, metaSeconds: 0, slowestSeconds: 0 },
    ...values,
  }) as LayerRecord;

const file = (...records: readonly LayerRecord[]): JobFile =>
  ({
    fileId: records[0]?.fileId,
    called: records[0],
    layers: new Map(records.map((one) => [one.layer, one])),
  }) as unknown as JobFile;

const load = (rank: number, writeSeconds: number): RankLoad =>
  ({ layer: "POSIX", rank, readSeconds: 0, writeSeconds, metaSeconds: 0 }) as RankLoad;

function ledgerOf(files: readonly JobFile[], rankLoads: readonly RankLoad[], runSeconds = 1000): Ledger {
  return new Ledger({ files, rankLoads, runSeconds, file: (id) => files.find((one) => one.fileId === id) });
}

describe("critical I/O time", () => {
  const slow = record({ fileId: "a", slowestRank: 0, writeSeconds: 100, slowestSeconds: 100 });
  const quick = record({ fileId: "b", slowestRank: 1, writeSeconds: 20, slowestSeconds: 20 });
  const shared = record({
    ...{ fileId: "c", shared: true, ranks: 4, readSeconds: 30, writeSeconds: 10, slowestSeconds: 16 },
  });
  const files = [file(slow), file(quick), file(shared)];
  const loads = [load(0, 100), load(1, 20)];

  it("is that of the slowest rank in its own files plus the slowest of each shared file", () => {
    expect(ledgerOf(files, loads)).toMatchObject({ seconds: 116, slowestRank: 0, sharedSeconds: 16 });
  });

  it("falls to the next rank when the slowest is healthy: a cost is not the sum over ranks", () => {
    const ledger = ledgerOf(files, loads);
    expect(ledger.gain({ healthy: [{ record: slow, remains: 0.01 }] })).toBeCloseTo(80, 9);
    expect(ledger.gain({ healthy: [{ record: quick, remains: 0 }] })).toBe(0);
    expect(ledger.gain({ healthy: [slow, quick].map((one) => ({ record: one, remains: 0 })) })).toBe(100);
  });

  it("takes a part of a shared record by kind of call", () => {
    const ledger = ledgerOf(files, loads);
    // Reads are three quarters of the record's time, so of its slowest rank's.
    expect(ledger.gain({ healthy: [{ record: shared, part: "read", remains: 0.5 }] })).toBeCloseTo(6, 9);
    expect(ledger.gain({ healthy: [{ record: shared, part: "meta", remains: 0 }] })).toBe(0);
  });

  it("takes opens of the others for no time of the one rank that moves the bytes", () => {
    const one = record({
      ...{ fileId: "d", shared: true, ranks: 1000, writeSeconds: 90, metaSeconds: 9990, slowestSeconds: 100 },
      ...{ bytesRead: 0, bytesWritten: 1e9, slowestBytes: 1e9 },
    });
    expect(ledgerOf([file(one)], []).gain({ healthy: [{ record: one, part: "write", remains: 0 }] })).toBe(
      90,
    );
    const even = { ...one, slowestBytes: 1e6 };
    expect(
      ledgerOf([file(even)], []).gain({ healthy: [{ record: even, part: "write", remains: 0 }] }),
    ).toBeCloseTo((100 * 90) / 10_080, 9);
  });

  it("does not add what two causes share, and keeps to the run", () => {
    const ledger = ledgerOf(files, loads);
    const half = { healthy: [{ record: slow, remains: 0.5 }] };
    const third = { healthy: [{ record: slow, remains: 1 / 3 }] };
    expect(ledger.gain(half, third)).toBeCloseTo(ledger.gain(third), 9);
    expect(ledgerOf(files, loads, 58).seconds).toBe(58);
    expect(ledgerOf(files, loads, 58).gain(half)).toBeCloseTo(25, 9);
  });

  it("counts time that the recorder does not see within what is left of the run", () => {
    expect(ledgerOf(files, loads, 120).gain({ healthy: [], unseenSeconds: 3 })).toBe(3);
    expect(ledgerOf(files, loads, 120).gain({ healthy: [], unseenSeconds: 30 })).toBe(4);
  });

  it("takes savings below MPI-IO off the layer above, at most what is below", () => {
    const mpi = record({
      ...{ fileId: "m", layer: "MPI-IO", shared: true, ranks: 4 },
      ...{ writeSeconds: 40, slowestSeconds: 10 },
    });
    const posix = record({
      ...{ fileId: "m", shared: true, ranks: 4, writeSeconds: 6, slowestSeconds: 6 },
    });
    const ledger = ledgerOf([file(mpi, posix)], []);
    expect(ledger.seconds).toBe(10);
    // One aggregator writes for 6 of the 10 seconds in which all four are in the call.
    expect(ledger.gain({ healthy: [{ record: posix, remains: 0 }] })).toBeCloseTo(6, 9);
    expect(ledger.gain({ healthy: [{ record: mpi, remains: 0 }] })).toBe(10);
  });

  it("counts time in own files once, where the others wait for it in collective calls", () => {
    const mpi = record({
      ...{ fileId: "m", layer: "MPI-IO", shared: true, ranks: 4, collectiveReads: 0, collectiveWrites: 8 },
      ...{ writeSeconds: 31, slowestSeconds: 10, fastestSeconds: 1, fastestRank: 0 },
    });
    const slow = record({ fileId: "a", slowestRank: 0, writeSeconds: 12, slowestSeconds: 12 });
    const others = [1, 2, 3].map((rank) =>
      record({ fileId: `b${rank}`, slowestRank: rank, writeSeconds: 3, slowestSeconds: 3 }),
    );
    const loads = [load(0, 12), ...[1, 2, 3].map((rank) => load(rank, 3))];
    const ledger = ledgerOf([file(mpi), file(slow), ...others.map((one) => file(one))], loads);
    // Rank 0 is in I/O for 12 + 1 s, each of the others for 3 + 10 s.
    expect(ledger.seconds).toBeCloseTo(13, 9);
    expect(ledger.gain({ healthy: [{ record: slow, remains: 0.25 }] })).toBeCloseTo(9, 9);
  });

  it("counts two layers that stand for the same time once", () => {
    const own = { fileId: "m", shared: true, ranks: 4, metaSeconds: 8, slowestSeconds: 2 };
    const mpi = record({ ...own, layer: "MPI-IO" });
    const posix = record({ ...own, metaSeconds: 6, slowestSeconds: 1.5 });
    const other = record({ fileId: "o", shared: true, ranks: 4, writeSeconds: 40, slowestSeconds: 10 });
    const ledger = ledgerOf([file(mpi, posix), file(other)], []);
    const both = [mpi, posix].map((one) => ({ record: one, part: "meta" as const, remains: 0 }));
    expect(ledger.gain({ healthy: both })).toBeCloseTo(2, 9);
  });

  it("spreads files of some ranks by what is left of each rank's load", () => {
    const some = record({ fileId: "s", ranks: 2, writeSeconds: 60, slowestSeconds: 40 });
    const ledger = ledgerOf([file(some)], [load(0, 40), load(1, 20)]);
    expect(ledger.seconds).toBe(40);
    expect(ledger.gain({ healthy: [{ record: some, remains: 0.5 }] })).toBeCloseTo(20, 9);
  });
});

describe("the time model", () => {
  const job = (records: readonly LayerRecord[]) =>
    ({ layer: () => records, kept: new Map() }) as unknown as Job;
  const reads = (calls: number, bytes: number, seconds: number) =>
    record({ reads: calls, bytesRead: bytes, readSeconds: seconds });

  it("tells the cost of a call from that of a byte by records of different sizes", () => {
    const perCall = 1e-3;
    const perByte = 1e-8;
    const records = [4096, 65_536, 1_048_576, 8_388_608].map((size) =>
      reads(1000, 1000 * size, 1000 * (perCall + perByte * size)),
    );
    const model = timeModel(job(records), "POSIX", "read");
    expect(model?.source).toBe("fit");
    expect(model?.perCall).toBeCloseTo(perCall, 9);
    expect(model?.perByte).toBeCloseTo(perByte, 12);
    expect(model?.error).toBeLessThan(1e-9);
    expect(modelText(model as NonNullable<typeof model>)).toBe(
      "time model: 1000 µs a call and 100 MB/s for the bytes (fitted over 4 records, off by 0 % in the median)",
    );
  });

  it("says so when all calls are alike and the rate is assumed", () => {
    const small = reads(10_000, 10_000 * 4096, 20);
    const model = timeModel(job([small]), "POSIX", "read");
    expect(model?.source).toBe("nominal");
    expect(modelText(model as NonNullable<typeof model>)).toContain("at an assumed rate");
    // A call is taken to cost as much as 128 KiB: 40 of 10,000 calls are left, and 0.61 s for the bytes.
    const bytesSeconds = (20 * 4) / (4 + 128);
    const remains = remainsWithLargerCalls(small, "read", model as NonNullable<typeof model>);
    expect(remains).toBeCloseTo((bytesSeconds + (20 - bytesSeconds) * (40 / 10_000)) / 20, 6);
  });

  it("claims nothing for calls that are large already, nor without times", () => {
    const large = reads(100, 100 * 4 * 2 ** 20, 10);
    const model = timeModel(job([large]), "POSIX", "read");
    expect(remainsWithLargerCalls(large, "read", model as NonNullable<typeof model>)).toBe(1);
    expect(timeModel(job([record({ reads: 5, bytesRead: 5 })]), "POSIX", "read")).toBeUndefined();
  });
});
