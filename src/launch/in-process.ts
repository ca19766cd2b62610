/** Ranks that are tasks of one process: for storage in memory, and for tests. */
import { assert } from "../base/assert.ts";
import type { Communicator } from "./communicator.ts";

interface Message {
  readonly from: number;
  readonly bytes: Uint8Array;
}

/** Thrown in every rank when one of them ends the run. */
class RunEnded extends Error {}

class Hub {
  readonly size: number;
  readonly inboxes: Message[][];
  readonly #readers: (((message: Message) => void) | undefined)[];
  #round: {
    parts: (readonly Uint8Array[])[];
    done: (parts: (readonly Uint8Array[])[]) => void;
    all: Promise<(readonly Uint8Array[])[]>;
  };
  #fail: (error: Error) => void = () => {};
  readonly failed: Promise<never>;

  constructor(size: number) {
    this.size = size;
    this.inboxes = Array.from({ length: size }, () => []);
    this.#readers = new Array(size).fill(undefined);
    this.#round = newRound();
    this.failed = new Promise<never>((_, reject) => (this.#fail = reject));
    this.failed.catch(() => {});
  }

  /** Every rank hands in one part for each rank, and gets the parts of all. */
  meet(rank: number, parts: readonly Uint8Array[]): Promise<(readonly Uint8Array[])[]> {
    const round = this.#round;
    assert(round.parts[rank] === undefined, `rank ${rank} is ahead of the others`);
    round.parts[rank] = parts;
    if (Object.keys(round.parts).length === this.size) {
      this.#round = newRound();
      round.done(round.parts);
    }
    return Promise.race([round.all, this.failed]);
  }

  send(to: number, message: Message): void {
    const reader = this.#readers[to];
    this.#readers[to] = undefined;
    if (reader === undefined) this.inboxes[to]?.push(message);
    else reader(message);
  }

  receive(rank: number): Promise<Message> {
    const waiting = this.inboxes[rank]?.shift();
    if (waiting !== undefined) return Promise.resolve(waiting);
    const next = new Promise<Message>((resolve) => (this.#readers[rank] = resolve));
    return Promise.race([next, this.failed]);
  }

  fail(error: Error): void {
    this.#fail(error);
  }
}

function newRound() {
  let done: (parts: (readonly Uint8Array[])[]) => void = () => {};
  const all = new Promise<(readonly Uint8Array[])[]>((resolve) => (done = resolve));
  return { parts: [] as (readonly Uint8Array[])[], done, all };
}

const EMPTY = new Uint8Array(0);

class Task implements Communicator {
  readonly name = "tasks of one process";
  readonly rank: number;
  readonly size: number;
  readonly #hub: Hub;

  constructor(hub: Hub, rank: number) {
    this.#hub = hub;
    this.rank = rank;
    this.size = hub.size;
  }

  async barrier(): Promise<void> {
    await this.#hub.meet(this.rank, []);
  }

  async broadcast(bytes: Uint8Array | undefined, root: number): Promise<Uint8Array> {
    const parts = await this.#hub.meet(this.rank, [bytes ?? EMPTY]);
    return parts[root]?.[0] ?? EMPTY;
  }

  async gather(bytes: Uint8Array, root: number): Promise<Uint8Array[] | undefined> {
    const parts = await this.#hub.meet(this.rank, [bytes]);
    return this.rank === root ? parts.map(([part]) => part ?? EMPTY) : undefined;
  }

  async exchange(out: readonly Uint8Array[]): Promise<Uint8Array[]> {
    const parts = await this.#hub.meet(this.rank, out);
    // A copy, as between processes: the sender may change its bytes afterwards.
    const received = parts.map((from) => (from[this.rank] ?? EMPTY).slice());
    await this.#hub.meet(this.rank, []);
    return received;
  }

  async send(to: number, bytes: Uint8Array): Promise<void> {
    this.#hub.send(to, { from: this.rank, bytes: bytes.slice() });
  }

  receive(): Promise<Message> {
    return this.#hub.receive(this.rank);
  }

  abort(reason: string): never {
    const error = new RunEnded(reason);
    this.#hub.fail(error);
    throw error;
  }

  async close(): Promise<void> {
    await this.barrier();
  }
}

/** Runs all ranks as tasks; the first error ends all of them. */
export async function runTasks<T>(
  ranks: number,
  body: (communicator: Communicator) => Promise<T>,
): Promise<T[]> {
  const hub = new Hub(ranks);
  const tasks = Array.from({ length: ranks }, async (_, rank) => {
    try {
      return await body(new Task(hub, rank));
    } catch (error) {
      hub.fail(error as Error);
      throw error;
    }
  });
  const results = await Promise.allSettled(tasks);
  const failure = results.find(({ status }) => status === "rejected") as PromiseRejectedResult | undefined;
  if (failure !== undefined) throw await hub.failed.catch((error: unknown) => error);
  return results.map((result) => (result as PromiseFulfilledResult<T>).value);
}
