/** The mounts of NFS and Storage Scale that one side of a client reading tells of, and where others are mounted. */
import type { MountReading } from "./mount-counters.ts";
import { readMmpmon } from "./mmpmon.ts";
import { readMountStats } from "./mountstats.ts";

/** Names of the files in a client reading. */
export const MOUNTSTATS_FILE = "mountstats";
export const MMPMON_FILE = "mmpmon/fs_io_s";

interface MountFile {
  readonly path: string;
  readonly bytes: Uint8Array;
}

export const isMountFile = ({ path }: MountFile): boolean => path === MOUNTSTATS_FILE || path === MMPMON_FILE;

export interface MountSide {
  readonly mounts: readonly MountReading[];
  /** Where file systems of Lustre are mounted, by name; one that is mounted twice has no single place. */
  readonly lustre: ReadonlyMap<string, string | null>;
}

export function readMounts(files: readonly MountFile[]): MountSide {
  const textOf = (wanted: string) => {
    const file = files.find(({ path }) => path === wanted);
    return file === undefined ? "" : new TextDecoder().decode(file.bytes);
  };
  const { nfs, others } = readMountStats(textOf(MOUNTSTATS_FILE), MOUNTSTATS_FILE);
  const places = (type: string) => {
    const found = new Map<string, string | null>();
    for (const other of others)
      if (other.type === type) {
        const name = other.device.slice(other.device.lastIndexOf("/") + 1);
        found.set(name, found.has(name) ? null : other.mount);
      }
    return found;
  };
  const gpfs = places("gpfs");
  const scale = readMmpmon(textOf(MMPMON_FILE), MMPMON_FILE);
  return {
    mounts: [...nfs, ...scale.map((one) => ({ ...one, mount: gpfs.get(one.fileSystem) ?? null }))],
    lustre: places("lustre"),
  };
}
