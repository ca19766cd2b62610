/** Identifies the state of a file without reading it. */
import type { BigIntStats } from "node:fs";

/** Plain data, which is kept with a plan and sent between processes; numbers of 64 bits are text. */
export interface FileStamp {
  readonly inode: string;
  readonly bytes: number;
  /** Times of the last change of content (mtime) and of any attribute (ctime). */
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

/** Describes in a few words how a file has changed; undefined if it has not. */
export function changeBetween(was: FileStamp, now: FileStamp): string | undefined {
  if (was.bytes !== now.bytes) return `${now.bytes} bytes instead of ${was.bytes}`;
  if (was.inode !== now.inode) return "another file has its name";
  if (was.modifiedNs !== now.modifiedNs) return `modified at ${timeOf(now.modifiedNs)}`;
  if (was.changedNs !== now.changedNs) return `its inode changed at ${timeOf(now.changedNs)}`;
  return undefined;
}

const timeOf = (ns: string): string => new Date(Number(BigInt(ns) / 1_000_000n)).toISOString();
