import { describe, expect, it } from "vitest";
import { formatCount } from "../../../base/units.ts";
import { mpiio as mpiioModule, posix } from "../../../formats/darshan/modules/index.ts";
import type { Call } from "../../../generate/recorder/calls.ts";
import { randomOf, SINGLE_LOGS } from "../../../generate/single/index.ts";
import { plannedJob, singleJob } from "../test-kit.ts";
import { CALL_RULES, countersJob, findingOf, idsOf, worked } from "./test-kit.ts";

const KIB = 1024;
const MIB = 1024 * KIB;
const PAGES = { alignmentBytes: 4 * KIB };
const FILE = "/scratch/run/data";

/** Calls that begin at or before the last byte of the previous one of their rank; the first is compared with 0. */
function backward(calls: readonly Call[], kind: "read" | "write"): number {
  const last = new Map<number, number>();
  let count = 0;
  for (const call of calls) {
    if (call.kind !== kind) continue;
    if (call.offset <= (last.get(call.rank) ?? 0)) count++;
    last.set(call.rank, call.offset + call.bytes - 1);
  }
  return count;
}

describe("all logs of the catalogue", () => {
  const own = new Set(CALL_RULES.map(({ id }) => id));
  it.each(SINGLE_LOGS.map((log) => [log.id, log] as const))(
    "%s has the findings of calls that are expected, and no others",
    (id, log) => {
      expect(idsOf(singleJob(id)).sort()).toEqual(log.expected.filter((one) => own.has(one)).sort());
    },
  );
});

describe("small-writes", () => {
  it("counts the small writes of the log made for it", () => {
    const finding = findingOf(singleJob("small-writes"), "small-writes");
    expect(finding.statement).toContain(
      "100 % of writes (32,768 of 32,768) move less than 1 MiB to 1 file; the most frequent size is 4 KiB.",
    );
    expect(finding.severity).toBe("high");
    expect(finding.evidence.numbers[0]).toMatchObject({ value: 32 * 1024, of: 32 * 1024 });
    expect(finding.evidence.files[0]?.path).toBe("/scratch/run/particles.dat");
  });

  it("does not take writes of exactly 1 MiB for small", () => {
    const job = worked(2, (app, rank, file) => {
      for (let i = 0; i < 1000; i++)
        app.write("POSIX", rank, file, { offset: (rank * 1000 + i) * MIB, bytes: MIB });
    });
    expect(idsOf(job)).toEqual([]);
  });

  it("advises hints where the small writes come from below collective MPI-IO", () => {
    const size = { SIZE_WRITE_10K_100K: 4000, ACCESS1_ACCESS: 64 * KIB, ACCESS1_COUNT: 4000 };
    const bytes = 4000 * 64 * KIB;
    const job = countersJob(64, [
      {
        module: posix,
        path: FILE,
        values: {
          ...size,
          WRITES: 4000,
          CONSEC_WRITES: 3900,
          SEQ_WRITES: 3950,
          BYTES_WRITTEN: bytes,
          MAX_BYTE_WRITTEN: bytes - 1,
          OPENS: 64,
        },
      },
      {
        module: mpiioModule,
        path: FILE,
        values: {
          COLL_OPENS: 64,
          COLL_WRITES: 64,
          VIEWS: 64,
          BYTES_WRITTEN: bytes,
          SIZE_WRITE_AGG_1M_4M: 64,
        },
      },
    ]);
    const finding = findingOf(job, "small-writes");
    expect(finding.advice).toContain("collective buffering");
    expect(finding.snippet?.code).toContain('MPI_Info_set(info, "romio_cb_write", "enable")');
  });
});

describe("small-reads", () => {
  const job = (perRank: number) =>
    worked(4, (app, rank, file) => {
      for (let i = 0; i < perRank; i++)
        app.read("POSIX", rank, file, { offset: (rank * perRank + i) * 8 * KIB, bytes: 8 * KIB });
    });

  it("counts reads that follow one another", () => {
    const finding = findingOf(job(500), "small-reads");
    expect(finding.statement).toContain(
      "100 % of reads (2,000 of 2,000) move less than 1 MiB from 1 file; the most frequent size is 8 KiB.",
    );
  });

  it("is quiet below a hundred calls", () => {
    expect(idsOf(job(24))).toEqual([]);
  });
});

