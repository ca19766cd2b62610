/**
 * Query results of a store that other processes may be writing to. A version is the set of current batches; each query
 * runs once per version, however many requests need it. Sessions of an old version are closed after its last query. A
 * store that disappears is opened again by the next request.
 */
import { createHash } from "node:crypto";
import { UsageError } from "../base/errors.ts";
import type { Queryable } from "../model/index.ts";
import { type BatchInfo, Store, type StoreSession } from "../store/index.ts";
import { AnswerCache } from "./answer-cache.ts";

interface AnswersOptions {
  /** Memory limit of the database, over all sessions. */
  readonly memoryBytes: number;
  readonly threads?: number | undefined;
}

/** Concurrent sessions, so that a slow query does not hold up the quick ones. */
const SESSIONS = 2;
/** Estimated memory limit for the results of one version. */
const ANSWERS_BYTES_MAX = 64 * 2 ** 20;
const WAITING_MAX = 400;
/** How long a manifest read stays valid. */
const FRESH_MS = 250;

/** Too many requests are waiting. */
export class TooBusy extends Error {}

/** The store cannot be opened: missing or incomplete. */
export class StoreGone extends Error {}

export interface Answers {
  /** Changes with the store. */
  readonly id: string;
  readonly batches: readonly BatchInfo[];
  /** The result of the query with this name; runs it if it has not run yet. */
  answer<T>(name: string, ask: (db: Queryable) => Promise<T>): Promise<T>;
  /** The same for a shared part of several results, computed in the session of the first one that needs it. */
  part<T>(name: string, ask: () => Promise<T>): Promise<T>;
}

export class StoreAnswers {
  readonly #path: string;
  readonly #options: AnswersOptions;
  #store: Store | undefined;
  #version: Version | undefined;
  #looking: Promise<Version> | undefined;
  #lookedMs = Number.NEGATIVE_INFINITY;

  constructor(path: string, options: AnswersOptions) {
    this.#path = path;
    this.#options = options;
  }

  /** The current version. Throws if the store cannot be read. */
  current(): Promise<Answers> {
    this.#looking ??= this.#look().finally(() => {
      this.#looking = undefined;
    });
    return this.#looking;
  }

  async close(): Promise<void> {
    this.#version?.retire();
    await this.#store?.close();
  }

  async #look(): Promise<Version> {
    const now = performance.now();
    const isFresh = now - this.#lookedMs < FRESH_MS;
    if (this.#version !== undefined && isFresh && !this.#version.isStale) return this.#version;
    try {
      if (this.#store === undefined) this.#store = await this.#open();
      else this.#store.refresh();
    } catch (error) {
      this.#version?.retire();
      this.#version = undefined;
      this.#store = undefined;
      throw new StoreGone(error instanceof Error ? error.message : String(error), { cause: error });
    }
    this.#lookedMs = now;
    const batches = this.#store.batches();
    const id = idOf(batches);
    if (this.#version?.id === id && !this.#version.isStale) return this.#version;
    this.#version?.retire();
    this.#version = new Version(id, batches, this.#store);
    return this.#version;
  }

  #open(): Promise<Store> {
    const { memoryBytes, threads } = this.#options;
    return Store.open(this.#path, {
      memoryBytes: memoryBytes / SESSIONS,
      ...(threads === undefined ? {} : { threads }),
    });
  }
}

const idOf = (batches: readonly BatchInfo[]): string =>
  createHash("sha256")
    .update(batches.map(({ id }) => id).join("\n"))
    .digest("hex")
    .slice(0, 16);

class Version implements Answers {
  readonly id: string;
  readonly batches: readonly BatchInfo[];
  /** Its segments are gone, e.g. after a compaction: its sessions can no longer be queried. */
  isStale = false;
  readonly #store: Store;
  readonly #known = new AnswerCache(ANSWERS_BYTES_MAX);
  readonly #idle: StoreSession[] = [];
  readonly #waiting: (() => void)[] = [];
  #busy = 0;
  #isRetired = false;

  constructor(id: string, batches: readonly BatchInfo[], store: Store) {
    this.id = id;
    this.batches = batches;
    this.#store = store;
  }

  answer<T>(name: string, ask: (db: Queryable) => Promise<T>): Promise<T> {
    return this.part(name, () => this.#ask(ask));
  }

  part<T>(name: string, ask: () => Promise<T>): Promise<T> {
    return this.#known.answer(name, ask);
  }

  /** Takes no new queries; sessions are closed as they become idle. */
  retire(): void {
    this.#isRetired = true;
    for (const session of this.#idle.splice(0)) session.close();
  }

  async #ask<T>(ask: (db: Queryable) => Promise<T>): Promise<T> {
    if (this.#busy < SESSIONS) this.#busy++;
    else {
      if (this.#waiting.length >= WAITING_MAX)
        throw new TooBusy(`${WAITING_MAX} requests are waiting; try again in a moment`);
      // A finished query hands its session to the next one.
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    let session: StoreSession | undefined;
    try {
      session = this.#idle.pop() ?? (await this.#store.query({ batches: this.batches }));
      return await ask(session);
    } catch (error) {
      // A faulty query says nothing about the store.
      if (!(error instanceof UsageError)) this.isStale = true;
      throw error;
    } finally {
      if (session !== undefined && (this.#isRetired || this.isStale)) session.close();
      else if (session !== undefined) this.#idle.push(session);
      const next = this.#waiting.shift();
      if (next === undefined) this.#busy--;
      else next();
    }
  }
}
