/** What tells one state of a file from another, without reading it. */
import type { BigIntStats } from "node:fs";

/** Plain data, which is kept with a plan and sent between processes; numbers of 64 bits are text. */
export interface FileStamp {
  readonly inode: string;
  readonly bytes: number;
  /** When its content was modified, and when anything of it, names and times included. */
  readonly modifiedNs: string;
  readonly changedNs: string;
}

// The device number is left out: the nodes of a parallel run number a shared file system differently.
export const stampOf = ({ ino, size, mtimeNs, ctimeNs }: BigIntStats): FileStamp => ({
  inode: String(ino),
  bytes: Number(size),
  modifiedNs: String(mtimeNs),
  changedNs: String(ctimeNs),
});

/** Says in a few words how a file differs from what it was; undefined when it does not. */
export function changeBetween(was: FileStamp, now: FileStamp): string | undefined {
  if (was.bytes !== now.bytes) return `${now.bytes} bytes instead of ${was.bytes}`;
  if (was.inode !== now.inode) return "another file has its name";
  if (was.modifiedNs !== now.modifiedNs) return `modified at ${timeOf(now.modifiedNs)}`;
  if (was.changedNs !== now.changedNs) return `its inode changed at ${timeOf(now.changedNs)}`;
  return undefined;
}

const timeOf = (ns: string): string => new Date(Number(BigInt(ns) / 1_000_000n)).toISOString();
