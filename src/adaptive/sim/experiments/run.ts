/** One simulated output step: its parameters, and start and end of each writer. */

import { assert } from "../../../base/assert.ts";
import { UsageError } from "../../../base/errors.ts";
import { formatCount } from "../../../base/units.ts";
import type { EventQueue } from "../events.ts";
import type { Machine } from "../machines/index.ts";
import { type Flush, type Interference, MB, makeWorld, type RunSeed, type World } from "../storage/index.ts";

export interface RunSpec {
  readonly machine: Machine;
  readonly writers: number;
  /** Bytes of each writer. */
  readonly bytes: number;
  /** Number of targets used, the first ones of the machine. */
  readonly targets: number;
  readonly run: RunSeed;
  readonly flush?: Flush | undefined;
  /** All writers share one file, as MPI-IO does. */
  readonly sharedFile?: boolean | undefined;
  readonly interference?: Interference | undefined;
  readonly secondJobStreams?: number | undefined;
}

export interface RunResult {
  /** From the start of the step to the end of the last write, flushed; opens are not part of it. */
  readonly seconds: number;
  readonly bytes: number;
  readonly events: number;
  /** Per writer, in seconds. */
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  /** Target of each writer. */
  readonly targets: Int32Array;
}

/** Memory per writer; more writers than fit into the limit are refused before any allocation. */
const BYTES_PER_WRITER = 96;
const MEMORY_LIMIT = 4 * 2 ** 30;

/** Refuses impossible runs with one line. */
export function checkSpec({ machine, writers, bytes, targets }: RunSpec): void {
  if (!Number.isInteger(writers) || writers < 1)
    throw new UsageError(`${writers} writers: expected a whole number from 1`);
  if (!Number.isInteger(bytes) || bytes < 1)
    throw new UsageError(
      `${bytes} bytes per writer: expected a whole number from 1; there is nothing to write`,
    );
  if (!Number.isInteger(targets) || targets < 1)
    throw new UsageError(`${targets} targets: expected a whole number from 1; there is nowhere to write`);
  if (targets > machine.targets)
    throw new UsageError(`${targets} targets: ${machine.name} has ${machine.targets}`);
  const most = Math.floor(MEMORY_LIMIT / BYTES_PER_WRITER);
  if (writers > most)
    throw new UsageError(
      `${formatCount(writers)} writers need more than the 4 GiB of memory that a run may use; at most ${formatCount(most)}`,
    );
}

export function worldOf(spec: RunSpec, queue?: EventQueue): World {
  checkSpec(spec);
  const { machine, targets, run, flush, sharedFile = false, interference, secondJobStreams } = spec;
  const setting = {
    parameters: machine.parameters,
    machineTargets: machine.targets,
    targets,
    run,
    sharedFile,
    interference,
    secondJobStreams,
    ...(flush === undefined ? {} : { flush }),
  };
  return makeWorld(setting, queue);
}

/**
 * Work of a target for one write, in bytes. In a shared file locks change hands, in part while data of the previous write still
 * moves: that part is hidden.
 */
export function workOf({ machine, bytes, sharedFile }: RunSpec): number {
  if (sharedFile !== true) return bytes;
  const { sharedFactor, sharedBytes, sharedHidden } = machine.parameters;
  const data = bytes * sharedFactor;
  const locks = sharedBytes * MB;
  return data + locks - sharedHidden * Math.min(data, locks);
}

/** Aggregate bandwidth as IOR prints it: all bytes over the time of the slowest, MB/s. */
export function bandwidth({ bytes, seconds }: Pick<RunResult, "bytes" | "seconds">): number {
  assert(seconds > 0, "writing takes time");
  return bytes / MB / seconds;
}

/** Mean over writers of each one's own bandwidth, MB/s. */
export function writerBandwidth({ bytes, starts, ends }: RunResult): number {
  const each = bytes / starts.length / MB;
  let total = 0;
  for (let i = 0; i < starts.length; i++) total += each / (ends[i]! - starts[i]!);
  return total / starts.length;
}

/** Slowest over fastest write time of a run. */
export function imbalance({ starts, ends }: RunResult): number {
  let slowest = 0;
  let fastest = Number.POSITIVE_INFINITY;
  for (let i = 0; i < starts.length; i++) {
    const time = ends[i]! - starts[i]!;
    if (time > slowest) slowest = time;
    if (time < fastest) fastest = time;
  }
  assert(fastest > 0 && fastest <= slowest, "every writer ended after it began");
  return slowest / fastest;
}
