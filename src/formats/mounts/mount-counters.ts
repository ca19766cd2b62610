/** Counters of one mounted file system, and what they grew by between two readings. */

/** Columns of `job_mounts` that are counters; a file system has those that its client counts. */
export const MOUNT_COUNTERS = [
  ...["bytes_read", "bytes_written", "reads", "writes", "opens", "closes", "metadata_calls"],
  ...["read_usecs", "write_usecs", "retransmits", "timeouts", "server_bytes_read", "server_bytes_written"],
  ...["queue_usecs", "round_trip_usecs", "inode_updates"],
] as const;
type MountCounts = ReadonlyMap<string, bigint>;

export interface MountReading {
  readonly kind: "nfs" | "gpfs";
  /** `server:/export`, or the name of the device. */
  readonly fileSystem: string;
  readonly mount: string | null;
  /** Seconds since it was mounted, where that is known. */
  readonly ageSeconds: bigint | undefined;
  readonly counts: MountCounts;
}

/** `whole`: after minus before. `remounted`, `cleared`: counters began again in between, what came after is there. */
type Fate = "whole" | "remounted" | "cleared" | "unmounted";

export interface MountGrowth {
  readonly kind: MountReading["kind"];
  readonly fileSystem: string;
  readonly mount: string | null;
  readonly fate: Fate;
  readonly counts: MountCounts;
}

const keyOf = ({ kind, fileSystem, mount }: MountReading) => `${kind}\n${fileSystem}\n${mount ?? ""}`;

export function mountGrowth(
  before: readonly MountReading[],
  after: readonly MountReading[],
): readonly MountGrowth[] {
  const then = new Map(before.map((one) => [keyOf(one), one]));
  const now = new Set(after.map(keyOf));
  const grown = after.map((one) => growthOf(then.get(keyOf(one)), one));
  const gone = before.filter((one) => !now.has(keyOf(one)));
  return [
    ...grown,
    ...gone.map(({ kind, fileSystem, mount }) => ({
      ...{ kind, fileSystem, mount, fate: "unmounted" as const },
      counts: new Map<string, bigint>(),
    })),
  ];
}

function growthOf(before: MountReading | undefined, after: MountReading): MountGrowth {
  const { kind, fileSystem, mount, counts } = after;
  const began = (fate: Fate) => ({ kind, fileSystem, mount, fate, counts });
  if (before === undefined) return began("remounted");
  if ((after.ageSeconds ?? 0n) < (before.ageSeconds ?? 0n)) return began("remounted");
  const grown = new Map<string, bigint>();
  for (const [name, value] of counts) {
    const growth = value - (before.counts.get(name) ?? 0n);
    if (growth < 0n) return began("cleared");
    grown.set(name, growth);
  }
  return { kind, fileSystem, mount, fate: "whole", counts: grown };
}
