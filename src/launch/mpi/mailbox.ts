/**
 * Messages from any rank. While a receive waits, MPI is polled in every turn of the event loop for a
 * millisecond after the last message, then once a millisecond: a message after a pause is seen about half a
 * millisecond late, and waiting costs 1 to 2 % of a core.
 *
 * A message that is longer than one MPI call takes is announced by its length and follows in chunks.
 */
import type { Handle } from "./abi.ts";
import { check, type HandleCell, handleCell, type Mpi, partsOf, pinned } from "./library.ts";
import type { Waiting } from "./waiting.ts";

interface MailSetting {
  readonly mail: Handle;
  readonly chunks: Handle;
  readonly chunkBytes: number;
}

interface Mail {
  readonly from: number;
  readonly bytes: Uint8Array;
}

interface Sending {
  readonly requests: HandleCell[];
  /** The memory must stay until MPI is done. */
  readonly bytes: readonly Uint8Array[];
  readonly done: () => void;
  readonly failed: (error: unknown) => void;
}

interface Waiter {
  readonly done: (mail: Mail) => void;
  readonly failed: (error: unknown) => void;
}

const WHOLE = 1;
const ANNOUNCED = 2;
const EAGER_MS = 1;
const IDLE_MS = 1;
/** Between turns of the event loop. */
const MESSAGES_PER_TURN = 64;

export class Mailbox {
  readonly #mpi: Mpi;
  readonly #waiting: Waiting;
  readonly #setting: MailSetting;
  readonly #flag = pinned(new Int32Array(1));
  readonly #count = pinned(new Int32Array(1));
  readonly #status: Int32Array;
  #sends: Sending[] = [];
  readonly #waiters: Waiter[] = [];
  #running = false;
  #activeAt = 0;

  constructor(mpi: Mpi, waiting: Waiting, setting: MailSetting) {
    this.#mpi = mpi;
    this.#waiting = waiting;
    this.#setting = setting;
    this.#status = pinned(new Int32Array(mpi.abi.status.bytes / 4));
  }

  send(to: number, bytes: Uint8Array): Promise<void> {
    const { mail, chunks, chunkBytes } = this.#setting;
    const whole = bytes.byteLength <= chunkBytes;
    const head = whole ? bytes : new Uint8Array(Float64Array.of(bytes.byteLength).buffer);
    const parts = whole ? [] : partsOf(bytes, chunkBytes);
    const requests = [
      this.#start(to, head, whole ? WHOLE : ANNOUNCED, mail),
      ...parts.map((part) => this.#start(to, part, WHOLE, chunks)),
    ];
    return new Promise((done, failed) => {
      const sending = { requests, bytes: [head, ...parts], done, failed };
      if (!this.#advance(sending)) {
        this.#sends.push(sending);
        this.#wake();
      }
    });
  }

  receive(): Promise<Mail> {
    return new Promise((done, failed) => {
      this.#waiters.push({ done, failed });
      this.#wake();
    });
  }

  /** Waits until all sends are complete. */
  async flush(): Promise<void> {
    await this.#waiting.all(this.#sends.flatMap(({ requests }) => requests));
    for (const { done } of this.#sends.splice(0)) done();
  }

  #start(to: number, bytes: Uint8Array, tag: number, communicator: Handle): HandleCell {
    const { call, handles } = this.#mpi;
    const request = handleCell(this.#mpi);
    const data = pinned(bytes);
    check(
      this.#mpi,
      call.Isend(data, data.length, handles.byte, to, tag, communicator, request.array),
      "MPI_Isend",
    );
    return request;
  }

  /** True when it is sent; completed requests leave the list, since their handles are void. */
  #advance({ requests, done }: Sending): boolean {
    while (requests.length > 0 && this.#waiting.isDone(requests[0] as HandleCell)) requests.shift();
    if (requests.length > 0) return false;
    done();
    return true;
  }

  #wake(): void {
    if (this.#running) return;
    this.#running = true;
    this.#activeAt = performance.now();
    setImmediate(() => void this.#loop());
  }

  async #loop(): Promise<void> {
    try {
      await this.#turn();
    } catch (error) {
      for (const { failed } of [...this.#sends.splice(0), ...this.#waiters.splice(0)]) failed(error);
    }
    if (this.#sends.length === 0 && this.#waiters.length === 0) {
      this.#running = false;
      return;
    }
    if (performance.now() - this.#activeAt < EAGER_MS) {
      this.#mpi.yieldCpu();
      setImmediate(() => void this.#loop());
    } else setTimeout(() => void this.#loop(), IDLE_MS);
  }

  async #turn(): Promise<void> {
    const before = this.#sends.length;
    this.#sends = this.#sends.filter((sending) => !this.#advance(sending));
    if (this.#sends.length < before) this.#activeAt = performance.now();
    for (let count = 0; count < MESSAGES_PER_TURN && this.#waiters.length > 0; count++) {
      const mail = await this.#take();
      if (mail === undefined) return;
      this.#activeAt = performance.now();
      (this.#waiters.shift() as Waiter).done(mail);
      // The receiver asks for the next one now.
      await undefined;
    }
  }

  /** A message that has arrived; undefined without one. */
  async #take(): Promise<Mail | undefined> {
    const { call, abi, handles } = this.#mpi;
    const { mail, chunks, chunkBytes } = this.#setting;
    check(this.#mpi, call.Iprobe(abi.anySource, abi.anyTag, mail, this.#flag, this.#status), "MPI_Iprobe");
    if (this.#flag[0] === 0) return undefined;
    const from = this.#status[abi.status.source / 4] as number;
    const tag = this.#status[abi.status.tag / 4] as number;
    check(this.#mpi, call.Get_count(this.#status, handles.byte, this.#count), "MPI_Get_count");
    const head = new Uint8Array(new ArrayBuffer(this.#count[0] as number));
    await this.#waiting.all([this.#expect(from, head, tag, mail)]);
    if (tag === WHOLE) return { from, bytes: head };
    const bytes = new Uint8Array(new Float64Array(head.buffer)[0] as number);
    const parts = partsOf(bytes, chunkBytes);
    await this.#waiting.all(parts.map((part) => this.#expect(from, part, WHOLE, chunks)));
    return { from, bytes };
  }

  #expect(from: number, bytes: Uint8Array, tag: number, communicator: Handle): HandleCell {
    const { call, handles } = this.#mpi;
    const request = handleCell(this.#mpi);
    check(
      this.#mpi,
      call.Irecv(pinned(bytes), bytes.length, handles.byte, from, tag, communicator, request.array),
      "MPI_Irecv",
    );
    return request;
  }
}
