/**
 * Opens of many files at one metadata server, at once or staggered: time of each open, end of the last, and wait of other
 * requests in the meantime. The paper staggers opens to relieve the server (I, V) and gives no numbers; the slowdown of the
 * server under a queue is our assumption.
 */
import { assert } from "../../../base/assert.ts";
import { mean } from "../../../base/statistics.ts";

interface MetadataServer {
  /** Time of one open without a queue. Lustre of the time: some 2,500 creates per second. */
  readonly openSeconds: number;
  /** Share of its speed left under an endless queue, and the queue length at half of the loss. */
  readonly floor: number;
  readonly half: number;
}

export const METADATA_SERVER: MetadataServer = { openSeconds: 0.0004, floor: 0.25, half: 250 };

export interface OpenResult {
  readonly files: number;
  readonly staggerSeconds: number;
  /** From the first open to the reply to the last. */
  readonly seconds: number;
  readonly meanOpenSeconds: number;
  readonly worstOpenSeconds: number;
  /** Largest queue at the server. */
  readonly queue: number;
  /** Mean wait of another request at a random moment of this time. */
  readonly othersWaitSeconds: number;
}

export function openFiles(files: number, staggerSeconds: number, server: MetadataServer): OpenResult {
  assert(files > 0 && staggerSeconds >= 0, "there are files to open");
  const times: number[] = [];
  let [now, done, worstQueue, waitArea] = [0, 0, 0, 0];
  while (done < files) {
    const arrived = Math.min(
      files,
      staggerSeconds === 0 ? files : Math.floor(now / staggerSeconds + 1e-9) + 1,
    );
    const queue = arrived - done;
    if (queue === 0) {
      now = done * staggerSeconds;
      continue;
    }
    const service = server.openSeconds / efficiency(queue, server);
    worstQueue = Math.max(worstQueue, queue);
    // A request in the meantime waits for the whole queue.
    waitArea += queue * service * service;
    now += service;
    times.push(now - done * staggerSeconds);
    done++;
  }
  return {
    ...{ files, staggerSeconds, seconds: now },
    meanOpenSeconds: mean(times),
    worstOpenSeconds: Math.max(...times),
    queue: worstQueue,
    othersWaitSeconds: waitArea / now,
  };
}

const efficiency = (queue: number, { floor, half }: MetadataServer): number =>
  floor + (1 - floor) / (1 + (queue - 1) / half);

/** Intervals to compare: none, and around the time of one open. */
export const staggersOf = ({ openSeconds }: MetadataServer): number[] =>
  [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 2].map((factor) => factor * openSeconds);
