/**
 * Syncs delayed until their file is idle: after a moment without a request one call serves all waiting clients. A file that is
 * never idle is synced after a time limit, so that no client waits forever.
 */
import type { LocalFile, LocalFiles } from "./local-files.ts";

/** Longer than the gap between requests of an active client. */
const QUIET_MS = 4;
const WAIT_MS_MAX = 1000;

type Done = (error: Error | null) => void;

interface Waiting {
  readonly done: Done[];
  readonly sinceMs: number;
  timer: NodeJS.Timeout;
}

export class DelayedSyncs {
  readonly #files: LocalFiles;
  readonly #waiting = new Map<LocalFile, Waiting>();

  constructor(files: LocalFiles) {
    this.#files = files;
  }

  add(file: LocalFile, done: Done): void {
    const found = this.#waiting.get(file);
    if (found !== undefined) found.done.push(done);
    else {
      // The descriptor must stay open until the sync is done, even if clients close the file.
      file.syncing++;
      const timer = setTimeout(() => this.#run(file), QUIET_MS);
      this.#waiting.set(file, { done: [done], sinceMs: performance.now(), timer });
    }
  }

  /** A request for the file: waiting syncs keep waiting. */
  touched(file: LocalFile): void {
    const found = this.#waiting.get(file);
    if (found === undefined || performance.now() - found.sinceMs > WAIT_MS_MAX) return;
    clearTimeout(found.timer);
    found.timer = setTimeout(() => this.#run(file), QUIET_MS);
  }

  #run(file: LocalFile): void {
    const found = this.#waiting.get(file) as Waiting;
    this.#waiting.delete(file);
    this.#files.sync(file, (error) => {
      this.#files.release(file);
      for (const done of found.done) done(error);
    });
  }
}
