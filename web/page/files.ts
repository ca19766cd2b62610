/** Dropped files as the host that reading a job needs. Runs in a worker: only there a browser reads files synchronously. */
import { naturalOrder } from "../../src/base/order.ts";
import { bzip2Codec } from "../../src/base/bzip2/index.ts";
import { FormatError, LimitError } from "../../src/base/errors.ts";
import { bytesSource } from "../../src/base/source.ts";
import { hexText, Sha256 } from "../../src/base/sha256.ts";
import type { InputHost } from "../../src/inputs/job/index.ts";
import type { OpenOptions, OpenSource } from "../../src/inputs/log/index.ts";
import type { CallSink } from "../../src/model/index.ts";
import type { DroppedFile } from "./messages.ts";
import { readParquetTable } from "./parquet.ts";
import { gunzip, gzipStream, zlibCodec } from "./zlib.ts";

/** One read costs about a millisecond, so little files are read whole and others in large windows. */
const WINDOW_BYTES = 4 << 20;
/** Of a gzip file; enough to tell what is in it. */
const HEAD_BYTES = 1024;
/** Host 10 behind host 9, process 1000 behind 999: the order of the command. */
const byNumber = naturalOrder();
/** Checksum and length at the end of a gzip file. */
const TRAILER_BYTES = 8;

/** A file by slices; the last window stays. Windows are never overwritten, so bytes that were handed out stay as they are. */
class FileSource implements OpenSource {
  readonly name: string;
  readonly byteLength: number;
  readonly #file: Blob;
  readonly #onRead: (bytes: number) => void;
  #window = new Uint8Array(0);
  #windowAt = 0;
  /** Up to where bytes have been counted: those that are read twice count once. */
  #counted = 0;

  constructor(name: string, file: Blob, onRead: (bytes: number) => void) {
    this.name = name;
    this.byteLength = file.size;
    this.#file = file;
    this.#onRead = onRead;
  }

  read(offset: number, length: number): Uint8Array {
    const end = Math.min(offset + length, this.byteLength);
    if (end <= offset) return new Uint8Array(0);
    if (offset < this.#windowAt || end > this.#windowAt + this.#window.length) {
      this.#window = this.#slice(offset, Math.max(end, offset + WINDOW_BYTES));
      this.#windowAt = offset;
    }
    if (end > this.#counted) {
      this.#onRead(end - this.#counted);
      this.#counted = end;
    }
    return this.#window.subarray(offset - this.#windowAt, end - this.#windowAt);
  }

  close(): void {
    this.#window = new Uint8Array(0);
  }

  #slice(from: number, to: number): Uint8Array<ArrayBuffer> {
    try {
      return new Uint8Array(new FileReaderSync().readAsArrayBuffer(this.#file.slice(from, to)));
    } catch (cause) {
      throw new FormatError(
        this.name,
        { offset: from },
        "the browser can no longer read the file; it was moved or changed, so drop it again",
        { cause },
      );
    }
  }
}

interface FilesOptions {
  readonly memoryBytes: number;
  /** Told how many bytes were read. */
  onRead(bytes: number): void;
}

export class DroppedFiles implements InputHost {
  readonly codecs = { zlib: zlibCodec, bzip2: bzip2Codec };
  readonly #files: ReadonlyMap<string, Blob>;
  readonly #options: FilesOptions;
  readonly #folders = new Map<string, { files: string[]; folders: Set<string> }>();

  constructor(files: readonly { readonly path: string; readonly file: Blob }[], options: FilesOptions) {
    this.#files = new Map(files.map(({ path, file }) => [path, file]));
    this.#options = options;
    for (const path of this.#files.keys()) this.#place(path);
  }

  /** Into its folder, and that one into its own. */
  #place(path: string): void {
    for (let [entry, isFile] = [path, true]; entry.includes("/"); isFile = false) {
      const folder = entry.slice(0, entry.lastIndexOf("/"));
      const known = this.#folders.get(folder);
      const { files, folders } = known ?? { files: [], folders: new Set<string>() };
      if (known === undefined) this.#folders.set(folder, { files, folders });
      if (isFile) files.push(entry);
      else folders.add(entry);
      if (known !== undefined) return;
      entry = folder;
    }
  }

