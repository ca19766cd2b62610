/** Performs the operations of a point: our methods on some storage, or MPI-IO. */
import type { Communicator } from "../../launch/communicator.ts";
import type { NcioMethod } from "../../model/index.ts";
import type { RankAccess } from "../pattern/index.ts";
import { runOperation } from "../method/index.ts";
import type { Storage, StorageFile } from "../storage.ts";
import type { Measuring } from "./plan.ts";

export interface Performed {
  readonly syncSeconds: number;
  /** Undefined if a library hides them. */
  readonly requests: number | undefined;
  readonly messages: number | undefined;
  readonly movedBytes: number | undefined;
  readonly fallback?: string;
}

/** The repeated operation of a point. */
export interface Intent {
  readonly method: NcioMethod;
  readonly direction: "write" | "read";
  readonly access: RankAccess;
  readonly buffer: Uint8Array;
}

/** Its calls are collective, in the order create, prepare, perform as often as wanted, remove. */
export interface Performer {
  readonly keeps: boolean;
  /** Creates a new sparse file of the final size. */
  create(fileBytes: number): Promise<void>;
  /** The file, for filling it and for reading it back; contiguous requests only. */
  plain(): StorageFile;
  /** Preparation outside the measured time. */
  prepare(intent: Intent): Promise<void>;
  perform(): Promise<Performed>;
  /** Removes the file. */
  remove(): Promise<void>;
  close(): Promise<void>;
}

export class StoragePerformer implements Performer {
  readonly #communicator: Communicator;
  readonly #storage: Storage;
  readonly #path: string;
  readonly #measuring: Measuring;
  #file: StorageFile | undefined;
  #intent: Intent | undefined;

  constructor(communicator: Communicator, storage: Storage, path: string, measuring: Measuring) {
    this.#communicator = communicator;
    this.#storage = storage;
    this.#path = path;
    this.#measuring = measuring;
  }

  get keeps(): boolean {
    return this.#storage.keeps;
  }

  async create(): Promise<void> {
    const { rank } = this.#communicator;
    if (rank === 0) this.#file = await this.#storage.open(this.#path, "create");
    await this.#communicator.barrier();
    if (rank !== 0) this.#file = await this.#storage.open(this.#path, "write");
    await this.#communicator.barrier();
  }

  plain(): StorageFile {
    return this.#file as StorageFile;
  }

  async prepare(intent: Intent): Promise<void> {
    this.#intent = intent;
  }

  async perform(): Promise<Performed> {
    const before = this.#storage.counts();
    const result = await runOperation({
      ...(this.#intent as Intent),
      storage: this.#storage,
      file: this.plain(),
      communicator: this.#communicator,
      options: this.#measuring.method,
    });
    const after = this.#storage.counts();
    return {
      syncSeconds: result.syncNs / 1e9,
      requests: result.requests,
      messages: after.messages - before.messages,
      movedBytes: result.movedBytes,
      ...(result.fallback !== undefined && { fallback: result.fallback }),
    };
  }

  async remove(): Promise<void> {
    await this.#file?.close();
    this.#file = undefined;
    await this.#communicator.barrier();
    if (this.#communicator.rank === 0) await this.#storage.remove(this.#path);
    await this.#communicator.barrier();
  }

  async close(): Promise<void> {
    await this.#storage.close();
  }
}
