/** Jobs of a live site: what each does in every second, and what it has done. */
import type { Random } from "../../base/prng.ts";

export interface LiveJobSpec {
  readonly jobId: string;
  readonly user: string;
  readonly uid: number;
  /** Names of clients. */
  readonly nodes: readonly string[];
  readonly seconds: number;
  /** Writes for `on` seconds of every `period`, on every node and to each of its OSTs. */
  readonly periodSeconds: number;
  readonly onSeconds: number;
  readonly osts: readonly number[];
  readonly mdt: number;
  /** In a second with writes, and in any second; for each node. */
  readonly writeBytes: number;
  readonly readBytes: number;
  /** Files that are opened at the beginning of each period, on every node. */
  readonly opens: number;
}

/** Sums of what was done: by a job on a target, by a job on a node, or by a job altogether. */
export class LiveSums {
  bytesRead = 0;
  bytesWritten = 0;
  reads = 0;
  writes = 0;
  opens = 0;
  closes = 0;
  mknods = 0;
  getattrs = 0;
}

export class LiveJob {
  readonly spec: LiveJobSpec;
  readonly startNs: bigint;
  endNs: bigint | undefined;
  readonly total = new LiveSums();
  readonly onTargets = new Map<string, LiveSums>();
  readonly onNodes = new Map<string, LiveSums>();

  constructor(spec: LiveJobSpec, startNs: bigint) {
    this.spec = spec;
    this.startNs = startNs;
    for (const node of spec.nodes) this.onNodes.set(node, new LiveSums());
  }

  onTarget(name: string): LiveSums {
    let sums = this.onTargets.get(name);
    if (sums === undefined) {
      sums = new LiveSums();
      this.onTargets.set(name, sums);
    }
    return sums;
  }
}

/** A job that a scheduler might start, on the nodes that are free. */
export function drawJob(
  random: Random,
  number: number,
  free: readonly string[],
  site: { readonly osts: number; readonly mdts: number },
): LiveJobSpec {
  const nodes = 1 + random.below(Math.min(free.length, 3));
  const user = random.below(8);
  const periodSeconds = random.pick([20, 60, 120, 300, 900]);
  const width = 1 + random.below(site.osts);
  const first = random.below(site.osts);
  return {
    jobId: String(5_000_001 + number),
    user: `user${user}`,
    uid: 5000 + user,
    nodes: free.slice(0, nodes),
    seconds: 60 + random.below(1800),
    periodSeconds,
    onSeconds: Math.max(1, Math.floor(periodSeconds * (0.1 + 0.5 * random.unit()))),
    osts: Array.from({ length: width }, (_, i) => (first + i) % site.osts),
    mdt: random.below(site.mdts),
    writeBytes: random.unit() < 0.8 ? 4096 * (1 + random.below(50_000)) : 0,
    readBytes: random.unit() < 0.4 ? 4096 * (1 + random.below(20_000)) : 0,
    opens: 1 + random.below(20),
  };
}
