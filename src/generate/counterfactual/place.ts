/** Where the files of a job lie: Lustre with stripes, another parallel file system, or disks of a node. */
import { MIB } from "../log-builder.ts";
import type { Draw } from "./draw.ts";
import type { World } from "./world.ts";

export interface Place {
  readonly type: "lustre" | "gpfs" | "nfs4" | "ext4";
  readonly mounts: readonly { readonly type: string; readonly path: string }[];
  /** Whether the log has LUSTRE records. */
  readonly layouts: boolean;
  /** A file of this name; `index` spreads files over targets. `blockBytes`: what offsets are tested against. */
  file(world: World, name: string, index: number, blockBytes?: number): string;
  /** A file on exactly this target. */
  fileOn(world: World, name: string, target: number): string;
}

const TYPES = ["lustre", "lustre", "lustre", "gpfs", "nfs4", "ext4"] as const;

/** `targets`: mounts of single disks that a job on ext4 has, and OSTs of Lustre. */
export function drawPlace(draw: Draw, targets: number): Place {
  const type = draw.pick(TYPES);
  const stripes = Math.min(targets, draw.whole(1, 8));
  const folder = draw.pick(["run", "case7", "proj/u1", "exp/b"]);
  if (type === "lustre") return lustre(`/scratch/${folder}`, targets, stripes, draw.chance(0.75));
  return plain(type, folder, targets);
}

function lustre(folder: string, targets: number, stripes: number, layouts: boolean): Place {
  const put = (world: World, name: string, osts: readonly number[], alignmentBytes: number) => {
    const path = `${folder}/${name}`;
    world.layouts.set(path, { stripeBytes: MIB, osts, alignmentBytes });
    return path;
  };
  return {
    type: "lustre",
    layouts,
    mounts: [
      { type: "lustre", path: "/scratch" },
      { type: "xfs", path: "/" },
    ],
    file: (world, name, index, blockBytes = MIB) =>
      put(
        world,
        name,
        Array.from({ length: stripes }, (_, i) => (index * stripes + i) % targets),
        blockBytes,
      ),
    fileOn: (world, name, target) => put(world, name, [target], MIB),
  };
}

/** Without Lustre a target is seen only as a mount of its own. */
function plain(type: "gpfs" | "nfs4" | "ext4", folder: string, targets: number): Place {
  const root = { gpfs: "/gpfs", nfs4: "/work", ext4: "/data" }[type];
  const disks = Array.from({ length: targets }, (_, index) => ({ type, path: `/t${index}` }));
  return {
    type,
    layouts: false,
    mounts: [...disks, { type, path: root }, { type: "xfs", path: "/" }],
    file: (_, name) => `${root}/${folder}/${name}`,
    fileOn: (_, name, target) => `/t${target}/${folder}/${name}`,
  };
}
