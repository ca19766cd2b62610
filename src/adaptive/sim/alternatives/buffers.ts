/**
 * How long an application waits at its output steps when something stands between it and the storage. Steps come every `periodSeconds` of
 * computing; waiting moves all that follows. Pure arithmetic: how long the storage takes for each step is given.
 */
import { assert } from "../../../base/assert.ts";

/** Output goes to memory of the compute nodes, which holds some steps, and from there to storage, one step after the other. */
export function asynchronousWaits(
  storageSeconds: readonly number[],
  periodSeconds: number,
  bufferedSteps: number,
): number[] {
  assert(bufferedSteps >= 1, "a buffer holds a step at least");
  const ends: number[] = [];
  let now = 0;
  return storageSeconds.map((seconds, step) => {
    now += periodSeconds;
    // The step that leaves its place to this one.
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
 * Output goes over the network into the memory of staging nodes, which write it out meanwhile. When that memory is full, the rest of a
 * step comes as fast as they write.
 */
export function stagingWaits(
  storageSeconds: readonly number[],
  periodSeconds: number,
  { bytes, memoryBytes, networkBytesPerSecond: network }: Staging,
): number[] {
  let held = 0;
  return storageSeconds.map((seconds) => {
    const drain = bytes / seconds;
    // At the least rate of both, whatever fits: memory only matters while data comes faster than it leaves.
    const room = memoryBytes - held;
    const fullAfter = network > drain ? room / (network - drain) : Number.POSITIVE_INFINITY;
    const wait =
      bytes <= network * fullAfter ? bytes / network : fullAfter + (bytes - network * fullAfter) / drain;
    held = Math.max(0, Math.min(memoryBytes, held + bytes - drain * wait) - drain * periodSeconds);
    return wait;
  });
}
