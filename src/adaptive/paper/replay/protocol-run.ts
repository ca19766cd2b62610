/** The adaptive method in experiments: the real protocol on virtual time, not the twin of the calibration. */
import { AssertionError } from "../../../base/assert.ts";
import type { EventQueue } from "../../sim/events.ts";
import { type RunResult, type RunSpec, worldOf } from "../../sim/experiments/run.ts";
import { runAdaptive } from "../../sim/host/index.ts";
import { sampleSeed } from "../../sim/storage/index.ts";

/** The paper's times exclude opens, so opening takes no time. */
export function runProtocol(spec: RunSpec, queue?: EventQueue): RunResult {
  const { machine, writers, bytes, targets, run } = spec;
  const result = runAdaptive({
    world: worldOf(spec, queue),
    policy: "paper",
    writers,
    bytes,
    targets,
    seed: sampleSeed(run),
    jitterSeconds: machine.parameters.startJitter,
  });
  if (result.outcome !== "complete") throw new AssertionError(`a run without faults ended: ${result.reason}`);
  return {
    seconds: result.seconds,
    bytes: result.bytes,
    events: result.events,
    starts: result.starts,
    ends: result.ends,
    targets: result.firstTargets,
  };
}
