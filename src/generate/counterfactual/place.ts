/** Where the files of a job lie: Lustre with stripes, another parallel file system, or disks of a node. */
import { MIB } from "../log-builder.ts";
import type { Draw } from "./draw.ts";
import type { World } from "./world.ts";

export interface Place {
  readonly type: string;
  readonly mounts: readonly { readonly type: string; readonly path: string }[];
  /** Whether the log has LUSTRE records. */
  readonly layouts: boolean;
  /** A file of few ranks; `index` spreads files over targets. */
  file(world: World, name: string, index: number): string;
  /** A file of all ranks, which lies on all targets. `blockBytes`: what offsets are tested against. */
  shared(world: World, name: string, blockBytes?: number): string;
  /** A file on exactly this target. */
  fileOn(world: World, name: string, target: number): string;
}

/** Parallel file systems with their mount points; a job of one node may also use a disk or a server. */
const PARALLEL = ["lustre", "lustre", "gpfs", "beegfs"] as const;
const ONE_NODE = [...PARALLEL, "nfs4", "ext4"] as const;
const ROOTS = { gpfs: "/gpfs", beegfs: "/beegfs", nfs4: "/work", ext4: "/data" } as const;

/** `targets`: OSTs of Lustre; elsewhere file systems that are mounted one by one. */
export function drawPlace(draw: Draw, targets: number, ranks: number): Place {
  const type = draw.pick(ranks < 4 ? ONE_NODE : PARALLEL);
  const stripes = Math.min(targets, draw.whole(1, 4));
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
    file: (world, name, index) =>
      put(
        world,
        name,
        Array.from({ length: stripes }, (_, i) => (index * stripes + i) % targets),
        MIB,
      ),
    shared: (world, name, blockBytes = MIB) =>
      put(
        world,
        name,
        Array.from({ length: targets }, (_, i) => i),
        blockBytes,
      ),
    fileOn: (world, name, target) => put(world, name, [target], MIB),
  };
}

/** Without Lustre a target is seen only as a mount of its own. */
function plain(type: keyof typeof ROOTS, folder: string, targets: number): Place {
  const root = ROOTS[type];
  const disks = Array.from({ length: targets }, (_, index) => ({ type, path: `/t${index}` }));
  return {
    type,
    layouts: false,
    mounts: [...disks, { type, path: root }, { type: "xfs", path: "/" }],
    file: (_, name) => `${root}/${folder}/${name}`,
    shared: (_, name) => `${root}/${folder}/${name}`,
    fileOn: (_, name, target) => `/t${target}/${folder}/${name}`,
  };
}
