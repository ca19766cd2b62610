/**
 * Pages as they were last made. Whoever opens a page that is being made again for a changed store soon gets the one before, which
 * says how old it is; whoever already looks at a page, and programs, wait for the new one. A page is made once at a time, however
 * many ask for it.
 */
import { setTimeout as delay } from "node:timers/promises";

interface MadePage {
  /** Of the version of the store, of the viewer and of the clock that it was made for. */
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
  /** Of a page that would be made now. */
  readonly tag: string;
  /** Whether the page before will do. */
  readonly mayBeOlder: boolean;
  make(): Promise<MadePage>;
}

interface KeptOptions {
  readonly bytesMax: number;
  /** How long whoever opens a page waits for the new one. */
  readonly patienceMs: number;
  /** A page that is older is of no use. */
  readonly oldestMs: number;
}

const USUAL: KeptOptions = { bytesMax: 64 * 2 ** 20, patienceMs: 300, oldestMs: 15 * 60_000 };

export class KeptPages {
  readonly #options: KeptOptions;
  /** The latest used last. */
  readonly #entries = new Map<string, Entry>();

  constructor(options: Partial<KeptOptions> = {}) {
    this.#options = { ...USUAL, ...options };
  }

  /** `ageMs`: since it was begun; undefined where nothing newer is to be had. */
  async page(request: PageRequest): Promise<MadePage & { readonly ageMs?: number }> {
    const askedMs = performance.now();
    for (;;) {
      const entry = this.#entryOf(request.key);
      const { done } = entry;
      // One that was begun after this question is of a store as new as the question.
      if (done !== undefined && (done.tag === request.tag || done.begunMs >= askedMs)) return done;
      entry.making ??= this.#make(entry, request);
      const { begunMs, page } = entry.making;
      if (done !== undefined && request.mayBeOlder && askedMs - done.begunMs <= this.#options.oldestMs) {
        const made = await soon(page, this.#options.patienceMs);
        if (made === undefined) return { ...done, ageMs: performance.now() - done.begunMs };
        return made;
      }
      if (begunMs >= askedMs) return page;
      // What others began before may be of the store before; what it fails of is theirs.
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

/** What a promise gives within some time; undefined: it takes longer, and goes on. */
async function soon<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  const clock = new AbortController();
  const late = delay(ms, undefined, { signal: clock.signal }).catch(() => undefined);
  // Whoever does not wait any more does not hear of its failure either.
  promise.catch(() => {});
  try {
    return await Promise.race([promise, late]);
  } finally {
    clock.abort();
  }
}
