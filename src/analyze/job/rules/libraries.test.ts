import { describe, expect, it } from "vitest";
import { h5d, h5f, mpiio, pnetcdfVar, posix, stdio } from "../../../formats/darshan/modules/index.ts";
import { osts } from "../../../generate/single/application.ts";
import { singleJob } from "../test-kit.ts";
import {
  type CountersOfFile,
  countersJob,
  findingOf,
  idsOf,
  numberOf,
  type StripesOfFile,
} from "./test-kit.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const FILE = "/scratch/run/plot.h5";
const DATASET = `${FILE}:/density`;

describe("stdio-bulk", () => {
  it("counts the bytes of the log made for it", () => {
    const finding = findingOf(singleJob("stdio-bulk"), "stdio-bulk");
    expect(finding.evidence.numbers[0]).toMatchObject({ value: 16 * 128 * MIB, of: 16 * 128 * MIB });
    expect(finding.statement).toContain(
      "C streams move all of the data (2.15 GB), in 2,048 calls on 16 files.",
    );
    expect(finding.evidence.filesTotal).toBe(16);
    expect(finding.evidence.files).toHaveLength(10);
  });

  const moved = (calls: number, bytes: number, seeks: number) =>
    findingOf(
      countersJob(1, [
        {
          module: stdio,
          path: "/scratch/run/data",
          rank: 0,
          values: {
            OPENS: 1,
            WRITES: calls,
            SEEKS: seeks,
            BYTES_WRITTEN: bytes,
            MAX_BYTE_WRITTEN: bytes - 1,
            F_WRITE_TIME: 1,
          },
        },
      ]),
      "stdio-bulk",
    );

  it.each([
    ["calls below a megabyte", true, [10_000, 1e9, 0]],
    ["calls that pass the buffer by", false, [100, 1e9, 0]],
    ["seeks that leave the buffer", false, [10_000, 1e9, 10_000]],
  ] as const)("advises a buffer, or not, in words and code: %s", (_, helps, [calls, bytes, seeks]) => {
    const { advice, snippet } = moved(calls, bytes, seeks);
    expect([advice.includes("setvbuf"), snippet?.code.includes("setvbuf")]).toEqual([helps, helps]);
  });

  it("is quiet about lines of text", () => {
    expect(idsOf(singleJob("control"))).toEqual([]);
  });
});

describe("stdio-small", () => {
  const job = (flushes: number, seconds: number, path = "/scratch/run/log") =>
    countersJob(1, [
      {
        module: stdio,
        path,
        rank: 0,
        values: { OPENS: 1, WRITES: 5000, FLUSHES: flushes, BYTES_WRITTEN: 5000 * 80, F_WRITE_TIME: seconds },
      },
    ]);

  it("reports a flush for every line", () => {
    const finding = findingOf(job(5000, 0.5), "stdio-small");
    expect(finding.statement).toContain(
      "5,000 calls on 1 stream move 80 B and take 0.1 ms on average, with 5,000 flushes",
    );
    expect(finding.confidence).toBe("high");
  });

  it("sees flushes before the buffer is full, and lets the slow streams decide", () => {
    // Every 40th call, after 3,200 B.
    expect(findingOf(job(125, 0.5), "stdio-small").confidence).toBe("high");
    // Every 500th, after ten buffers.
    expect(findingOf(job(10, 1), "stdio-small").advice).not.toContain("fflush");
    const stream = (path: string, WRITES: number, FLUSHES: number, seconds: number) => ({
      ...{ module: stdio, path, rank: 0 },
      values: {
        OPENS: 1,
        WRITES,
        FLUSHES,
        BYTES_WRITTEN: WRITES * 80,
        MAX_BYTE_WRITTEN: WRITES * 80 - 1,
        F_WRITE_TIME: seconds,
      },
    });
    const slow = (flushed: number, plain: number) =>
      findingOf(
        countersJob(1, [stream("/scratch/a", 200, 200, flushed), stream("/scratch/b", 30_000, 2, plain)]),
        "stdio-small",
      ).advice.includes("fflush");
    expect([slow(0.1, 20), slow(20, 1)]).toEqual([false, true]);
  });

  it("takes slow calls for unbuffered ones, with low confidence", () => {
    expect(findingOf(job(0, 1), "stdio-small").confidence).toBe("low");
  });

  it("is quiet about buffered lines and about the terminal", () => {
    expect(idsOf(job(0, 0.005))).toEqual([]);
    expect(idsOf(job(5000, 0.5, "<STDOUT>"))).toEqual([]);
  });
});

/** A parallel HDF5 file with one dataset; counters of the layers as given. */
function hdf5Job(
  {
    dataset = {},
    below = {},
    mpi = {},
  }: Partial<Record<"dataset" | "below" | "mpi", Record<string, number>>>,
  stripes: readonly StripesOfFile[] = [],
) {
  const records: CountersOfFile[] = [
    { module: h5f, path: FILE, values: { OPENS: 16, USE_MPIIO: 1 } },
    { module: h5d, path: DATASET, parent: FILE, values: { OPENS: 16, ...dataset } },
    { module: mpiio, path: FILE, values: { COLL_OPENS: 16, VIEWS: 16, ...mpi } },
    { module: posix, path: FILE, values: { OPENS: 16, ...below } },
  ];
  return countersJob(16, records, stripes);
}

