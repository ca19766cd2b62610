/**
 * Waiting time of an application at its output steps with a buffer in front of the storage. Steps come every `periodSeconds` of
 * computing; waiting delays all later steps. Pure arithmetic: the storage time of each step is given.
 */
import { assert } from "../../../base/assert.ts";

/** Output goes to memory of the compute nodes, which holds `bufferedSteps` steps, and from there to storage, step by step. */
export function asynchronousWaits(
  storageSeconds: readonly number[],
  periodSeconds: number,
  bufferedSteps: number,
): number[] {
  assert(bufferedSteps >= 1, "a buffer holds at least one step");
  const ends: number[] = [];
  let now = 0;
  return storageSeconds.map((seconds, step) => {
    now += periodSeconds;
    // End of the step whose buffer this one reuses.
    const free = ends[step - bufferedSteps] ?? 0;
    const wait = Math.max(0, free - now);
    now += wait;
    ends.push(Math.max(now, ends.at(-1) ?? 0) + seconds);
    return wait;
  });
}

interface Staging {
  /** Output of a step. */
  readonly bytes: number;
  /** Memory of all staging nodes. */
  readonly memoryBytes: number;
  /** From compute nodes to staging nodes, bytes per second. */
  readonly networkBytesPerSecond: number;
}

/**
 * Output goes over the network into the memory of staging nodes, which write it out concurrently. When that memory is full, the
 * rest of a step moves at their write rate.
 */
export function stagingWaits(
  storageSeconds: readonly number[],
  periodSeconds: number,
  { bytes, memoryBytes, networkBytesPerSecond: network }: Staging,
): number[] {
  let held = 0;
  return storageSeconds.map((seconds) => {
    const drain = bytes / seconds;
    // If the network is the slower of both, memory does not matter: it fills only while data comes faster than it leaves.
    const room = memoryBytes - held;
    const fullAfter = network > drain ? room / (network - drain) : Number.POSITIVE_INFINITY;
    const wait =
      bytes <= network * fullAfter ? bytes / network : fullAfter + (bytes - network * fullAfter) / drain;
    held = Math.max(0, Math.min(memoryBytes, held + bytes - drain * wait) - drain * periodSeconds);
    return wait;
  });
}
