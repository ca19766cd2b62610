/** Responses not yet taken by clients: their total bytes, and blocked clients. */
import { type Patience, RESPONSE_BYTES, WAITING_ALL_BYTES_MAX } from "../limits.ts";

export interface Client {
  /** Bytes of its pending responses. */
  readonly waitingBytes: number;
  /** Checks the client; ends it after this many checks without progress. */
  endIfStalled(looks: number): void;
  /** Continues if there is room for its requests; if not, asks to be called again. */
  proceed(): void;
}

const WAKE_MS = 20;

export class Waiting {
  readonly #clients: ReadonlySet<Client>;
  readonly #patience: Patience;
  readonly #blocked = new Set<Client>();
  /** Upper bound of pending bytes; recounted when too high. */
  #bytes = 0;
  #wake: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;

  constructor(clients: ReadonlySet<Client>, patience: Patience) {
    this.#clients = clients;
    this.#patience = patience;
  }

  /** Adds a response passed to the system. */
  add(bytes: number): void {
    this.#bytes += bytes + RESPONSE_BYTES;
  }

  hasRoom(): boolean {
    if (this.#bytes <= WAITING_ALL_BYTES_MAX) return true;
    this.#bytes = 0;
    for (const client of this.#clients) this.#bytes += client.waitingBytes;
    return this.#bytes <= WAITING_ALL_BYTES_MAX;
  }

  /** Calls the client again soon. */
  block(client: Client): void {
    this.#blocked.add(client);
    this.#wake ??= setInterval(() => this.#wakeAll(), WAKE_MS);
  }

  #wakeAll(): void {
    const blocked = [...this.#blocked];
    this.#blocked.clear();
    for (const client of blocked) client.proceed();
    if (this.#blocked.size > 0) return;
    clearInterval(this.#wake);
    this.#wake = undefined;
  }

  forget(client: Client): void {
    this.#blocked.delete(client);
  }

  /** Checks for stalled clients until `stop`. */
  start(): void {
    const { stalledMs, blockingMs, lookMs } = this.#patience;
    this.#look = setInterval(() => {
      // Counts checks, not time: a server without CPU time has not waited for any client.
      const limitMs = this.#blocked.size > 0 ? blockingMs : stalledMs;
      for (const client of this.#clients) client.endIfStalled(Math.ceil(limitMs / lookMs));
    }, lookMs);
    this.#look.unref();
  }

  stop(): void {
    clearInterval(this.#look);
    clearInterval(this.#wake);
    this.#wake = undefined;
  }
}
