/** The paper's experiments as series. The caller chooses the number of samples; comments give the paper's. */

import type { Method, Series } from "./series.ts";

export const WRITERS = [512, 1024, 2048, 4096, 8192, 16384] as const;
/** Per-writer sizes of Fig 1, MB; the text names 1, 8, 128, 512 and 1024. */
export const IOR_SIZES = [1, 8, 128, 512, 1024] as const;
/** Pixie3D small, XGC1, Pixie3D large and extra large, MB per process. */
export const OUTPUT_SIZES = [2, 38, 128, 1024] as const;

export const IOR_TARGETS = 512;
export const MPI_TARGETS = 160;
const ALL_TARGETS = 672;

const NOTHING = { interference: false, twoJobs: false, hourly: false } as const;

/** Fig 1: IOR on Jaguar, 40 samples in the paper. */
export const fig1Plan = (samples: number, seed: number): Series[] =>
  IOR_SIZES.flatMap((sizeMb) =>
    WRITERS.map((writers) => ({
      ...NOTHING,
      machine: "jaguar",
      method: "posix" as const,
      sizeMb,
      writers,
      targets: IOR_TARGETS,
      samples,
      seed,
    })),
  );

/** Size per writer of the hourly tests: Fig 3 shows two of them, of 128 MB. */
const HOURLY_SIZE = 128;

/** The four lines of Table I, with the number of tests in the paper. */
export const HOURLY = [
  { id: "jaguar", machine: "jaguar", writers: 512, targets: 512, twoJobs: false, tests: 469 },
  { id: "franklin", machine: "franklin", writers: 80, targets: 80, twoJobs: false, tests: 2581 },
  { id: "xtp two jobs", machine: "xtp", writers: 512, targets: 40, twoJobs: true, tests: 400 },
  { id: "xtp one job", machine: "xtp", writers: 512, targets: 40, twoJobs: false, tests: 320 },
] as const;

export type Hourly = (typeof HOURLY)[number];

/** One line of Table I; for Jaguar also Figs 2 and 3. */
export const hourlySeries = ({ machine, writers, targets, twoJobs }: Hourly, samples: number, seed: number) =>
  ({
    machine,
    method: "posix",
    sizeMb: HOURLY_SIZE,
    writers,
    targets,
    interference: false,
    twoJobs,
    hourly: true,
    samples,
    seed,
  }) as const satisfies Series;

/** IOR on XTP with 512 and 1024 writers. */
export const xtpPlan = (samples: number, seed: number): Series[] =>
  [512, 1024].flatMap((sizeMb) =>
    [512, 1024].map((writers) => ({
      ...NOTHING,
      machine: "xtp",
      method: "posix" as const,
      sizeMb,
      writers,
      targets: 40,
      samples,
      seed,
    })),
  );

/** Figs 5, 6 and 7: MPI-IO on 160 targets and the adaptive method on 512, with and without interference. */
export const adaptivePlan = (samples: number, seed: number): Series[] =>
  OUTPUT_SIZES.flatMap((sizeMb) =>
    [false, true].flatMap((interference) =>
      WRITERS.flatMap((count) =>
        (["mpi-io", "paper"] as const).map((method) =>
          outputSeries(method, sizeMb, count, interference, samples, seed),
        ),
      ),
    ),
  );

/** One point of Figs 5 to 7. */
export const outputPoint = (method: Method, sizeMb: number, writers: number, interference: boolean) => ({
  machine: "jaguar",
  method,
  sizeMb,
  writers,
  targets: method === "mpi-io" ? MPI_TARGETS : IOR_TARGETS,
  interference,
  twoJobs: false,
  hourly: false,
});

export const outputSeries = (
  ...[method, sizeMb, writers, interference, samples, seed]: [
    ...Parameters<typeof outputPoint>,
    samples: number,
    seed: number,
  ]
): Series => ({ ...outputPoint(method, sizeMb, writers, interference), samples, seed });

/** The adaptive method on all targets of Jaguar, against 512. */
export const allTargetsPlan = (samples: number, seed: number): Series[] =>
  [2048, 16384].map((writers) => ({
    ...outputSeries("paper", 128, writers, false, samples, seed),
    targets: ALL_TARGETS,
  }));