  /** Files that were dropped by themselves, and the folders. */
  get roots(): string[] {
    return [...new Set([...this.#files.keys()].map((path) => path.replace(/\/.*$/s, "")))];
  }

  get byteLength(): number {
    return [...this.#files.values()].reduce((sum, { size }) => sum + size, 0);
  }

  list(path: string): readonly string[] | undefined {
    if (this.#files.has(path)) return undefined;
    const { files, folders } = this.#entriesOf(path);
    if (files.length + folders.length === 0)
      throw Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" });
    return files.sort();
  }

  below(path: string): readonly string[] {
    return this.#entriesOf(path)
      .folders.sort(byNumber)
      .flatMap((folder) => this.#allIn(folder));
  }

  #allIn(folder: string): string[] {
    return [...this.#entriesOf(folder).files.sort(byNumber), ...this.below(folder)];
  }

  #entriesOf(folder: string): { files: string[]; folders: string[] } {
    const { files = [], folders = [] } = this.#folders.get(folder) ?? {};
    return { files: [...files], folders: [...folders] };
  }

  open(path: string, options: OpenOptions = {}): OpenSource {
    const { wanted = () => true, streams = () => false, allowCut = false } = options;
    const source = new FileSource(path, this.#blob(path), this.#options.onRead);
    const head = source.read(0, HEAD_BYTES);
    if (head[0] !== 0x1f || head[1] !== 0x8b) return source;
    const plainStart = plainHead(head);
    if (!wanted(plainStart)) return Object.assign(source, { inside: plainStart });
    if (streams(plainStart))
      return Object.assign(gzipStream(source, allowCut), { close: () => source.close() });
    const { memoryBytes } = this.#options;
    const plain = source.byteLength > memoryBytes ? undefined : unpacked(source, memoryBytes, allowCut);
    if (plain === undefined)
      throw new LimitError(
        path,
        {},
        `a gzip file with more than ${Math.round(memoryBytes / 2 ** 20)} MiB of data; gunzip it first`,
      );
    return { ...bytesSource(plain, path), close: () => {} };
  }

  textIn(folder: string, name: string): string | undefined {
    const file = this.#files.get(`${folder}/${name}`);
    return file === undefined ? undefined : new FileReaderSync().readAsText(file);
  }

  identity(path: string): string {
    return path;
  }

  isFile(path: string): boolean {
    return this.#files.has(path);
  }

  hash() {
    const hash = new Sha256();
    return { update: (bytes: Uint8Array) => hash.update(bytes), hex: () => hexText(hash.digest()) };
  }

  async readTable(path: string, sink: CallSink): Promise<void> {
    const source = this.open(path, { wanted: () => false });
    try {
      await readParquetTable(source, sink, this.#options.memoryBytes);
    } finally {
      source.close();
    }
  }

  #blob(path: string): Blob {
    const file = this.#files.get(path);
    if (file === undefined) throw Object.assign(new Error(`no such file: ${path}`), { code: "ENOENT" });
    return file;
  }
}

function unpacked(source: OpenSource, bytesMax: number, allowCut: boolean): Uint8Array | undefined {
  try {
    return gunzip(source.read(0, source.byteLength), { bytesMax, allowCut });
  } catch (cause) {
    throw new FormatError(source.name, {}, `damaged gzip file: ${(cause as Error).message}`, { cause });
  }
}

function plainHead(head: Uint8Array): Uint8Array {
  try {
    return (
      gunzip(head.subarray(0, -TRAILER_BYTES), { bytesMax: 64 << 20, allowCut: true }) ?? new Uint8Array(0)
    );
  } catch {
    return new Uint8Array(0);
  }
}

const EDGE_BYTES = 1 << 16;
const FINGERPRINT_DIGITS = 12;

/** Tells files apart in an address: sizes, first and last bytes. Names have no part in it. */
export function fingerprint(files: readonly DroppedFile[]): string {
  const hash = new Sha256();
  for (const { file } of files) {
    hash.update(new TextEncoder().encode(`${file.size} `));
    for (const piece of [file.slice(0, EDGE_BYTES), file.slice(Math.max(0, file.size - EDGE_BYTES))])
      hash.update(new Uint8Array(new FileReaderSync().readAsArrayBuffer(piece)));
  }
  return hexText(hash.digest()).slice(0, FINGERPRINT_DIGITS);
}
