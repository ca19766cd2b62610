/** Files in the memory of this process, shared by all users of the same storage object. Holes take no memory. */
import { systemError } from "../../base/errors.ts";
import { type Datatype, PieceCursor, pieceBlock } from "../pattern/index.ts";
import type { FilePieces, Storage, StorageFile } from "../storage.ts";
import { Counter } from "./counter.ts";
import { type RequestKinds, typedStorage } from "./kinds.ts";

const PAGE_BYTES = 65536;

interface MemoryOptions extends RequestKinds {
  /** Memory limit of all files; beyond it writes fail as on a full disk. */
  readonly bytesMax?: number;
}

type Room = { left: number };

export function memoryStorage(options: MemoryOptions = {}): Storage {
  const counter = new Counter();
  const files = new Map<string, Pages>();
  const room: Room = { left: options.bytesMax ?? Number.POSITIVE_INFINITY };
  return {
    ...typedStorage("memory", options),
    keeps: true,
    async open(path, mode) {
      let pages = files.get(path);
      if (mode === "create") pages?.clear();
      if (pages === undefined) {
        if (mode === "read") throw systemError("ENOENT", "open", path);
        files.set(path, (pages = new Pages(path, room)));
      }
      return fileOf(pages, counter, options);
    },
    counts: () => counter.counts(),
    async remove(path) {
      files.get(path)?.clear();
      files.delete(path);
    },
    async close() {
      files.clear();
    },
  };
}

function fileOf(pages: Pages, counter: Counter, kinds: RequestKinds): StorageFile {
  const pieces = (
    { count, offsets, lengths }: FilePieces,
    data: Uint8Array,
    at: number,
    writing: boolean,
  ): number => {
    let next = at;
    for (let i = 0; i < count; i++) {
      const length = lengths[i] as number;
      pages.move(offsets[i] as number, data, next, length, writing);
      next += length;
    }
    return next;
  };
  const whole = (at: number, bytes: Uint8Array, writing: boolean): undefined => {
    pages.move(at, bytes, 0, bytes.length, writing);
    counter.add(1, bytes.length);
  };
  const listed = (list: FilePieces, data: Uint8Array, writing: boolean): undefined => {
    pieces(list, data, 0, writing);
    counter.add(1, data.length);
  };
  const typed = (
    start: number,
    type: Datatype,
    skip: number,
    data: Uint8Array,
    writing: boolean,
  ): undefined => {
    const block = pieceBlock(1024);
    const cursor = new PieceCursor(type, { start, from: skip, to: skip + data.length });
    for (let at = 0; cursor.next(block) > 0; ) at = pieces(block, data, at, writing);
    counter.add(1, data.length);
  };
  return {
    write: (at, bytes) => whole(at, bytes, true),
    read: (at, into) => whole(at, into, false),
    ...(kinds.listMax !== undefined && {
      writeList: (list: FilePieces, data: Uint8Array) => listed(list, data, true),
      readList: (list: FilePieces, into: Uint8Array) => listed(list, into, false),
    }),
    ...(kinds.types === true && {
      writeType: (start: number, type: Datatype, skip: number, data: Uint8Array) =>
        typed(start, type, skip, data, true),
      readType: (start: number, type: Datatype, skip: number, into: Uint8Array) =>
        typed(start, type, skip, into, false),
    }),
    sync: () => undefined,
    close: () => undefined,
  };
}

/** A file in pages allocated at their first write. */
class Pages {
  readonly #pages = new Map<number, Uint8Array>();
  readonly #path: string;
  readonly #room: Room;

  constructor(path: string, room: Room) {
    this.#path = path;
    this.#room = room;
  }

  clear(): void {
    this.#room.left += this.#pages.size * PAGE_BYTES;
    this.#pages.clear();
  }

  move(at: number, data: Uint8Array, from: number, length: number, writing: boolean): void {
    for (let done = 0; done < length; ) {
      const inside = (at + done) % PAGE_BYTES;
      const part = Math.min(length - done, PAGE_BYTES - inside);
      const index = (at + done - inside) / PAGE_BYTES;
      const bytes = data.subarray(from + done, from + done + part);
      const page = writing ? this.#page(index) : this.#pages.get(index);
      if (page === undefined) bytes.fill(0);
      else if (writing) page.set(bytes, inside);
      else bytes.set(page.subarray(inside, inside + part));
      done += part;
    }
  }

  #page(index: number): Uint8Array {
    let page = this.#pages.get(index);
    if (page === undefined) {
      if (this.#room.left < PAGE_BYTES) throw systemError("ENOSPC", "write", this.#path);
      this.#room.left -= PAGE_BYTES;
      this.#pages.set(index, (page = new Uint8Array(PAGE_BYTES)));
    }
    return page;
  }
}
