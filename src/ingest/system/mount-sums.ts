/** What a job did on mounts of NFS and Storage Scale, summed over its nodes. */
import { type MountGrowth, MOUNT_COUNTERS } from "../../formats/mounts/index.ts";
import type { Value } from "../../model/index.ts";

const LARGEST = 2n ** 63n - 1n;

interface Sums {
  readonly kind: MountGrowth["kind"];
  readonly fileSystem: string;
  mount: string | null;
  readonly nodes: Set<string>;
  readonly counts: Map<string, bigint>;
}

export class MountSums {
  readonly #sums = new Map<string, Sums>();

  /** A mount that is gone has nothing to add. */
  add(node: string, { kind, fileSystem, mount, fate, counts }: MountGrowth): void {
    if (fate === "unmounted") return;
    const key = `${kind} ${fileSystem}`;
    let sums = this.#sums.get(key);
    if (sums === undefined) {
      sums = { kind, fileSystem, mount, nodes: new Set(), counts: new Map() };
      this.#sums.set(key, sums);
    }
    // Nodes that have it in different places leave no single one.
    if (sums.mount !== mount) sums.mount = null;
    sums.nodes.add(node);
    for (const [name, value] of counts) sums.counts.set(name, (sums.counts.get(name) ?? 0n) + value);
  }

  /** Columns of `job_mounts`; what a file system does not count is NULL. */
  rows(): Record<string, Value>[] {
    return [...this.#sums.values()].map(({ kind, fileSystem, mount, nodes, counts }) => ({
      ...{ kind, file_system: fileSystem, mount, nodes_counted: nodes.size },
      ...Object.fromEntries(MOUNT_COUNTERS.map((name) => [name, bounded(counts.get(name))])),
    }));
  }
}

const bounded = (value: bigint | undefined): bigint | null =>
  value === undefined ? null : value > LARGEST ? LARGEST : value;
