/** Responses that clients have not taken: how many bytes all of them hold, and who waits for whom. */
import { type Patience, RESPONSE_BYTES, WAITING_ALL_BYTES_MAX } from "../limits.ts";

export interface Client {
  /** Bytes that its responses hold. */
  readonly waitingBytes: number;
  /** Looks after it; ends it when it has done nothing at this many looks in a row. */
  endIfStalled(looks: number): void;
  /** Looks whether there is room for its requests now; if not, it asks to be called again. */
  goOn(): void;
}

const WAKE_MS = 20;

export class Waiting {
  readonly #clients: ReadonlySet<Client>;
  readonly #patience: Patience;
  readonly #blocked = new Set<Client>();
  /** At least what is held; counted again when that seems too much. */
  #bytes = 0;
  #wake: NodeJS.Timeout | undefined;
  #look: NodeJS.Timeout | undefined;

  constructor(clients: ReadonlySet<Client>, patience: Patience) {
    this.#clients = clients;
    this.#patience = patience;
  }

  /** A response was given to the system to send. */
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
    for (const client of blocked) client.goOn();
    if (this.#blocked.size > 0) return;
    clearInterval(this.#wake);
    this.#wake = undefined;
  }

  forget(client: Client): void {
    this.#blocked.delete(client);
  }

  /** Looks after clients that stall, until `stop`. */
  start(): void {
    const { stalledMs, blockingMs, lookMs } = this.#patience;
    this.#look = setInterval(() => {
      // Looks are counted, not time: a server that did not get to run has not waited for anybody.
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
