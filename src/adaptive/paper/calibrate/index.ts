/** Calibration: targets in; parameters, loss and a verdict per target out. */

import { assert } from "../../../base/assert.ts";
import { UsageError } from "../../../base/errors.ts";
import type { Machine } from "../../sim/machines/index.ts";
import { CmaSearch } from "./cma.ts";
import {
  type Effort,
  type Evaluation,
  evaluate,
  evaluateAll,
  HERE,
  type Judging,
  judgingOf,
  type Pool,
} from "./evaluate.ts";
import { machineAt, pointOf, spaceOf } from "./space.ts";

export { evaluate, judgingOf } from "./evaluate.ts";
export { spaceOf } from "./space.ts";
export { readTargets } from "./targets.ts";
export { runTwin } from "./twin.ts";

interface CalibrateOptions {
  readonly machine: Machine;
  readonly effort: Effort;
  readonly judging?: Judging;
  readonly seed: number;
  /** Threads; default: all runs in this thread. */
  readonly pool?: Pool;
  /** First step in the unit cube of parameters. */
  readonly step?: number;
  /** Called before each evaluation: whether to continue. */
  goOn(evaluations: number): boolean | Promise<boolean>;
}

export interface Calibration {
  readonly machine: Machine;
  readonly start: Evaluation;
  readonly best: Evaluation;
  readonly evaluations: number;
}

/** The same seed and number of evaluations give the same parameters, on any number of threads. */
export async function calibrate(options: CalibrateOptions): Promise<Calibration> {
  const { machine, effort, seed, step = 0.08, pool = HERE } = options;
  const judging = options.judging ?? judgingOf(machine.name);
  const space = spaceOf(machine);
  const searchEffort = { ...effort, judgedOnly: true };
  const start = await evaluate(machine, searchEffort, judging, pool);
  let best = { machine, evaluation: start };
  let evaluations = 1;
  if (space.length === 0) {
    if (await options.goOn(evaluations))
      throw new UsageError(
        `${machine.name} has no free parameter: give some the origin "calibrated" in its file's "origins"`,
      );
    return { machine, start, best: start, evaluations };
  }
  const search = new CmaSearch(pointOf(machine, space), step, seed);
  for (;;) {
    const candidates: { point: Float64Array; loss: number }[] = [];
    const points = search.ask();
    while (candidates.length < points.length) {
      // As many at once as there are threads: the time limit is checked in between.
      const tried: Machine[] = [];
      let goesOn = true;
      for (const point of points.slice(candidates.length, candidates.length + Math.max(1, pool.threads))) {
        goesOn = await options.goOn(evaluations + tried.length);
        if (!goesOn) break;
        tried.push(machineAt(machine, space, CmaSearch.inCube(point)));
      }
      const found = await evaluateAll(tried, searchEffort, judging, pool);
      evaluations += tried.length;
      found.forEach((evaluation, i) => {
        if (evaluation.loss < best.evaluation.loss) best = { machine: tried[i] as Machine, evaluation };
        candidates.push({ point: points[candidates.length] as Float64Array, loss: evaluation.loss });
      });
      assert(best.evaluation.loss <= start.loss, "a calibration never increases the loss");
      if (goesOn) continue;
      const evaluation =
        best.machine === machine ? start : await evaluate(best.machine, effort, judging, pool);
      return { machine: best.machine, start, best: evaluation, evaluations };
    }
    search.tell(candidates);
  }
}

/** A machine as file text for `readMachine`. */
export function machineFile(machine: Machine, fit?: Machine["fit"]): string {
  const { name, title, targets, targetsPerFile, parameters, origins } = machine;
  const value = {
    kind: "plimsoll machine",
    version: 1,
    name,
    title,
    targets,
    targetsPerFile,
    parameters,
    origins,
    ...(fit === undefined ? {} : { fit }),
  };
  return `${JSON.stringify(value, null, 2)}\n`;
}
