/** What the store knows, and whose turn it is to store counters and jobs. */
import { join } from "node:path";
import type { Listener } from "../base/listener.ts";
import type { Queryable } from "../model/index.ts";
import { type FolderLock, lockFolder } from "../node/folder-lock.ts";
import { LOCKS, type Store } from "../store/index.ts";
import { KnownHashes } from "./known.ts";
import type { Alone } from "./messages.ts";
import { storedCoverage } from "./system/coverage.ts";

/** Room for hashes of inputs that come in this ingest. */
const NEW_ENTRIES = 4_000_000;
/** Of these, as many as most ingests have. */
const FIRST_ENTRIES = 30_000;

interface Known {
  readonly stored: KnownHashes;
  readonly damaged: KnownHashes;
}

/** Room for the inputs that the store knows, and for those that come. */
export function roomForKnown(store: Store): Known {
  let entries = 0;
  for (const { tables } of store.batches()) for (const { rows } of tables.sources ?? []) entries += rows;
  return {
    stored: new KnownHashes({ entries: entries + NEW_ENTRIES, first: entries + FIRST_ENTRIES }),
    damaged: new KnownHashes({ entries: 100_000, first: 1000 }),
  };
}

export async function addStored(store: Store, known: Known): Promise<void> {
  const db = await store.query();
  try {
    await addKnown(db, known);
  } finally {
    db.close();
  }
}

async function addKnown(db: Queryable, { stored, damaged }: Known): Promise<void> {
  // Halves as doubles are exact; a 64-bit hash would not be.
  const sql = (status: string) =>
    `select (hash_high >> 32)::double as high, (hash_high & 4294967295)::double as low from sources where status ${status}`;
  for (const [set, status] of [
    [stored, "= 'stored'"],
    [damaged, "<> 'stored'"],
  ] as const) {
    const { high, low } = await db.columns(sql(status));
    for (let i = 0; i < (high?.length ?? 0); i++)
      set.add((BigInt(high?.[i] as number) << 32n) | BigInt(low?.[i] as number));
  }
}

/**
 * The turn of this ingest to store counters and jobs, which it takes when the first of them is met. What another ingest
 * stored until then is read again, or the same samples would be stored twice.
 */
export class Turn {
  readonly #listener: Listener;
  readonly #store: Store;
  readonly #known: Known;
  #taking: Promise<Alone> | undefined;
  #lock: FolderLock | undefined;

  constructor(store: Store, known: Known, listener: Listener) {
    this.#listener = listener;
    this.#store = store;
    this.#known = known;
  }

  take(): Promise<Alone> {
    this.#taking ??= this.#take();
    return this.#taking;
  }

  async #take(): Promise<Alone> {
    const { signal } = this.#listener;
    const onWait = (holder: string) =>
      this.#listener.note?.(`another ingest stores counters or jobs (${holder}); waiting until it has ended`);
    const folder = join(this.#store.path, LOCKS, "counters");
    this.#lock = await lockFolder(folder, "another ingest of counters and jobs", {
      ...(signal && { signal }),
      onWait,
    });
    const db = await this.#store.query();
    try {
      await addKnown(db, this.#known);
      return { lockFile: this.#lock.file, coverage: await storedCoverage(db) };
    } finally {
      db.close();
    }
  }

  end(): void {
    this.#lock?.release();
  }
}