describe("hdf5-independent", () => {
  const dataset = {
    WRITES: 1600,
    REGULAR_HYPERSLAB_SELECTS: 1600,
    BYTES_WRITTEN: 1600 * 4 * MIB,
    SIZE_WRITE_AGG_1M_4M: 1600,
  };
  const mpi = { INDEP_WRITES: 1600, BYTES_WRITTEN: 1600 * 4 * MIB, SIZE_WRITE_AGG_1M_4M: 1600 };

  it("reports datasets without a collective transfer, and MPI-IO says nothing", () => {
    const job = hdf5Job({ dataset, mpi });
    expect(idsOf(job)).toEqual(["hdf5-independent"]);
    const finding = findingOf(job, "hdf5-independent");
    expect(finding.evidence.numbers[0]).toMatchObject({ value: 1600, of: 1600 });
    expect(finding.statement).toContain(
      "1 dataset of parallel HDF5 files never had a collective transfer: 100 % of dataset accesses (1,600 of 1,600)",
    );
    expect(finding.evidence.files[0]?.path).toBe(DATASET);
    expect(finding.snippet?.code).toContain("H5Pset_dxpl_mpio(dxpl, H5FD_MPIO_COLLECTIVE)");
  });

  it("is quiet about collective ones", () => {
    const together = { COLL_WRITES: 1600, BYTES_WRITTEN: 1600 * 4 * MIB, SIZE_WRITE_AGG_1M_4M: 1600 };
    expect(idsOf(hdf5Job({ dataset: { ...dataset, USE_MPIIO_COLLECTIVE: 1 }, mpi: together }))).toEqual([]);
  });
});

describe("hdf5-metadata", () => {
  const job = (tinyOfDataset: number) =>
    hdf5Job({
      dataset: {
        WRITES: 160 + tinyOfDataset,
        BYTES_WRITTEN: 160 * 4 * MIB + tinyOfDataset * 512,
        SIZE_WRITE_AGG_1M_4M: 160,
        SIZE_WRITE_AGG_100_1K: tinyOfDataset,
        USE_MPIIO_COLLECTIVE: 1,
      },
      mpi: {
        INDEP_READS: 2000,
        INDEP_WRITES: 400,
        COLL_WRITES: 160,
        BYTES_READ: 2000 * 512,
        BYTES_WRITTEN: 160 * 4 * MIB + 400 * 512,
        SIZE_READ_AGG_100_1K: 2000,
        SIZE_WRITE_AGG_100_1K: 400,
        SIZE_WRITE_AGG_1M_4M: 160,
      },
      below: {
        READS: 2000,
        BYTES_READ: 2000 * 512,
        SIZE_READ_100_1K: 2000,
        CONSEC_READS: 1500,
        SEQ_READS: 1700,
      },
    });

  it("counts tiny accesses that belong to no dataset, and small-reads does not count them again", () => {
    const finding = findingOf(job(0), "hdf5-metadata");
    expect(finding.evidence.numbers[0]).toMatchObject({ value: 2400, of: 2560 });
    // 2,400 of 2,560 is 93.75 %.
    expect(finding.statement).toContain(
      "93.8 % of accesses that HDF5 makes to 1 parallel file (2,400 of 2,560) are below 10 KiB",
    );
    expect(finding.snippet?.code).toContain("H5Pset_all_coll_metadata_ops(fapl, 1)");
    expect(idsOf(job(0))).not.toContain("small-reads");
  });

  it("is quiet when most of them are accesses to the dataset", () => {
    expect(idsOf(job(1500))).not.toContain("hdf5-metadata");
  });
});

describe("hdf5-chunks", () => {
  const job = (elements: number, access: number, calls: number) =>
    hdf5Job({
      dataset: {
        WRITES: calls,
        BYTES_WRITTEN: calls * access,
        SIZE_WRITE_AGG_1M_4M: calls,
        ACCESS1_ACCESS: access,
        ACCESS1_COUNT: calls,
        CHUNK_SIZE_D1: elements,
        CHUNK_SIZE_D2: 2,
        DATATYPE_SIZE: 8,
        USE_MPIIO_COLLECTIVE: 1,
      },
    });

  it("reports small chunks", () => {
    // 512 × 2 × 8 bytes a chunk, so 200 MiB are 25,600 chunks.
    const finding = findingOf(job(512, 2 * MIB, 100), "hdf5-chunks");
    expect(numberOf(finding, "chunk")).toBe(8 * KIB);
    expect(finding.statement).toContain(
      "are 8 KiB, below 64 KiB: the 200 MiB moved are about 25,600 chunks.",
    );
  });

  it("reports accesses to a small part of a large chunk", () => {
    const finding = findingOf(job(MIB, MIB, 200), "hdf5-chunks");
    expect(finding.statement).toContain("covers 6.25 % of a chunk of 16 MiB");
  });

  it("mentions accesses that end inside a chunk, as information", () => {
    const finding = findingOf(job(64 * KIB, 3 * MIB + 512 * KIB, 200), "hdf5-chunks");
    expect(finding.severity).toBe("info");
    expect(finding.confidence).toBe("low");
    expect(finding.statement).toContain("(3.5 MiB) is not a multiple of the chunk (1 MiB)");
  });

  it("is quiet about chunks of a megabyte that are written whole, and about few accesses", () => {
    expect(idsOf(job(64 * KIB, 2 * MIB, 200))).toEqual([]);
    expect(idsOf(job(MIB, MIB, 99))).toEqual([]);
  });
});