describe("sub-block-writes", () => {
  it("counts tiny writes that lie apart at ever other gaps, and nothing else does", () => {
    const job = worked(2, (app, rank, file) => {
      for (let i = 0; i < 600; i++)
        app.write("POSIX", rank, file, { offset: rank * 64 * MIB + i * 600 + i * i * 16, bytes: 512 });
    });
    expect(idsOf(job)).toEqual(["sub-block-writes"]);
    const finding = findingOf(job, "sub-block-writes");
    expect(finding.evidence.numbers[0]).toMatchObject({ value: 1200, of: 1200 });
    expect(finding.statement).toContain(
      "100 % of writes (1,200 of 1,200) to 1 file are shorter than a file system block (4 KiB), and none of the 1,200",
    );
  });

  it("leaves tiny writes that follow one another to small-writes", () => {
    const job = worked(2, (app, rank, file) => {
      for (let i = 0; i < 600; i++)
        app.write("POSIX", rank, file, { offset: rank * 64 * MIB + i * 512, bytes: 512 });
    });
    expect(idsOf(job)).toEqual(["small-writes"]);
  });
});

describe("misaligned", () => {
  it("counts all pieces of 3,000,000 bytes but the first", () => {
    // 3,000,000 is 2⁶ times an odd number, so the next multiple of 2²⁰ is the piece 2¹⁴, and there are 2¹⁰.
    const finding = findingOf(singleJob("misaligned"), "misaligned");
    expect(finding.evidence.numbers[0]).toMatchObject({ value: 1023, of: 1024 });
    expect(finding.statement).toContain(
      "99.9 % of accesses (1,023 of 1,024) to 1 file do not begin at a multiple of 1 MiB, the stripe of the file.",
    );
    // One request more beside the 2.86 MiB of each piece, of 3.6 s: less than the tenth of a second that matters.
    expect(finding).toMatchObject({ severity: "info", cost: { atMost: true } });
  });

  it("charges two requests more for each write, beside what bytes take elsewhere in the job", () => {
    const shared = { OPENS: 4, FILE_ALIGNMENT: 4096 };
    const pieces = {
      ...shared,
      ...{ WRITES: 1000, BYTES_WRITTEN: 1000 * 50_000, SIZE_WRITE_10K_100K: 1000, FILE_NOT_ALIGNED: 1000 },
      ...{ MAX_BYTE_WRITTEN: 50e6 - 1, F_WRITE_TIME: 8, F_SLOWEST_RANK_TIME: 2, F_FASTEST_RANK_TIME: 2 },
    };
    const large = {
      ...shared,
      ...{ WRITES: 100, BYTES_WRITTEN: 100 * 4 * MIB, SIZE_WRITE_4M_10M: 100, CONSEC_WRITES: 96 },
      ...{ MAX_BYTE_WRITTEN: 400 * MIB - 1, F_WRITE_TIME: 16, F_SLOWEST_RANK_TIME: 4 },
    };
    const alone = findingOf(countersJob(4, [{ module: posix, path: FILE, values: pieces }]), "misaligned");
    expect(alone.cost).toMatchObject({ seconds: 1, atMost: true });
    const beside = findingOf(
      countersJob(4, [
        { module: posix, path: FILE, values: pieces },
        { module: posix, path: `${FILE}.2`, values: large },
      ]),
      "misaligned",
    );
    // 16 s for 400 MiB: 1.91 s of the 8 s go to the bytes, and two of three requests of the rest are for edges.
    const forBytes = (16 / (400 * MIB)) * 50e6;
    expect(beside.cost.seconds).toBeCloseTo(((8 - forBytes) * 2) / 3 / 4, 6);
    expect(beside.cost.atMost).toBe(false);
  });

  it("says nothing of small accesses, which cannot all be aligned", () => {
    const job = worked(2, (app, rank, file) => {
      for (let i = 0; i < 600; i++)
        app.write("POSIX", rank, file, { offset: rank * 64 * MIB + i * 512, bytes: 512 });
    });
    expect(idsOf(job)).not.toContain("misaligned");
  });

  it("says nothing of one rank that goes straight through a file", () => {
    const job = worked(1, (app, rank, file) => {
      for (let i = 0; i < 200; i++)
        app.write("POSIX", rank, file, { offset: i * 3_000_000, bytes: 3_000_000 });
    });
    expect(idsOf(job)).toEqual([]);
  });
});

