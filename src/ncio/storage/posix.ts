/**
 * Files of the system: local disks, NFS, Lustre, GPFS. Contiguous requests only. Calls are synchronous: a turn of the event
 * loop costs more than writing eight bytes.
 */
import * as fs from "node:fs";
import type { FileRegions, Storage, StorageFile } from "../storage.ts";
import { Counter } from "./counter.ts";

/** Max buffers per system call (IOV_MAX of Linux). */
const GATHER_MAX = 1024;

const FLAGS = {
  create: fs.constants.O_RDWR | fs.constants.O_CREAT | fs.constants.O_TRUNC,
  write: fs.constants.O_RDWR | fs.constants.O_CREAT,
  read: fs.constants.O_RDONLY,
} as const;

export function posixStorage(): Storage {
  const counter = new Counter();
  return {
    name: "posix",
    listMax: undefined,
    hasTypes: false,
    keeps: true,
    async open(path, mode) {
      return new PosixFile(fs.openSync(path, FLAGS[mode], 0o666), path, counter);
    },
    counts: () => counter.counts(),
    async remove(path) {
      fs.rmSync(path, { force: true });
    },
    async close() {},
  };
}

class PosixFile implements StorageFile {
  readonly #descriptor: number;
  readonly #path: string;
  readonly #counter: Counter;

  constructor(descriptor: number, path: string, counter: Counter) {
    this.#descriptor = descriptor;
    this.#path = path;
    this.#counter = counter;
  }

  write(at: number, bytes: Uint8Array): undefined {
    this.#named(() => writeAll(this.#descriptor, bytes, 0, bytes.length, at));
    this.#counter.add(1, bytes.length);
  }

  read(at: number, into: Uint8Array): undefined {
    this.#named(() => readAll(this.#descriptor, into, 0, into.length, at));
    this.#counter.add(1, into.length);
  }

  writeEach(regions: FileRegions, memory: Uint8Array): undefined {
    this.#each(regions, memory, writeAll);
  }

  readEach(regions: FileRegions, memory: Uint8Array): undefined {
    this.#each(regions, memory, readAll);
  }

  writeGathered(at: number, buffers: readonly Uint8Array[]): undefined {
    const bytes = this.#named(() => writeBuffers(this.#descriptor, buffers, at));
    this.#counter.add(1, bytes);
  }

  sync(): undefined {
    this.#named(() => fs.fsyncSync(this.#descriptor));
  }

  close(): undefined {
    this.#named(() => fs.closeSync(this.#descriptor));
  }

  #each(
    { count, memory: places, file, lengths }: FileRegions,
    memory: Uint8Array,
    move: typeof writeAll,
  ): void {
    const descriptor = this.#descriptor;
    let bytes = 0;
    this.#named(() => {
      for (let i = 0; i < count; i++) {
        const length = lengths[i] as number;
        move(descriptor, memory, places[i] as number, length, file[i] as number);
        bytes += length;
      }
    });
    this.#counter.add(count, bytes);
  }

  /** Errors of calls on a descriptor lack the path; messages need it. */
  #named<T>(call: () => T): T {
    try {
      return call();
    } catch (error) {
      throw Object.assign(error as Error, { path: this.#path });
    }
  }
}

/** The system may write less than requested, and never more than 2 GiB at once. */
function writeAll(descriptor: number, memory: Uint8Array, from: number, length: number, at: number): void {
  let done = fs.writeSync(descriptor, memory, from, length > CALL_MAX ? CALL_MAX : length, at);
  while (done < length) {
    const part = Math.min(length - done, CALL_MAX);
    done += fs.writeSync(descriptor, memory, from + done, part, at + done);
  }
}

const CALL_MAX = 1 << 30;

function readAll(descriptor: number, memory: Uint8Array, from: number, length: number, at: number): void {
  for (let done = 0; done < length; ) {
    const part = Math.min(length - done, CALL_MAX);
    const got = fs.readSync(descriptor, memory, from + done, part, at + done);
    if (got === 0) {
      memory.fill(0, from + done, from + length);
      return;
    }
    done += got;
  }
}

function writeBuffers(descriptor: number, buffers: readonly Uint8Array[], at: number): number {
  let total = 0;
  for (let i = 0; i < buffers.length; i += GATHER_MAX) {
    const some = buffers.slice(i, i + GATHER_MAX);
    const bytes = some.reduce((sum, buffer) => sum + buffer.length, 0);
    let done = fs.writevSync(descriptor, some, at + total);
    // A short write is rare; the rest goes buffer by buffer.
    for (let k = 0, start = 0; done < bytes; start += (some[k++] as Uint8Array).length) {
      const buffer = some[k] as Uint8Array;
      const skip = Math.max(0, done - start);
      if (skip >= buffer.length) continue;
      writeAll(descriptor, buffer, skip, buffer.length - skip, at + total + start + skip);
      done = start + buffer.length;
    }
    total += bytes;
  }
  return total;
}
