import { describe, expect, it } from "vitest";
import { Ledger } from "./cost/ledger.ts";
import { ioTimes } from "./io-times.ts";
import type { JobFile, RankLoad } from "./job.ts";
import type { LayerRecord } from "./records.ts";

type Times = readonly [read: number, write: number, meta: number];

/** A file by its layers, the called one first. */
function file(
  layers: Readonly<Record<string, { times: Times; slowest?: number; shared?: boolean }>>,
): JobFile {
  const records = Object.entries(layers).map(
    ([
      layer,
      {
        times: [readSeconds, writeSeconds, metaSeconds],
        slowest = Number.NaN,
        shared = false,
      },
    ]) =>
      ({
        layer,
        shared,
        ranks: shared ? 2 : 4,
        readSeconds,
        writeSeconds,
        metaSeconds,
        slowestSeconds: slowest,
      }) as LayerRecord,
  );
  return {
    called: records[0],
    layers: new Map(records.map((one) => [one.layer, one])),
  } as unknown as JobFile;
}

const load = (layer: string, rank: number, [readSeconds, writeSeconds, metaSeconds]: Times) =>
  ({ layer, rank, readSeconds, writeSeconds, metaSeconds }) as RankLoad;

const timesOf = (
  files: readonly JobFile[],
  rankLoads: readonly RankLoad[],
  ranks: number,
  runSeconds: number,
  bytes: { read: bigint; written: bigint },
) => {
  const ledger = new Ledger({ files, file: () => undefined, rankLoads, runSeconds });
  return ioTimes(files, ledger, ranks, runSeconds, bytes);
};

const exact = { read: 600n, written: 400n };

describe("J02: I/O time of a job", () => {
  it("is the sum over ranks / ranks on average, and the slowest rank of own and shared files", () => {
    const io = timesOf(
      [
        file({ POSIX: { times: [2, 2, 1], slowest: 3, shared: true } }),
        file({ POSIX: { times: [1, 0, 0], slowest: 1 } }),
        file({ STDIO: { times: [0, 2, 1], slowest: 3 } }),
      ],
      [load("POSIX", 0, [1, 0, 0]), load("STDIO", 1, [0, 2, 1])],
      4,
      100,
      exact,
    );
    // 5 + 1 + 3 over four ranks; rank 1 spent 3 in its own file, and the shared one takes its slowest 3.
    expect(io).toMatchObject({ readSeconds: 3, writeSeconds: 4, metaSeconds: 2, meanSeconds: 2.25 });
    expect(io).toMatchObject({ slowestSeconds: 6, slowestRank: 1, meanShare: 0.0225, slowestShare: 0.06 });
    expect(io.bytesPerSecond).toBeCloseTo(1000 / 6, 12);
    expect(io).toMatchObject({ bytesRead: 600, bytesWrittenExact: 400n });
  });

  it("counts time in the called layer only", () => {
    const nested = file({
      "MPI-IO": { times: [0, 10, 0], slowest: 4, shared: true },
      POSIX: { times: [0, 8, 1], slowest: 3, shared: true },
      H5F: { times: [0, 0, 12], slowest: 12, shared: true },
    });
    expect(timesOf([nested], [], 2, 10, exact)).toMatchObject({ writeSeconds: 10, slowestSeconds: 5 });
    // Of one's own files: the POSIX time of a rank lies inside its MPI-IO time.
    const own = file({ "MPI-IO": { times: [0, 6, 0] }, POSIX: { times: [0, 5, 0] } });
    const loads = [load("MPI-IO", 0, [0, 6, 0]), load("POSIX", 0, [0, 5, 0])];
    expect(timesOf([own], loads, 8, 10, exact)).toMatchObject({ slowestSeconds: 6, slowestRank: 0 });
    // Without such a file both count.
    const separate = [file({ "MPI-IO": { times: [0, 6, 0] } }), file({ POSIX: { times: [0, 5, 0] } })];
    expect(timesOf(separate, loads, 8, 20, exact)).toMatchObject({ slowestSeconds: 11 });
    const hdf5 = file({ H5F: { times: [0, 0, 12] } });
    expect(timesOf([hdf5], [load("H5F", 0, [0, 0, 12])], 1, 20, exact)).toMatchObject({ slowestSeconds: 0 });
  });

  it("counts DAOS below DFS once", () => {
    const both = file({
      DFS: { times: [1, 2, 1], slowest: 2, shared: true },
      DAOS: { times: [1, 2, 1], slowest: 2, shared: true },
    });
    const other = file({ DAOS: { times: [1, 0, 0], slowest: 1, shared: true } });
    expect(timesOf([both, other], [], 2, 10, exact)).toMatchObject({
      readSeconds: 2,
      writeSeconds: 2,
      slowestSeconds: 3,
    });
    const own = file({ DFS: { times: [1, 2, 1] }, DAOS: { times: [1, 2, 0.5] } });
    const loads = [load("DFS", 3, [1, 2, 1]), load("DAOS", 3, [1, 2, 0.5]), load("STDIO", 3, [0, 1, 0])];
    expect(timesOf([own], loads, 8, 10, exact)).toMatchObject({ slowestSeconds: 5, slowestRank: 3 });
    const apart = [file({ DFS: { times: [1, 2, 1] } }), file({ DAOS: { times: [1, 2, 0.5] } })];
    expect(timesOf(apart, loads, 8, 10, exact)).toMatchObject({ slowestSeconds: 8.5 });
  });

  it("cuts at the run time, and never lies below the average", () => {
    const busy = file({ POSIX: { times: [30, 30, 0], slowest: 40, shared: true } });
    const io = timesOf([busy], [], 2, 20, exact);
    expect(io).toMatchObject({ meanSeconds: 30, slowestSeconds: 20, meanShare: 1, slowestShare: 1 });
    // A shared record without its slowest rank.
    expect(timesOf([file({ POSIX: { times: [4, 0, 0], shared: true } })], [], 2, 20, exact)).toMatchObject({
      slowestSeconds: 2,
      slowestRank: Number.NaN,
    });
  });

  it("does not know shares without an end, nor a rate without time", () => {
    const one = file({ POSIX: { times: [2, 0, 0], slowest: 2, shared: true } });
    expect(timesOf([one], [], 1, Number.NaN, exact)).toMatchObject({
      slowestSeconds: 2,
      meanShare: Number.NaN,
      slowestShare: Number.NaN,
      bytesPerSecond: 500,
    });
    expect(timesOf([], [], 4, 10, { read: 0n, written: 0n })).toMatchObject({
      meanSeconds: 0,
      meanShare: 0,
      bytesPerSecond: Number.NaN,
    });
    // Beyond 2^53 the exact sums stay exact.
    const huge = { read: 2n ** 60n + 1n, written: 3n };
    expect(timesOf([], [], 1, 1, huge).bytesReadExact).toBe(2n ** 60n + 1n);
  });
});