describe("misaligned-memory", () => {
  const job = (count: number) =>
    countersJob(4, [
      {
        module: posix,
        path: FILE,
        values: {
          OPENS: 4,
          WRITES: 2000,
          CONSEC_WRITES: 1996,
          SEQ_WRITES: 1996,
          BYTES_WRITTEN: 2000 * 2 * MIB,
          MAX_BYTE_WRITTEN: 2000 * 2 * MIB - 1,
          SIZE_WRITE_1M_4M: 2000,
          MEM_NOT_ALIGNED: count,
          MEM_ALIGNMENT: 64,
        },
      },
    ]);

  it("reports three quarters of the buffers", () => {
    const finding = findingOf(job(1500), "misaligned-memory");
    expect(finding.statement).toBe(
      "The buffers of 75 % of accesses (1,500 of 2,000) do not begin at a multiple of 64 B.",
    );
    expect(finding.severity).toBe("info");
  });

  it("is quiet below a thousand", () => {
    expect(idsOf(job(999))).toEqual([]);
  });
});

describe("random-reads", () => {
  it("counts reads that go back, but not the first of each rank", () => {
    const log = SINGLE_LOGS.find(({ id }) => id === "random-reads")!;
    const { calls } = log.make(randomOf("random-reads", 1));
    const finding = findingOf(singleJob("random-reads"), "random-reads");
    const count = backward(calls, "read") - 32;
    expect(finding.evidence.numbers[0]).toMatchObject({ value: count, of: 32 * 256 });
    expect(finding.statement).toContain(`of reads (${formatCount(count)} of 8,192) from 1 file begin before`);
  });

  it("does not take a small file that is read again and again for random", () => {
    const job = worked(1, (app, rank, file) => {
      for (let i = 0; i < 3000; i++) app.read("POSIX", rank, file, { offset: 0, bytes: 2 * MIB });
    });
    expect(idsOf(job)).toEqual(["re-reads"]);
  });
});

describe("random-writes", () => {
  /** All blocks once, in an order that jumps: 7 generates them modulo a prime. */
  const order = Array.from({ length: 1008 }, (_, i) => (i * 401) % 1009);

  it("counts writes that go back", () => {
    let calls: readonly Call[] = [];
    const job = worked(4, (app, rank, file) => {
      for (const block of order)
        app.write("POSIX", rank, file, { offset: (rank * 1009 + block) * 64 * KIB, bytes: 64 * KIB });
      calls = app.calls;
    });
    const finding = findingOf(job, "random-writes");
    const count = backward(calls, "write") - 4;
    expect(finding.evidence.numbers[0]).toMatchObject({ value: count, of: 4 * 1008 });
    expect(finding.statement).toContain(`of writes (${formatCount(count)} of 4,032) to 1 file begin before`);
    expect(idsOf(job)).toEqual(["random-writes"]);
  });

  it("is quiet when the same blocks come in order", () => {
    const job = worked(4, (app, rank, file) => {
      for (let block = 0; block < 1008; block++)
        app.write("POSIX", rank, file, { offset: (rank * 1009 + block) * 64 * KIB, bytes: 64 * KIB });
    });
    expect(idsOf(job)).toEqual(["small-writes"]);
  });
});