describe("hdf5-selections", () => {
  const job = (points: number, irregular: number) =>
    hdf5Job({
      dataset: {
        READS: 1000,
        BYTES_READ: 1000 * 2 * MIB,
        SIZE_READ_AGG_1M_4M: 1000,
        POINT_SELECTS: points,
        IRREGULAR_HYPERSLAB_SELECTS: irregular,
        REGULAR_HYPERSLAB_SELECTS: 1000 - points - irregular,
        USE_MPIIO_COLLECTIVE: 1,
      },
    });

  it("counts points and irregular hyperslabs", () => {
    expect(findingOf(job(300, 50), "hdf5-selections").statement).toContain(
      "35 % of dataset accesses (350 of 1,000) use point selections (300) or irregular hyperslabs (50).",
    );
  });

  it("is quiet about a few", () => {
    expect(idsOf(job(50, 49))).toEqual([]);
  });
});

describe("hdf5-alignment", () => {
  const below = (misaligned: number) => ({
    WRITES: 1000,
    CONSEC_WRITES: 900,
    SEQ_WRITES: 900,
    BYTES_WRITTEN: 1000 * 3 * MIB,
    MAX_BYTE_WRITTEN: 3000 * MIB - 1,
    SIZE_WRITE_1M_4M: 1000,
    FILE_NOT_ALIGNED: misaligned,
    FILE_ALIGNMENT: MIB,
    F_WRITE_TIME: 50,
  });
  const stripes = [{ path: FILE, osts: osts(0, 8), stripeBytes: MIB }];

  it("reports HDF5 files on Lustre, and misaligned does not", () => {
    const job = hdf5Job({ below: below(950) }, stripes);
    expect(idsOf(job)).toEqual(["hdf5-alignment"]);
    expect(findingOf(job, "hdf5-alignment").evidence.numbers[0]).toMatchObject({ value: 950, of: 1000 });
    expect(findingOf(job, "hdf5-alignment").statement).toContain(
      "95 % of accesses (950 of 1,000) to 1 file do not begin at a multiple of 1 MiB, the stripe",
    );
    expect(findingOf(job, "hdf5-alignment").snippet?.code).toContain(
      "H5Pset_alignment(fapl, 64 << 10, 1048576)",
    );
  });

  it("is quiet when a tenth is not reached", () => {
    expect(idsOf(hdf5Job({ below: below(99) }, stripes))).toEqual([]);
  });
});

describe("pnetcdf", () => {
  const NC = "/scratch/run/out.nc";
  const job = (values: Record<string, number>) =>
    countersJob(16, [
      ...["u", "v"].map((name) => ({ module: pnetcdfVar, path: `${NC}:${name}`, parent: NC, values })),
      { module: mpiio, path: NC, values: { COLL_OPENS: 16, VIEWS: 16 } },
    ]);

  it("pnetcdf-independent counts independent accesses", () => {
    const independent = job({ INDEP_WRITES: 800, COLL_WRITES: 100, BYTES_WRITTEN: 900 * MIB });
    const finding = findingOf(independent, "pnetcdf-independent");
    expect(finding.evidence.numbers[0]).toMatchObject({ value: 1600, of: 1800 });
    expect(finding.statement).toContain(
      "88.9 % of accesses to PnetCDF variables (1,600 of 1,800) are independent, on 2 variables",
    );
    expect(idsOf(independent)).toEqual(["pnetcdf-independent"]);
  });

  it("pnetcdf-independent is quiet about collective accesses", () => {
    expect(idsOf(job({ INDEP_WRITES: 100, COLL_WRITES: 800, BYTES_WRITTEN: 900 * 2 * MIB }))).toEqual([]);
  });

  it("pnetcdf-blocking counts small blocking writes", () => {
    const finding = findingOf(job({ COLL_WRITES: 800, BYTES_WRITTEN: 800 * 64 * KIB }), "pnetcdf-blocking");
    expect(finding.statement).toContain(
      "100 % of writes to PnetCDF variables (1,600 of 1,600) are blocking collective calls of 64 KiB on average, to 2 variables",
    );
    expect(finding.snippet?.code).toContain("ncmpi_wait_all");
  });

  it("pnetcdf-blocking is quiet about non-blocking and about large writes", () => {
    expect(idsOf(job({ NB_WRITES: 800, BYTES_WRITTEN: 800 * 64 * KIB }))).toEqual([]);
    expect(idsOf(job({ COLL_WRITES: 800, BYTES_WRITTEN: 800 * 4 * MIB }))).toEqual([]);
  });
});
