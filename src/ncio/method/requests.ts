/** Makes the requests of a method: counts them, and reports start and end of each to a listener. */
import type { Datatype } from "../pattern/index.ts";
import type { Done, FilePieces, FileRegions, StorageFile } from "../storage.ts";
import type { OnRequests } from "./method.ts";

export type Direction = "read" | "write";

export class Requests {
  requests = 0;
  movedBytes = 0;
  readonly #file: StorageFile;
  readonly #clock: () => number;
  readonly #tell: OnRequests | undefined;

  constructor(file: StorageFile, clock: () => number, tell: OnRequests | undefined) {
    this.#file = file;
    this.#clock = clock;
    this.#tell = tell;
  }

  get hasLists(): boolean {
    return this.#file.writeList !== undefined && this.#file.readList !== undefined;
  }

  get hasTypes(): boolean {
    return this.#file.writeType !== undefined && this.#file.readType !== undefined;
  }

  get canGather(): boolean {
    return this.#file.writeGathered !== undefined;
  }

  contiguous(direction: Direction, at: number, bytes: Uint8Array, asked = bytes.length): Done {
    const start = this.#start();
    const file = this.#file;
    const done = direction === "write" ? file.write(at, bytes) : file.read(at, bytes);
    return this.#note(done, direction, start, asked, bytes.length, 1);
  }

  /** One request for each region. */
  each(direction: Direction, regions: FileRegions, memory: Uint8Array): Done {
    const file = this.#file;
    const call = direction === "write" ? file.writeEach : file.readEach;
    if (call === undefined) return this.#oneByOne(direction, regions, memory);
    const start = this.#start();
    const done = call.call(file, regions, memory);
    let bytes = 0;
    for (let i = 0; i < regions.count; i++) bytes += regions.lengths[i] as number;
    return this.#note(done, direction, start, bytes, bytes, regions.count);
  }

  gathered(at: number, buffers: readonly Uint8Array[], bytes: number): Done {
    const start = this.#start();
    return this.#note(this.#file.writeGathered?.(at, buffers), "write", start, bytes, bytes, 1);
  }

  list(direction: Direction, pieces: FilePieces, data: Uint8Array): Done {
    const start = this.#start();
    const file = this.#file;
    const done = direction === "write" ? file.writeList?.(pieces, data) : file.readList?.(pieces, data);
    return this.#note(done, direction, start, data.length, data.length, 1);
  }

  type(direction: Direction, at: number, type: Datatype, skip: number, data: Uint8Array): Done {
    const start = this.#start();
    const file = this.#file;
    const done =
      direction === "write" ? file.writeType?.(at, type, skip, data) : file.readType?.(at, type, skip, data);
    return this.#note(done, direction, start, data.length, data.length, 1);
  }

  sync(): Done {
    return this.#file.sync();
  }

  async #oneByOne(direction: Direction, regions: FileRegions, memory: Uint8Array): Promise<void> {
    for (let i = 0; i < regions.count; i++) {
      const at = regions.memory[i] as number;
      const bytes = memory.subarray(at, at + (regions.lengths[i] as number));
      const done = this.contiguous(direction, regions.file[i] as number, bytes);
      if (done !== undefined) await done;
    }
  }

  #start(): number {
    return this.#tell === undefined ? 0 : this.#clock();
  }

  #note(done: Done, kind: Direction, start: number, asked: number, moved: number, requests: number): Done {
    this.requests += requests;
    this.movedBytes += moved;
    if (this.#tell === undefined) return done;
    if (done !== undefined)
      return done.then(() => this.#tell?.(kind, start, this.#clock(), asked, moved, requests));
    this.#tell(kind, start, this.#clock(), asked, moved, requests);
    return undefined;
  }
}
