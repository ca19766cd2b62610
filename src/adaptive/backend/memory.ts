/** Files in the memory of this process, for tests. */
import { withRoom } from "../../base/room.ts";
import { type Backend, systemError, type TargetFile } from "./backend.ts";

interface MemoryFile {
  readonly id: string;
  bytes: Uint8Array;
  size: number;
}

/** Shared by all back ends of this kind in the process, as a file system is. */
export const memoryFiles = new Map<string, MemoryFile>();
let made = 0;

export function memory(): Backend {
  return {
    name: "memory",
    keeps: true,
    async create(path) {
      if (memoryFiles.has(path)) throw systemError("EEXIST", "open", path);
      const file = { id: String(++made), bytes: new Uint8Array(1024), size: 0 };
      memoryFiles.set(path, file);
      return fileOf(file);
    },
    async open(path) {
      const file = memoryFiles.get(path);
      if (file === undefined) throw systemError("ENOENT", "open", path);
      return fileOf(file);
    },
    identityOf: async (path) => memoryFiles.get(path)?.id,
  };
}

function fileOf(file: MemoryFile): TargetFile {
  return {
    async write(bytes, at) {
      const end = at + bytes.length;
      if (end > file.bytes.length) file.bytes = withRoom(file.bytes, Math.max(end, 2 * file.bytes.length));
      file.bytes.set(bytes, at);
      file.size = Math.max(file.size, end);
    },
    async read(into, at) {
      const part = file.bytes.subarray(at, Math.min(file.size, at + into.length));
      into.set(part);
      return part.length;
    },
    flush: async () => {},
    sync: async () => {},
    size: async () => file.size,
    identity: async () => file.id,
    truncate: async (size) => void (file.size = size),
    close: async () => {},
  };
}
