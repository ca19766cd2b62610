/** The time model: cost of calls and bytes on a simulated machine. All parameters are in the answers. */
import { MIB } from "../log-builder.ts";
import type { Draw } from "./draw.ts";

export interface Machine {
  /** Bytes per second that one rank can move at most. */
  readonly linkRate: number;
  /** Storage targets, and bytes per second of each, shared by the ranks that use it. */
  readonly targets: number;
  readonly targetRate: number;
  /** Bytes per second between two ranks. */
  readonly networkRate: number;
  /** Seconds of a read or write beside its bytes. */
  readonly writeCall: number;
  readonly readCall: number;
  /** Seconds of metadata calls. */
  readonly open: number;
  readonly close: number;
  readonly stat: number;
  readonly unlink: number;
  /** Seconds until written data is stored, beside its bytes. */
  readonly fsync: number;
  /** More seconds for a read that does not follow the last one. */
  readonly seek: number;
  /** More seconds for a write whose edges lie inside a block. */
  readonly edge: number;
  /** More seconds for a write into a file region that other ranks hold a lock of. */
  readonly lock: number;
  /** Seconds of an unbuffered call of the C library beside its bytes. */
  readonly streamCall: number;
}

/** Ranges: a disk of one node up to a large parallel file system, idle to overloaded. */
export function drawMachine(draw: Draw): Machine {
  const open = draw.log(2e-5, 1e-2);
  const linkRate = draw.log(2e7, 5e9);
  return {
    linkRate,
    targets: draw.whole(4, 48),
    targetRate: draw.log(1e8, 5e9),
    // Ranks reach one another faster than the storage.
    networkRate: Math.max(1e9, linkRate * draw.log(4, 40)),
    writeCall: draw.log(3e-6, 1e-2),
    readCall: draw.log(3e-6, 1e-2),
    open,
    close: open * draw.between(0.1, 0.6),
    stat: open * draw.between(0.2, 0.8),
    // Benchmarks of metadata remove names about as fast as they make them.
    unlink: open * draw.between(0.4, 1.2),
    fsync: draw.log(5e-4, 3e-2),
    seek: draw.log(3e-4, 1.2e-2),
    edge: draw.log(1e-4, 5e-3),
    lock: draw.log(1e-5, 2e-3),
    streamCall: draw.log(5e-7, 1e-4),
  };
}

/** The same machine with nearly free calls: apparent flaws cost nothing. */
export function harmless(machine: Machine): Machine {
  return {
    ...machine,
    writeCall: 1e-6,
    readCall: 1e-6,
    open: 8e-6,
    close: 2e-6,
    stat: 2e-6,
    unlink: 2e-6,
    fsync: 2e-5,
    seek: 0,
    edge: 0,
    lock: 0,
    streamCall: 1e-7,
  };
}

/** Bytes per second of one of `users` ranks that use `used` targets at the same time. */
export function rateOf({ linkRate, targets, targetRate }: Machine, users: number, used = targets): number {
  return Math.min(linkRate, (Math.min(used, targets) * targetRate) / users);
}

/** Seconds of a write into the page cache. */
export const cachedWrite = (bytes: number): number => 2e-6 + bytes / 4e9;

/** Calls of large transfers. */
export const LARGE = 4 * MIB;
