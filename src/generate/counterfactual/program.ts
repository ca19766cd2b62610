/** A simulated program: activities step by step with computing between them, run with or without its flaws. */
import type { LogPlan } from "../recorder/calls.ts";
import type { Activity, Cause } from "./activity.ts";
import type { Machine } from "./machine.ts";
import type { Place } from "./place.ts";
import { World } from "./world.ts";

export interface Part {
  /** None: healthy. */
  readonly cause: Cause | undefined;
  readonly activity: Activity;
  readonly when: "first step" | "every step" | "last step";
  /** Whether a barrier follows; without one, the next activity begins rank by rank. */
  readonly barrier: boolean;
}

export interface Program {
  readonly seed: number;
  readonly job: number;
  readonly name: string;
  readonly ranks: number;
  readonly mpi: boolean;
  readonly steps: number;
  readonly computeSeconds: number;
  /** Seconds behind the last step. */
  readonly tailSeconds: number;
  readonly machine: Machine;
  readonly place: Place;
  readonly parts: readonly Part[];
  readonly heatmap: boolean;
  readonly traces: boolean;
}

/** Darshan's default: files that a module of a process has room for. */
const RECORDS_MAX = 1024;

/** Run time with these flaws fixed. */
export function secondsOf(program: Program, mended: ReadonlySet<Cause>): number {
  return play(program, mended, false).seconds;
}

/** Single calls of the program with all its flaws. */
export function callCount(program: Program): number {
  return play(program, new Set(), false).world.callCount;
}

/** The calls as a recorder would see them. */
export function logPlan(program: Program, mended: ReadonlySet<Cause>): LogPlan {
  const { world, seconds } = play(program, mended, true);
  const { name, job, ranks, mpi, heatmap, traces, place } = program;
  return {
    program: name,
    jobId: 1 + job,
    ranks,
    seconds,
    calls: world.calls,
    layouts: world.layouts,
    datasets: world.datasets,
    layoutRecords: place.layouts,
    mounts: place.mounts,
    mpi,
    heatmap,
    traces,
    recordsPerRankMax: RECORDS_MAX,
  };
}

function play(program: Program, mended: ReadonlySet<Cause>, recording: boolean) {
  const { seed, job, ranks, steps, computeSeconds, tailSeconds, parts } = program;
  const world = new World({ ranks, seed, job, recording });
  const isMended = ({ cause }: Part) => cause !== undefined && mended.has(cause);
  for (const part of parts) part.activity.prepare?.(world, isMended(part));
  for (let step = 0; step < steps; step++) {
    world.compute(computeSeconds / steps, step);
    for (const [index, part] of parts.entries()) {
      const turn = turnOf(part, step, steps);
      if (turn === undefined) continue;
      world.enter(index, step);
      part.activity.run(world, turn, isMended(part));
      if (part.barrier) world.barrier();
    }
    world.barrier();
  }
  return { world, seconds: Math.round((world.now + tailSeconds) * 1e9) / 1e9 };
}

function turnOf({ when }: Part, step: number, steps: number): number | undefined {
  if (when === "every step") return step;
  return step === (when === "first step" ? 0 : steps - 1) ? 0 : undefined;
}
