/** Client counters of NFS and IBM Storage Scale. */
export { mmpmon, nfsMountStats } from "./format.ts";
export { MOUNT_COUNTERS, type MountGrowth, mountGrowth } from "./mount-counters.ts";
export { sharedMounts } from "./mountstats.ts";
export { isMountFile, type MountSide, MMPMON_FILE, MOUNTSTATS_FILE, readMounts } from "./side.ts";
