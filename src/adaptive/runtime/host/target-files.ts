/** Open files of a process on targets. */
import { assert } from "../../../base/assert.ts";
import type { Backend, TargetFile } from "../../backend/index.ts";
import type { FileId } from "../../protocol/index.ts";
import { FlushingFile } from "../piece/flushing.ts";

export class TargetFiles {
  readonly #backend: Backend;
  readonly #place: (file: FileId) => { path: string; target: number };
  readonly #windowBytes: number;
  readonly #open = new Map<FileId, Promise<FlushingFile>>();

  /** `windowBytes`: max cached bytes per file. */
  constructor(
    backend: Backend,
    windowBytes: number,
    place: (file: FileId) => { path: string; target: number },
  ) {
    this.#backend = backend;
    this.#windowBytes = windowBytes;
    this.#place = place;
  }

  create(file: FileId): Promise<FlushingFile> {
    assert(!this.#open.has(file), "a file is created once");
    const { path, target } = this.#place(file);
    return this.#keep(file, this.#backend.create(path, target));
  }

  get(file: FileId): Promise<FlushingFile> {
    const { path, target } = this.#place(file);
    return this.#open.get(file) ?? this.#keep(file, this.#backend.open(path, target));
  }

  async close(): Promise<void> {
    for (const one of this.#open.values()) await one.then(({ file }) => file.close()).catch(() => {});
    this.#open.clear();
  }

  #keep(file: FileId, opening: Promise<TargetFile>): Promise<FlushingFile> {
    const opened = opening.then(
      async (one) => new FlushingFile(one, await one.identity(), this.#windowBytes),
    );
    opened.catch(() => {});
    this.#open.set(file, opened);
    return opened;
  }
}
