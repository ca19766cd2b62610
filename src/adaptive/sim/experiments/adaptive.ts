/** The paper's adaptive method: its protocol, with all messages, on virtual time. */

import { AssertionError } from "../../../base/assert.ts";
import type { EventQueue } from "../events.ts";
import { runAdaptive } from "../host/index.ts";
import { sampleSeed } from "../storage/index.ts";
import { type RunResult, type RunSpec, worldOf } from "./run.ts";

export function runPaper(spec: RunSpec, queue?: EventQueue): RunResult {
  const { writers, bytes, targets, run } = spec;
  const result = runAdaptive({
    world: worldOf(spec, queue),
    policy: "paper",
    writers,
    bytes,
    targets,
    seed: sampleSeed(run),
    // As in the paper: a writer is free once its data is written.
    retainData: false,
  });
  if (result.outcome !== "complete")
    throw new AssertionError(`a run without faults ended as ${result.outcome}: ${result.reason}`);
  const { seconds, events, starts, ends, firstTargets } = result;
  return { seconds, bytes: writers * bytes, events, starts, ends, targets: firstTargets };
}
