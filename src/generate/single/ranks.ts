/** Pathologies of who does the I/O and through what. */
import { MIB } from "../log-builder.ts";
import { everyRank } from "./accesses.ts";
import { Application, osts, RATE } from "./application.ts";
import type { SingleLog } from "./single-log.ts";

export const RANKS: readonly SingleLog[] = [
  {
    id: "rank0-io",
    about: "64 ranks compute, rank 0 alone writes the result of all",
    expected: ["one-rank-io"],
    make(random) {
      const job = new Application(64, random);
      const file = job.lustre("result.dat", osts(0, 8));
      job.compute(3);
      job.open("POSIX", 0, file);
      for (let i = 0; i < 512; i++) job.write("POSIX", 0, file, { offset: i * 4 * MIB, bytes: 4 * MIB });
      job.close("POSIX", 0, file);
      job.barrier();
      return job.plan("solver");
    },
  },
  {
    id: "straggler",
    about: "64 ranks write equal parts of a shared file; rank 37 takes eight times as long",
    expected: ["straggler"],
    make(random) {
      const job = new Application(64, random);
      const file = job.lustre("checkpoint.0001", osts(0, 16));
      job.compute(2);
      everyRank(job, file, (rank) => {
        const rate = rank === 37 ? RATE / 8 : RATE;
        for (let i = 0; i < 64; i++) {
          job.write("POSIX", rank, file, { offset: (rank * 64 + i) * 4 * MIB, bytes: 4 * MIB, rate });
        }
      });
      return job.plan("cfd");
    },
  },
  {
    id: "independent",
    about: "64 ranks write a shared file through independent MPI-IO calls, never collectively",
    expected: ["independent-mpiio"],
    make(random) {
      const job = new Application(64, random);
      const file = job.lustre("plot.h5", osts(8, 16));
      job.compute(2);
      job.openTogether(file, false);
      for (let rank = 0; rank < 64; rank++) {
        for (let i = 0; i < 16; i++) {
          const offset = (rank * 16 + i) * 4 * MIB;
          job.independent("write", rank, file, { offset, bytes: 4 * MIB });
        }
      }
      job.barrier();
      job.closeTogether(file);
      return job.plan("weather");
    },
  },
  {
    id: "stdio-bulk",
    about: "16 ranks write all their data with fwrite",
    expected: ["stdio-bulk"],
    make(random) {
      const job = new Application(16, random);
      job.compute(1);
      for (let rank = 0; rank < 16; rank++) {
        const file = job.lustre(`dump.${String(rank).padStart(4, "0")}`, [rank]);
        job.open("STDIO", rank, file);
        for (let i = 0; i < 128; i++) job.write("STDIO", rank, file, { offset: i * MIB, bytes: MIB });
        job.close("STDIO", rank, file);
      }
      return job.plan("legacy");
    },
  },
];
