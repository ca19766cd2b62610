/** Pathologies of single accesses: their size, place and order. */
import { MIB } from "../log-builder.ts";
import { Application, osts } from "./application.ts";
import type { SingleLog } from "./single-log.ts";

const KIB = 1024;

/** Small pieces cannot all begin at a stripe; on these files the block of the file system is what is tested. */
const PAGES = { alignmentBytes: 4 * KIB };

export const ACCESSES: readonly SingleLog[] = [
  {
    id: "small-writes",
    about: "32 ranks write 4 KiB at a time, each its own part of a shared file",
    expected: ["small-writes"],
    make(random) {
      const job = new Application(32, random);
      const file = job.lustre("particles.dat", osts(8, 4), PAGES);
      job.compute(2);
      everyRank(job, file, (rank) => {
        for (let i = 0; i < 1024; i++) {
          const offset = (rank * 1024 + i) * 4 * KIB;
          job.write("POSIX", rank, file, { offset, bytes: 4 * KIB, rate: 2 * MIB });
        }
      });
      return job.plan("tracer");
    },
  },
  {
    id: "misaligned",
    about: "32 ranks write pieces of 3,000,000 bytes, so that nearly all begin inside a stripe",
    expected: ["misaligned"],
    make(random) {
      const job = new Application(32, random);
      const file = job.lustre("fields.raw", osts(0, 8));
      const bytes = 3_000_000;
      job.compute(2);
      everyRank(job, file, (rank) => {
        for (let i = 0; i < 32; i++)
          job.write("POSIX", rank, file, { offset: (rank * 32 + i) * bytes, bytes });
      });
      return job.plan("climate");
    },
  },
  {
    id: "random-reads",
    about: "32 ranks read blocks of 64 KiB from all over a shared file, no block twice",
    expected: ["random-reads"],
    make(random) {
      const job = new Application(32, random);
      const file = job.lustre("graph.bin", osts(4, 8), PAGES);
      const blocks = random.shuffled(32768);
      job.compute(1);
      everyRank(job, file, (rank) => {
        for (const block of blocks.slice(rank * 256, (rank + 1) * 256)) {
          const offset = block * 64 * KIB;
          job.touch("seek", rank, file, 2e-6);
          job.read("POSIX", rank, file, { offset, bytes: 64 * KIB, rate: 40 * MIB });
        }
      });
      return job.plan("graph-walk");
    },
  },
  {
    id: "re-reads",
    about: "16 ranks read their part of the input eight times over",
    expected: ["re-reads"],
    make(random) {
      const job = new Application(16, random);
      const file = job.lustre("input.dat", osts(2, 8));
      job.compute(1);
      everyRank(job, file, (rank) => {
        for (let pass = 0; pass < 8; pass++) {
          job.touch("seek", rank, file, 2e-6);
          for (let i = 0; i < 32; i++) {
            job.read("POSIX", rank, file, { offset: (rank * 32 + i) * 2 * MIB, bytes: 2 * MIB });
          }
        }
      });
      return job.plan("train");
    },
  },
  {
    id: "read-modify-write",
    about:
      "32 ranks write collectively with holes between the pieces, so each buffer is read before it is written",
    expected: ["write-amplification"],
    make(random) {
      const job = new Application(32, random);
      const file = job.lustre("sparse.nc", osts(0, 8));
      const bytesPerRank = 8 * MIB;
      const spanBytes = 2 * 32 * bytesPerRank;
      job.compute(2);
      job.openTogether(file, true);
      for (let step = 0; step < 4; step++) {
        const offset = step * spanBytes;
        job.collective({
          kind: "write",
          file,
          bytesPerRank,
          offset,
          aggregators: 8,
          spanBytes,
          readFirst: true,
        });
        job.compute(1);
      }
      job.closeTogether(file);
      return job.plan("ocean");
    },
  },
];

/** Every rank opens the file, does its work and closes it. */
export function everyRank(job: Application, file: string, work: (rank: number) => void): void {
  for (let rank = 0; rank < job.ranks; rank++) {
    job.open("POSIX", rank, file);
    work(rank);
    job.close("POSIX", rank, file);
  }
  job.barrier();
}
