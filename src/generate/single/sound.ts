/** Jobs with nothing to find, of every kind and size, and one job before and after a fix. */
import type { Random } from "../../base/prng.ts";
import { MIB } from "../log-builder.ts";
import { everyRank } from "./accesses.ts";
import { Application, osts } from "./application.ts";
import type { SingleLog } from "./single-log.ts";

export const SOUND: readonly SingleLog[] = [
  {
    id: "no-io",
    about: "64 ranks compute and touch no file",
    expected: [],
    make(random) {
      const job = new Application(64, random);
      job.compute(8);
      return job.plan("pi");
    },
  },
  {
    id: "metadata-only",
    about: "8 ranks look at a file each and move no byte",
    expected: [],
    make(random) {
      const job = new Application(8, random);
      job.compute(4);
      for (let rank = 0; rank < 8; rank++) {
        const file = job.lustre(`lock.${rank}`, [rank]);
        job.touch("stat", rank, file, 0.0005);
        job.open("POSIX", rank, file);
        job.close("POSIX", rank, file);
      }
      return job.plan("probe");
    },
  },
  {
    id: "read-only",
    about: "32 ranks read their parts of a shared input once, in large pieces",
    expected: [],
    make(random) {
      const job = new Application(32, random);
      const file = job.lustre("mesh.bin", osts(0, 16));
      everyRank(job, file, (rank) => {
        for (let i = 0; i < 16; i++) {
          job.read("POSIX", rank, file, { offset: (rank * 16 + i) * 4 * MIB, bytes: 4 * MIB });
        }
      });
      job.compute(5);
      return job.plan("viewer");
    },
  },
  {
    id: "control",
    about: "64 ranks read an input and write checkpoints together through collective MPI-IO",
    expected: [],
    make(random) {
      const job = new Application(64, random);
      const input = job.lustre("input.nc", osts(0, 16));
      job.openTogether(input, true);
      job.collective({ kind: "read", file: input, bytesPerRank: 16 * MIB, offset: 0, aggregators: 16 });
      job.closeTogether(input);
      job.open("STDIO", 0, "<STDOUT>", 1e-6);
      for (let step = 0; step < 3; step++) {
        job.compute(4);
        job.write("STDIO", 0, "<STDOUT>", { offset: step * 60, bytes: 60 });
        checkpoint(job, `checkpoint.${step}`);
      }
      return job.plan("cfd", { traces: true });
    },
  },
  {
    id: "fix-before",
    about: "16 ranks write their 4 KiB rows of a shared array with independent MPI-IO calls",
    expected: ["independent-mpiio"],
    make(random) {
      const { job, file } = rows(random);
      job.openTogether(file, false);
      for (let rank = 0; rank < job.ranks; rank++) {
        for (let row = 0; row < ROWS; row++) {
          const offset = (row * job.ranks + rank) * ROW_BYTES;
          // Neighbours in a stripe are rows of other ranks, so the ranks wait for one another's locks.
          job.independent("write", rank, file, { offset, bytes: ROW_BYTES, rate: MIB });
        }
      }
      job.barrier();
      job.closeTogether(file);
      return job.plan("heat");
    },
  },
  {
    id: "fix-after",
    about: "the job of fix-before, with a file view and one collective write",
    expected: [],
    make(random) {
      const { job, file } = rows(random);
      job.openTogether(file, true);
      job.collective({ kind: "write", file, bytesPerRank: ROWS * ROW_BYTES, offset: 0, aggregators: 8 });
      job.closeTogether(file);
      return job.plan("heat");
    },
  },
  {
    id: "one-rank",
    about: "an MPI job of one rank; its records count as shared",
    expected: [],
    make: (random) => alone(random).plan("postprocess"),
  },
  {
    id: "non-mpi",
    about: "a process without MPI; its records are those of rank 0",
    expected: [],
    make: (random) => alone(random).plan("convert", { mpi: false }),
  },
  {
    id: "many-ranks",
    about: "16,384 ranks write a checkpoint together; the records are reduced to one for each file and layer",
    expected: [],
    make(random) {
      const job = new Application(16_384, random);
      const file = job.lustre("checkpoint.0001", osts(0, 64));
      job.compute(3);
      job.openTogether(file, true);
      job.collective({ kind: "write", file, bytesPerRank: 8 * MIB, offset: 0, aggregators: 64 });
      job.closeTogether(file);
      return job.plan("cosmology", { heatmap: false });
    },
  },
  {
    id: "heatmap-only",
    about: "64 ranks write three checkpoints; there is a heat map and no trace",
    expected: [],
    make: (random) => bursts(random).plan("plasma"),
  },
  {
    id: "dxt-only",
    about: "64 ranks write three checkpoints; every call is traced and there is no heat map",
    expected: [],
    make: (random) => bursts(random).plan("plasma", { heatmap: false, traces: true }),
  },
];

const ROWS = 2048;
const ROW_BYTES = 4096;

function rows(random: Random): { job: Application; file: string } {
  const job = new Application(16, random);
  job.compute(2);
  return { job, file: job.lustre("temperature.dat", osts(8, 8), { alignmentBytes: ROW_BYTES }) };
}

function checkpoint(job: Application, name: string): void {
  const file = job.lustre(name, osts(16, 16));
  job.openTogether(file, true);
  job.collective({ kind: "write", file, bytesPerRank: 16 * MIB, offset: 0, aggregators: 16 });
  job.closeTogether(file);
}

function alone(random: Random): Application {
  const job = new Application(1, random);
  const input = job.lustre("raw.dat", osts(0, 4));
  const output = job.lustre("cooked.dat", osts(4, 4));
  const pieces = (work: (piece: { offset: number; bytes: number }) => void) => {
    for (let i = 0; i < 64; i++) work({ offset: i * 4 * MIB, bytes: 4 * MIB });
  };
  everyRank(job, input, () => pieces((piece) => job.read("POSIX", 0, input, piece)));
  job.compute(3);
  everyRank(job, output, () => pieces((piece) => job.write("POSIX", 0, output, piece)));
  return job;
}

function bursts(random: Random): Application {
  const job = new Application(64, random);
  for (let step = 0; step < 3; step++) {
    job.compute(6);
    const file = job.lustre(`checkpoint.${step}`, osts(0, 16));
    everyRank(job, file, (rank) => {
      for (let i = 0; i < 16; i++) {
        job.write("POSIX", rank, file, { offset: (rank * 16 + i) * 4 * MIB, bytes: 4 * MIB });
      }
    });
  }
  return job;
}
