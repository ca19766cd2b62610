/** Files that descriptors stand for. */
import type { CallSink } from "../../model/index.ts";
import { Interner } from "../text/interner.ts";
import { unescaped } from "./cursor.ts";

/** Devices that hold data; everything else below /dev is a terminal, a null device, a source of chance. */
const DATA_DEVICES =
  /^\/dev\/(shm\/|mqueue\/|(sd|hd|vd|xvd|nvme|dm-|md|loop|ram|pmem|mmcblk|nbd|zd|sr)[a-z0-9]|mapper\/|disk\/)/;

/** True for pipes, sockets, terminals and other things without stored data. */
export function isNonfile(path: string): boolean {
  return path === ""
    ? false
    : path.startsWith("/")
      ? path.startsWith("/dev/") && !DATA_DEVICES.test(path)
      : SPECIAL.test(path);
}

/** `pipe:[12]`, `socket:[12]`, `TCP:[…]`, `anon_inode:[eventfd]`; a relative path has no `:[`. */
const SPECIAL = /^(pipe|socket|eventfd)$|^[A-Za-z0-9_-]+:\[/;

const SLASH = 47;

/** From one byte up to another. */
export interface ByteRange {
  readonly from: number;
  readonly to: number;
}

/** `/a/c` of `/a/./b/../c`. */
function withoutDots(path: string): string {
  const parts: string[] = [];
  for (const part of path.split("/"))
    if (part === "..") parts.pop();
    else if (part !== "." && part !== "") parts.push(part);
  return `/${parts.join("/")}`;
}

export class Files {
  readonly #sink: CallSink;
  readonly #raw = new Interner();
  /** Per raw name, the number of its file. */
  readonly #ids: number[] = [];
  readonly #byPath = new Map<string, number>();
  readonly #nonfile = new Set<number>();

  constructor(sink: CallSink) {
    this.#sink = sink;
  }

  /** The file of a name as strace prints it. */
  named(bytes: Uint8Array, from: number, to: number): number {
    const index = this.#raw.intern(bytes, from, to);
    this.#ids[index] ??= this.path(unescaped(bytes, from, to));
    return this.#ids[index] as number;
  }

  /** A relative name is below the directory whose name `-y` prints before it: `AT_FDCWD</dir>, "./a"`, `5</dir>, "a"`. */
  inFolder(bytes: Uint8Array, folder: ByteRange, name: ByteRange): number {
    const isBelow = bytes[folder.from] === SLASH && bytes[name.from] !== SLASH;
    if (!isBelow) return this.named(bytes, name.from, name.to);
    const path = `${unescaped(bytes, folder.from, folder.to)}/${unescaped(bytes, name.from, name.to)}`;
    return this.path(withoutDots(path));
  }

  path(path: string): number {
    let id = this.#byPath.get(path);
    if (id === undefined) {
      id = this.#sink.file({ path });
      this.#byPath.set(path, id);
      if (isNonfile(path)) this.#nonfile.add(id);
    }
    return id;
  }

  isNonfile(id: number): boolean {
    return this.#nonfile.has(id);
  }
}
