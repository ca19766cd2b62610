/** Reasons why the model misses some published numbers, in two sentences each; docs/simulator.md has the experiments behind them. */
export const MISSED_BECAUSE: Readonly<Record<string, string>> = {
  J4: "With 2 GB of cache a target absorbs the output of 32 writers of 8 MB or 16 of 128 MB, and bandwidth does not fall as in Fig 1. In the fitted model a target caches 150 MB before its writers wait; 32 writes of 2 MB still fit.",
  "P2 8192 interference":
    "Interference hits 8 of the 160 targets of MPI-IO, whose slowest target limits it at 8192 processes as at 16384, so the gain rises at both; in the paper it falls at one. Bursty interference lowers both together, and no parameter set meets all four numbers.",
  "P3 least base":
    "With 512 processes the adaptive method has nothing to move, so its gain is Table I's bandwidth over that of 160 targets, 1.3 or more in every parameter set. The published 1.01 is the minimum of six ratios of a few varying tests, and slow periods of targets that would explain it would also lower Table I's mean.",
  "P4 1024":
    "With two writes per target a write that started on a slow target cannot move, so the step takes as long as the slowest first write. Parameters that shorten it miss the imbalance of 7.12 or the gains at 2 MB.",
};
