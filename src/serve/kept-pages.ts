/**
 * Cache of pages. A browser that opens a page while the store has changed soon gets the previous version, marked with
 * its age; open pages and programs wait for the new one. Concurrent requests for a page share one computation.
 */
import { setTimeout as delay } from "node:timers/promises";

interface MadePage {
  /** Store version, viewer and clock of the page. */
  readonly tag: string;
  readonly body: Buffer;
}

interface Kept extends MadePage {
  readonly begunMs: number;
}

interface Entry {
  done?: Kept;
  making?: { readonly begunMs: number; readonly page: Promise<Kept> };
}

interface PageRequest {
  /** Address and viewer. */
  readonly key: string;
  /** Tag of a page computed now. */
  readonly tag: string;
  /** Whether the previous version will do. */
  readonly mayBeOlder: boolean;
  make(): Promise<MadePage>;
}

interface KeptOptions {
  readonly bytesMax: number;
  /** How long a browser that opens a page waits for the new version. */
  readonly patienceMs: number;
  /** Oldest version to serve. */
  readonly oldestMs: number;
}

const USUAL: KeptOptions = { bytesMax: 64 * 2 ** 20, patienceMs: 300, oldestMs: 15 * 60_000 };

export class KeptPages {
  readonly #options: KeptOptions;
  /** In order of use. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: Partial<KeptOptions> = {}) {
    this.#options = { ...USUAL, ...options };
  }

  /** `ageMs`: time since the computation began; undefined if the page is current. */
  async page(request: PageRequest): Promise<MadePage & { readonly ageMs?: number }> {
    const askedMs = performance.now();
    for (;;) {
      const entry = this.#entryOf(request.key);
      const { done } = entry;
      // A page begun after this request is as new as the request.
      if (done !== undefined && (done.tag === request.tag || done.begunMs >= askedMs)) return done;
      entry.making ??= this.#make(entry, request);
      const { begunMs, page } = entry.making;
      if (done !== undefined && request.mayBeOlder && askedMs - done.begunMs <= this.#options.oldestMs) {
        const made = await soon(page, this.#options.patienceMs);
        if (made === undefined) return { ...done, ageMs: performance.now() - done.begunMs };
        return made;
      }
      if (begunMs >= askedMs) return page;
      // A page begun by an earlier request may be of the previous version; its errors belong to that request.
      await page.catch(() => {});
    }
  }

  #entryOf(key: string): Entry {
    const entry = this.#entries.get(key) ?? {};
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    return entry;
  }

  #make(entry: Entry, { make }: PageRequest): Exclude<Entry["making"], undefined> {
    const begunMs = performance.now();
    const page = make()
      .then((made) => {
        entry.done = { ...made, begunMs };
        return entry.done;
      })
      .finally(() => {
        delete entry.making;
        this.#forget();
      });
    return { begunMs, page };
  }

  #forget(): void {
    let bytes = 0;
    for (const { done } of this.#entries.values()) bytes += done?.body.length ?? 0;
    for (const [key, { done, making }] of this.#entries) {
      const isEmpty = done === undefined && making === undefined;
      if (!isEmpty && (bytes <= this.#options.bytesMax || making !== undefined)) continue;
      this.#entries.delete(key);
      bytes -= done?.body.length ?? 0;
    }
  }
}

/** The result of a promise within a time limit; undefined: not yet, and it continues. */
async function soon<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const clock = new AbortController();
  const late = delay(ms, undefined, { signal: clock.signal }).catch(() => undefined);
  // After the time limit, a failure is ignored.
  promise.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    clock.abort();
  }
}
