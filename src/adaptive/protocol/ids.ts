/** File ids and epochs, constructed so that no two processes can create the same one. */
import { assert } from "../../base/assert.ts";
import type { FileId, Rank, TargetId } from "./step.ts";

/** How often one sub-coordinator may start a new file on a target. */
const REOPENS_MAX = 64;
const PROMOTIONS_MAX = 4096;

/**
 * A sub-coordinator assigns space only in files of its epoch. Two that believe they lead the same group thus never write to the
 * same file, and offsets need no fencing.
 */
export function fileId(target: TargetId, targets: number, epoch: number, reopened: number): FileId {
  const file = (epoch * REOPENS_MAX + reopened) * targets + target;
  assert(Number.isSafeInteger(file) && reopened < REOPENS_MAX, `file number ${file} is out of range`);
  return file;
}

export function targetOfFile(file: FileId, targets: number): TargetId {
  assert(file >= 0, "-1 is no file, and has no target");
  return file % targets;
}

/** The epoch of the sub-coordinator that opened the file. */
export const epochOfFile = (file: FileId, targets: number): number =>
  Math.floor(Math.floor(file / targets) / REOPENS_MAX);

/** The next epoch that only `rank` can take. */
export function nextCoordinatorEpoch(epoch: number, rank: Rank, writers: number): number {
  assert(rank < writers, "an epoch has one rank that can take it");
  return (Math.floor(epoch / writers) + 1) * writers + rank;
}

/** The epoch of the coordinator that gave a group its epoch. */
export const coordinatorOfEpoch = (epoch: number): number => Math.floor(epoch / PROMOTIONS_MAX);

/** The epoch of a group after the `count`-th promotion (from 1) of a coordinator. */
export function groupEpoch(coordinatorEpoch: number, count: number): number {
  assert(count > 0 && count < PROMOTIONS_MAX, "too many promotions under one coordinator");
  return coordinatorEpoch * PROMOTIONS_MAX + count;
}
