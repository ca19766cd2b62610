/** A file as a byte source. Small files are read in one go; of large ones a window at a time. */
import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { FormatError } from "../base/errors.ts";
import { type ByteSource, HEAD_BYTES } from "../base/source.ts";
import { type FileState, sameState, stateOf } from "./file-state.ts";
import { fsPath } from "./raw-path.ts";

const WHOLE_BYTES_MAX = 4 << 20;
/** Small files share this buffer, so at most one source at a time may live in it. */
const SHARED = Buffer.allocUnsafeSlow(64 << 10);
let sharedIsFree = true;

export interface FileSource extends ByteSource {
  /** When it was opened; undefined when it has none, as a pipe. */
  readonly state: FileState | undefined;
  /** Whether it has become another one since; until it is closed. */
  hasChanged(): boolean;
  /** Where a packed file stops before its end, in words; known once that was read. */
  readonly cut?: string | undefined;
  close(): void;
}

/** `wholeBytesMax`: files up to this size are held in memory once more than their beginning is asked for. */
export function openFile(path: string, wholeBytesMax = WHOLE_BYTES_MAX): FileSource {
  const descriptor = openSync(fsPath(path), "r");
  try {
    const stat = fstatSync(descriptor);
    const file = new OpenFile(descriptor, stateOf(stat));
    // Files of /proc say that they are empty; reading tells.
    if (file.state === undefined) return new BufferedSource(path, readPipe(descriptor, path), file);
    if (stat.size <= SHARED.length) return new BufferedSource(path, readWhole(descriptor, stat.size), file);
    const windows = new WindowSource(path, stat.size, file);
    return stat.size <= wholeBytesMax ? new WholeSource(windows) : windows;
  } catch (error) {
    closeSync(descriptor);
    // Reading by descriptor does not know the name; the message must.
    if (error instanceof Error && "syscall" in error) throw Object.assign(error, { path });
    throw error;
  }
}

/** Runs `use` on the file and closes it afterwards. */
export function withFile<T>(path: string, use: (source: FileSource) => T): T {
  const source = openFile(path);
  try {
    return use(source);
  } finally {
    source.close();
  }
}

function readWhole(descriptor: number, size: number): Buffer {
  let buffer: Buffer;
  if (sharedIsFree && size <= SHARED.length) {
    buffer = SHARED;
    sharedIsFree = false;
  } else {
    buffer = Buffer.allocUnsafeSlow(size);
  }
  let filled = 0;
  while (filled < size) {
    const count = readSync(descriptor, buffer, filled, size - filled, filled);
    if (count === 0) break;
    filled += count;
  }
  return buffer.subarray(0, filled);
}

/** A pipe or a device has no size; it is held in memory, up to a bound. */
function readPipe(descriptor: number, path: string): Buffer {
  const bound = 1 << 30;
  const pieces: Buffer[] = [];
  let total = 0;
  for (;;) {
    const piece = Buffer.allocUnsafe(1 << 16);
    const count = readSync(descriptor, piece, 0, piece.length, null);
    if (count === 0) return Buffer.concat(pieces);
    pieces.push(piece.subarray(0, count));
    total += count;
    if (total > bound)
      throw new FormatError(
        path,
        { offset: bound },
        "more than 1 GiB from a pipe; save the input to a file first",
      );
  }
}

/** A descriptor, and how its file was when it was opened. */
class OpenFile {
  readonly descriptor: number;
  readonly state: FileState | undefined;
  #isOpen = true;

  constructor(descriptor: number, state: FileState | undefined) {
    this.descriptor = descriptor;
    this.state = state;
  }

  hasChanged(): boolean {
    return this.state !== undefined && !sameState(this.state, stateOf(fstatSync(this.descriptor)));
  }

  /** True the first time. */
  close(): boolean {
    if (!this.#isOpen) return false;
    closeSync(this.descriptor);
    this.#isOpen = false;
    return true;
  }
}

class BufferedSource implements FileSource {
  readonly name: string;
  readonly byteLength: number;
  readonly #file: OpenFile;
  #bytes: Buffer;

  constructor(name: string, bytes: Buffer, file: OpenFile) {
    this.name = name;
    this.byteLength = bytes.length;
    this.#bytes = bytes;
    this.#file = file;
  }

  get state(): FileState | undefined {
    return this.#file.state;
  }

  hasChanged(): boolean {
    return this.#file.hasChanged();
  }

  read(offset: number, length: number): Uint8Array {
    return this.#bytes.subarray(offset, offset + length);
  }

  close(): void {
    if (!this.#file.close()) return;
    if (this.#bytes.buffer === SHARED.buffer) sharedIsFree = true;
    this.#bytes = Buffer.alloc(0);
  }
}

/** What a file is can be told from its beginning; only what is read on is worth the memory for all of it. */
class WholeSource implements FileSource {
  readonly #file: WindowSource;
  #bytes: Uint8Array | undefined;

  constructor(file: WindowSource) {
    this.#file = file;
  }

  get name(): string {
    return this.#file.name;
  }

  get byteLength(): number {
    return this.#bytes?.length ?? this.#file.byteLength;
  }

  get state(): FileState | undefined {
    return this.#file.state;
  }

  hasChanged(): boolean {
    return this.#file.hasChanged();
  }

  read(offset: number, length: number): Uint8Array {
    if (this.#bytes === undefined) {
      if (offset + length <= HEAD_BYTES) return this.#file.read(offset, length);
      this.#bytes = this.#file.read(0, this.#file.byteLength);
    }
    return this.#bytes.subarray(offset, offset + length);
  }

  close(): void {
    this.#file.close();
    this.#bytes = undefined;
  }
}

class WindowSource implements FileSource {
  readonly name: string;
  readonly byteLength: number;
  readonly #file: OpenFile;

  constructor(name: string, byteLength: number, file: OpenFile) {
    this.name = name;
    this.byteLength = byteLength;
    this.#file = file;
  }

  get state(): FileState | undefined {
    return this.#file.state;
  }

  hasChanged(): boolean {
    return this.#file.hasChanged();
  }

  read(offset: number, length: number, reuse?: Uint8Array): Uint8Array {
    const wanted = Math.max(0, Math.min(length, this.byteLength - offset));
    const window = reuse !== undefined && reuse.length >= wanted ? reuse : Buffer.allocUnsafeSlow(wanted);
    let filled = 0;
    while (filled < wanted) {
      const count = readSync(this.#file.descriptor, window, filled, wanted - filled, offset + filled);
      if (count === 0) break;
      filled += count;
    }
    return window.subarray(0, filled);
  }

  close(): void {
    this.#file.close();
  }
}
