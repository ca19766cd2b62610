/** Pending calls of a client, each of one or more messages to servers. */

/** One call: done when all its messages are answered. */
export class Call {
  readonly promise: Promise<void>;
  #resolve!: () => void;
  #reject!: (error: Error) => void;
  #left: number;
  #error: Error | undefined;

  constructor(messages: number) {
    this.#left = messages;
    this.promise = new Promise<void>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  answered(): void {
    if (--this.#left === 0) this.#end();
  }

  /** The first error is reported once the caller's memory is no longer in use. */
  failed(error: Error): void {
    this.#error ??= error;
    if (--this.#left === 0) this.#end();
  }

  #end(): void {
    if (this.#error === undefined) this.#resolve();
    else this.#reject(this.#error);
  }
}

/** One message in flight to a server. */
export interface Message {
  readonly call: Waiter;
  /** Returned to the pool with the answer: it has been sent by then. */
  readonly frame: Buffer | undefined;
  /** Bytes that the answer must confirm (write) or hold (read). */
  readonly bytes: number;
  /** Where the data of a read goes. */
  readonly into: Uint8Array | undefined;
  readonly intoAt: number;
  /** When it was sent, in ticks of the link. */
  tick: number;
  readonly ticksMax: number;
}

/** Receiver of an answer. */
export interface Waiter {
  answered(value: number, body: Buffer | undefined): void;
  failed(error: Error): void;
}