describe("noncontiguous", () => {
  it("reports pieces at equal gaps and advises by NCIO", () => {
    const job = worked(8, (app, rank, file) => {
      for (let i = 0; i < 400; i++)
        app.write("POSIX", rank, file, { offset: (i * 10 + rank) * 2 * KIB, bytes: 2 * KIB });
    });
    const finding = findingOf(job, "noncontiguous");
    // 399 gaps of 18 KiB for each of 8 ranks.
    expect(finding.evidence.numbers[0]).toMatchObject({ value: 8 * 399, of: 8 * 400 });
    expect(finding.statement).toContain(
      "99.8 % of accesses (3,192 of 3,200) to 1 file come at a regular gap",
    );
    expect(finding.statement).toContain("write 2 KiB and skip 18 KiB (10 % of the range is used by a rank)");
    expect(finding.advice).toContain("NCIO, section 6");
    expect(finding.snippet?.code).toContain("region = 2048, gap = 18432");
    expect(idsOf(job)).toEqual(["noncontiguous"]);
  });

  it("leaves pieces that fill the gaps of other ranks to small calls", () => {
    const woven = worked(4, (app, rank, file) => {
      for (let i = 0; i < 400; i++)
        app.write("POSIX", rank, file, { offset: (i * 4 + rank) * 8 * KIB, bytes: 8 * KIB });
    });
    expect(idsOf(woven)).toEqual(["small-writes"]);
    expect(findingOf(woven, "small-writes").advice).toContain("collective");
  });

  it("advises whole ranges to one process without MPI, and two-phase I/O for very many pieces", () => {
    const strided = (ranks: number, pieces: number, gap: number) =>
      worked(ranks, (app, rank, file) => {
        for (let i = 0; i < pieces; i++)
          app.read("POSIX", rank, file, { offset: rank * 512 + i * (512 + gap), bytes: 512 });
      });
    expect(findingOf(strided(1, 2000, 512), "noncontiguous").advice).toContain("select from them in memory");
    expect(findingOf(strided(2, 20_000, 4 * KIB), "noncontiguous").advice).toContain("two-phase I/O");
  });

  it("leaves MPI-IO to its own rules", () => {
    expect(idsOf(singleJob("fix-before"))).not.toContain("noncontiguous");
  });

  it("does not see a pattern in a few accesses", () => {
    const job = plannedJob(1, (app) => {
      for (let n = 0; n < 300; n++) {
        const file = app.lustre(`few.${n}`, [0], PAGES);
        app.open("POSIX", 0, file);
        for (let i = 0; i < 4; i++)
          app.write("POSIX", 0, file, { offset: i * 100 * KIB + i * i * n * 64, bytes: 64 * KIB });
        app.close("POSIX", 0, file);
      }
      return app.plan("test");
    });
    expect(idsOf(job)).toEqual(["small-writes"]);
  });
});

describe("excess-seeks", () => {
  it("counts seeks to where the file position stands", () => {
    const job = worked(2, (app, rank, file) => {
      for (let i = 0; i < 800; i++) {
        app.touch("seek", rank, file, 2e-6);
        app.read("POSIX", rank, file, { offset: (rank * 800 + i) * 2 * MIB, bytes: 2 * MIB });
      }
    });
    // 800 seeks of each rank, one of them after the open and one before the first read, which no read precedes.
    expect(findingOf(job, "excess-seeks").evidence.numbers[0]?.value).toBe(2 * (800 - 1 - 1));
    expect(findingOf(job, "excess-seeks").severity).toBe("info");
    expect(findingOf(job, "excess-seeks").statement).toContain(
      "1,596 redundant seeks, for 1,600 accesses to 1 file: 0.998 for each.",
    );
  });

  it("charges a seek that moves a number in the kernel no more than ten microseconds", () => {
    const job = worked(1, (app, rank, file) => {
      for (let i = 0; i < 2000; i++) {
        // As with opens that wait for a server in the same sum: the counters do not tell them apart.
        app.touch("seek", rank, file, 1e-3);
        app.read("POSIX", rank, file, { offset: i * 2 * MIB, bytes: 2 * MIB });
      }
    });
    const { cost } = findingOf(job, "excess-seeks");
    expect(cost.seconds).toBeGreaterThan(0);
    expect(cost.seconds).toBeLessThanOrEqual(2000 * 10e-6);
  });

  it("grants a seek to every jump and to every open", () => {
    expect(idsOf(singleJob("random-reads"))).not.toContain("excess-seeks");
    expect(idsOf(singleJob("metadata-storm"))).not.toContain("excess-seeks");
  });
});

describe("excess-syncs", () => {
  const job = (ranks: number, syncs: number) =>
    countersJob(ranks, [
      {
        module: posix,
        path: FILE,
        values: {
          OPENS: ranks,
          WRITES: 1000,
          CONSEC_WRITES: 990,
          SEQ_WRITES: 990,
          FSYNCS: syncs - 100,
          FDSYNCS: 100,
          BYTES_WRITTEN: 1000 * 4 * MIB,
          MAX_BYTE_WRITTEN: 1000 * 4 * MIB - 1,
          SIZE_WRITE_1M_4M: 1000,
          F_WRITE_TIME: 40,
        },
      },
    ]);

  it("reports a sync for every second write", () => {
    const finding = findingOf(job(4, 500), "fsync-per-write");
    expect(finding.statement).toContain("500 syncs for 1,000 writes to 1 file: one sync for every 2 writes.");
    expect(idsOf(job(4, 500))).toEqual(["fsync-per-write"]);
    expect(idsOf(job(4, 499))).toEqual(["excess-syncs"]);
  });

  it("grants a few syncs to each of many ranks", () => {
    expect(idsOf(job(128, 500))).toEqual([]);
  });
});
