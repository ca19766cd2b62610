/**
 * Waiting for MPI without an extra thread. MPI offers nothing that an event loop can wait for, and the libraries poll inside
 * blocking calls: with more ranks than cores they take the core from the rank they wait for, milliseconds each time. So calls
 * are non-blocking, tested in short runs, and the event loop turns after each run. Between tests the core is given away where
 * ranks share it; elsewhere that would only let other processes in.
 */
import { setImmediate as nextTurn } from "node:timers/promises";
import { type HandleCell, type Mpi, check, pinned } from "./library.ts";

/** A run of tests; timers and files of this process wait for it at most that long. */
const RUN_MS = 0.1;
/** After this long every turn sleeps: the other rank is computing, and may need the core. */
const BUSY_MS = 20;
const SLEEP_MICROS = 100;

export class Waiting {
  readonly #mpi: Mpi;
  readonly #coresShared: boolean;
  readonly #flag = pinned(new Int32Array(1));
  readonly #status: Uint8Array;

  constructor(mpi: Mpi, coresShared: boolean) {
    this.#mpi = mpi;
    this.#coresShared = coresShared;
    this.#status = pinned(new Uint8Array(mpi.abi.status.bytes));
  }

  isDone(request: HandleCell): boolean {
    check(this.#mpi, this.#mpi.call.Test(request.array, this.#flag, this.#status), "MPI_Test");
    return this.#flag[0] !== 0;
  }

  /** Until all are done. */
  async all(requests: readonly HandleCell[]): Promise<void> {
    let first = 0;
    const ready = () => {
      while (first < requests.length && this.isDone(requests[first] as HandleCell)) first++;
      return first === requests.length;
    };
    const began = performance.now();
    while (!this.#runOf(ready)) {
      await nextTurn();
      if (performance.now() - began > BUSY_MS) this.#mpi.sleepMicros(SLEEP_MICROS);
    }
  }

  /** Without a turn of the event loop. */
  now(request: HandleCell): void {
    while (!this.isDone(request)) if (this.#coresShared) this.#mpi.yieldCpu();
  }

  #runOf(ready: () => boolean): boolean {
    const end = performance.now() + RUN_MS;
    do {
      if (ready()) return true;
      if (this.#coresShared) this.#mpi.yieldCpu();
    } while (performance.now() < end);
    return false;
  }
}
