/** The ways of writing that are timed, each as one run. */
import { runTwin } from "../../src/adaptive/paper/calibrate/index.ts";
import type { EventQueue } from "../../src/adaptive/sim/events.ts";
import { runPaper } from "../../src/adaptive/sim/experiments/test-kit.ts";
import { type RunSpec, worldOf } from "../../src/adaptive/sim/experiments/run.ts";
import { runStatic } from "../../src/adaptive/sim/experiments/static.ts";
import { runAdaptive } from "../../src/adaptive/sim/host/run.ts";
import { type Machine, machineNamed } from "../../src/adaptive/sim/machines/index.ts";
import { MB, sampleSeed } from "../../src/adaptive/sim/storage/index.ts";

/** Runs, and says how many events there were. */
type Run = (spec: RunSpec, queue?: EventQueue) => { readonly events: number };

const runPlimsoll: Run = (spec, queue) => {
  const { writers, bytes, targets, run } = spec;
  const world = worldOf(spec, queue);
  return runAdaptive({ world, policy: "plimsoll", writers, bytes, targets, seed: sampleSeed(run) });
};

export const METHODS: Readonly<Record<string, Run>> = {
  posix: runStatic,
  "paper, no messages": runTwin,
  paper: runPaper,
  plimsoll: runPlimsoll,
};

const jaguar = machineNamed("jaguar");

/** As large as asked for; background per target as on Jaguar. */
const machineOf = (targets: number): Machine =>
  targets <= jaguar.targets ? jaguar : { ...jaguar, targets, targetsPerFile: targets };

export const specOf = (writers: number, targets: number, sizeMb: number): RunSpec => ({
  machine: machineOf(targets),
  writers,
  targets,
  bytes: sizeMb * MB,
  run: { seed: 1, sample: 0, samples: 1 },
});
