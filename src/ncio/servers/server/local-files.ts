/** The files of one server: one local file for its strips of each file, in a separate folder. */
import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  lstatSync,
  openSync,
  readdirSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";
import { folderSynced, syncFolder } from "../../../node/durable.ts";
import { Refusal } from "../errors.ts";
import { OPEN_FILES_MAX } from "../limits.ts";
import { nameFault } from "../names.ts";
import { DirtyPages } from "./dirty-pages.ts";
import { OPEN_CREATE, OPEN_EMPTY, Status } from "../wire.ts";

export interface LocalFile {
  readonly name: string;
  readonly fd: number;
  handles: number;
  /** Created since the last sync of the folder. */
  fresh: boolean;
  /** Syncs in other threads: the descriptor must stay open until they end. */
  syncing: number;
  /** Written since the last sync. */
  readonly dirty: DirtyPages;
}

/** Follows no links, and never blocks. */
const OPEN_MODE = constants.O_RDWR | constants.O_NOFOLLOW | constants.O_NONBLOCK;

export class LocalFiles {
  readonly #folder: string;
  readonly #byName = new Map<string, LocalFile>();
  #openFds = 0;
  /** Syncs with dirty pages, and number of 4 KiB pages written. */
  flushes = 0;
  flushedPages = 0;

  constructor(folder: string) {
    this.#folder = folder;
  }

  get openCount(): number {
    return this.#openFds;
  }

  open(name: string, flags: number): LocalFile {
    const path = this.#path(name);
    let file = this.#byName.get(name);
    if (file === undefined) {
      if (this.#openFds >= OPEN_FILES_MAX)
        throw new Refusal(Status.tooMany, `more than ${OPEN_FILES_MAX} files are open on this server`);
      file = openLocal(path, name, (flags & OPEN_CREATE) !== 0);
      this.#openFds++;
      this.#byName.set(name, file);
    }
    file.handles++;
    try {
      if ((flags & OPEN_EMPTY) !== 0) ftruncateSync(file.fd, 0);
    } catch (error) {
      this.close(file);
      throw error;
    }
    return file;
  }

  close(file: LocalFile): void {
    file.handles--;
    this.#closeWhenIdle(file);
  }

  /** Local bytes. */
  size(name: string): number {
    const path = this.#path(name);
    const open = this.#byName.get(name);
    if (open !== undefined) return fstatSync(open.fd).size;
    const found = lstatSync(path, { throwIfNoEntry: false });
    if (found === undefined || !found.isFile()) throw noSuch(name);
    return found.size;
  }

  truncate(file: LocalFile, bytes: number): void {
    ftruncateSync(file.fd, bytes);
  }

  /** Clients that have it open keep it; the name is free at once. */
  remove(name: string): void {
    const path = this.#path(name);
    try {
      unlinkSync(path);
    } catch (error) {
      throw codeOf(error) === "ENOENT" || codeOf(error) === "EISDIR" ? noSuch(name) : error;
    }
    this.#byName.delete(name);
  }

  /** Syncs data, and the folder of a new file, before anything else. */
  syncNow(file: LocalFile): void {
    this.#countPages(file);
    fdatasyncSync(file.fd);
    if (!file.fresh) return;
    syncFolder(this.#folder);
    file.fresh = false;
  }

  #countPages(file: LocalFile): void {
    const pages = file.dirty.take();
    if (pages > 0) this.flushes++;
    this.flushedPages += pages;
  }

  /** Syncs data, and the folder of a new file, while other requests are served. */
  sync(file: LocalFile, done: (error: Error | null) => void): void {
    this.#countPages(file);
    file.syncing++;
    const end = (error: Error | null): void => {
      this.release(file);
      done(error);
    };
    fdatasync(file.fd, (error) => {
      if (error !== null || !file.fresh) end(error);
      else {
        file.fresh = false;
        folderSynced(this.#folder).then(() => end(null), end);
      }
    });
  }

  /** Releases a descriptor held for a sync. */
  release(file: LocalFile): void {
    file.syncing--;
    this.#closeWhenIdle(file);
  }

  /** Number and bytes of all files. */
  totals(): { files: number; bytes: number } {
    let files = 0;
    let bytes = 0;
    for (const name of readdirSync(this.#folder)) {
      const found = lstatSync(join(this.#folder, name), { throwIfNoEntry: false });
      if (found === undefined || !found.isFile()) continue;
      files++;
      bytes += found.size;
    }
    return { files, bytes };
  }

  #path(name: string): string {
    const fault = nameFault(name);
    if (fault !== undefined) throw new Refusal(Status.badName, fault);
    return join(this.#folder, name);
  }

  #closeWhenIdle(file: LocalFile): void {
    if (file.handles > 0 || file.syncing > 0) return;
    if (this.#byName.get(file.name) === file) this.#byName.delete(file.name);
    closeSync(file.fd);
    this.#openFds--;
  }
}

function openLocal(path: string, name: string, create: boolean): LocalFile {
  let fd: number;
  let fresh = false;
  try {
    fd = openSync(path, OPEN_MODE);
  } catch (error) {
    if (codeOf(error) === "ELOOP") throw new Refusal(Status.badName, `${name}: is a symbolic link`);
    if (codeOf(error) === "EISDIR" || codeOf(error) === "ENXIO") throw notAFile(name);
    if (codeOf(error) !== "ENOENT") throw error;
    if (!create) throw noSuch(name);
    fd = openSync(path, OPEN_MODE | constants.O_CREAT, 0o600);
    fresh = true;
  }
  if (!fstatSync(fd).isFile()) {
    closeSync(fd);
    throw notAFile(name);
  }
  return { name, fd, handles: 0, fresh, syncing: 0, dirty: new DirtyPages() };
}

const noSuch = (name: string): Refusal => new Refusal(Status.noSuchFile, `${name}: no such file`);
const notAFile = (name: string): Refusal => new Refusal(Status.badName, `${name}: is not a plain file`);
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error ? (error as NodeJS.ErrnoException).code : undefined;
