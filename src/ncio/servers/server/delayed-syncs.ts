/**
 * Syncs that wait until nobody works on their file: each waits for a moment without a request for it, then one call serves all that
 * wait. A file that is never left alone is synced after a bound, so that no client waits for ever.
 */
import type { LocalFile, LocalFiles } from "./local-files.ts";

/** Clients that are about to send their next request do so sooner. */
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
      // The descriptor must live until the sync is done, whoever closes the file.
      file.syncing++;
      const timer = setTimeout(() => this.#run(file), QUIET_MS);
      this.#waiting.set(file, { done: [done], sinceMs: performance.now(), timer });
    }
  }

  /** A request for the file: whoever waits for its sync waits on. */
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
