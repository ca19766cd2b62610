/** Pathologies of files: how many, how they are opened, where they lie. */
import { MIB } from "../log-builder.ts";
import { everyRank } from "./accesses.ts";
import { Application, osts, RATE } from "./application.ts";
import type { SingleLog } from "./single-log.ts";

const GIB = 1024 * MIB;
const FILES = 10_000;

export const FILE_LOGS: readonly SingleLog[] = [
  {
    id: "file-per-process",
    about: "10,000 ranks write a file each",
    expected: ["many-files"],
    make(random) {
      const job = new Application(FILES, random);
      job.compute(2);
      for (let rank = 0; rank < FILES; rank++) {
        const file = job.lustre(`state.${String(rank).padStart(5, "0")}`, [rank % 100]);
        job.open("POSIX", rank, file);
        for (let i = 0; i < 2; i++) job.write("POSIX", rank, file, { offset: i * 4 * MIB, bytes: 4 * MIB });
        job.close("POSIX", rank, file);
      }
      // 10,000 heat maps would be most of the log and say nothing new.
      return job.plan("md", { heatmap: false });
    },
  },
  {
    id: "metadata-storm",
    about: "16 ranks open, stat and close their file 400 times, and write 64 MiB each",
    expected: ["metadata-storm"],
    make(random) {
      const job = new Application(16, random);
      job.compute(1);
      for (let rank = 0; rank < 16; rank++) {
        const file = job.lustre(`steps.${String(rank).padStart(4, "0")}`, [rank]);
        for (let i = 0; i < 400; i++) {
          job.touch("stat", rank, file, 0.002);
          job.open("POSIX", rank, file, 0.006);
          job.touch("seek", rank, file, 2e-6);
          if (i % 25 === 0) {
            job.write("POSIX", rank, file, { offset: (i / 25) * 4 * MIB, bytes: 4 * MIB });
          }
          job.close("POSIX", rank, file, 0.003);
        }
      }
      return job.plan("chemistry");
    },
  },
  {
    id: "stripe-one",
    about: "64 ranks write a shared file of 1 TiB that lies on a single OST",
    expected: ["stripe-one"],
    make(random) {
      const job = new Application(64, random);
      const file = job.lustre("volume.raw", [42]);
      job.compute(5);
      everyRank(job, file, (rank) => {
        for (let i = 0; i < 16; i++) {
          const offset = (rank * 16 + i) * GIB;
          // All share the 2 GiB/s of one target.
          job.write("POSIX", rank, file, { offset, bytes: GIB, rate: GIB / 32 });
        }
      });
      return job.plan("seismic");
    },
  },
  {
    id: "unbalanced-osts",
    about: "16 ranks write a file to each of eight OSTs; OST 5 gives a sixth of the rate of the others",
    expected: ["slow-ost"],
    make(random) {
      const job = new Application(16, random);
      job.compute(2);
      for (let rank = 0; rank < 16; rank++) {
        for (let part = 0; part < 8; part++) {
          // Every rank meets the slow target once, so none of them is slower than another.
          const ost = (rank + part) % 8;
          const file = job.lustre(`part.${String(rank).padStart(4, "0")}.${part}`, [ost]);
          const rate = ost === 5 ? RATE / 6 : RATE;
          job.open("POSIX", rank, file);
          for (let i = 0; i < 16; i++) {
            job.write("POSIX", rank, file, { offset: i * 4 * MIB, bytes: 4 * MIB, rate });
          }
          job.close("POSIX", rank, file);
        }
      }
      return job.plan("fusion");
    },
  },
  {
    id: "partial",
    about: "4 ranks write 20 files each; the recorder had room for 16 a process",
    expected: ["partial-data"],
    make(random) {
      const job = new Application(4, random);
      job.compute(1);
      for (let rank = 0; rank < 4; rank++) {
        for (let part = 0; part < 20; part++) {
          const file = job.lustre(`piece.${rank}.${String(part).padStart(2, "0")}`, osts(part, 1));
          job.open("POSIX", rank, file);
          for (let i = 0; i < 8; i++) job.write("POSIX", rank, file, { offset: i * 4 * MIB, bytes: 4 * MIB });
          job.close("POSIX", rank, file);
        }
      }
      return job.plan("genome", { recordsPerRankMax: 16 });
    },
  },
];
