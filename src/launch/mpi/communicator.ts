/** Ranks of MPI_COMM_WORLD. Collective calls run one after the other, so that all ranks make them in the same order. */
import { writeSync } from "node:fs";
import { availableParallelism } from "node:os";
import { assert } from "../../base/assert.ts";
import type { Communicator } from "../communicator.ts";
import type { Handle } from "./abi.ts";
import { check, type HandleCell, handleCell, type Mpi, partsOf, pinned } from "./library.ts";
import { Mailbox } from "./mailbox.ts";
import { Waiting } from "./waiting.ts";

export interface MpiCommunicatorOptions {
  /** Bytes of one MPI call at most; its counts are ints. */
  readonly chunkBytes?: number;
}

const CHUNK_BYTES = 2 ** 30;
/** Tag of data in collective calls. */
const TAG = 1;
const SIZE_BYTES = 8;

/** Time for the launcher to forward a line. */
const FORWARD_MS = 250;

export class MpiCommunicator implements Communicator {
  readonly name: string;
  readonly rank: number;
  readonly size: number;
  /** Ranks on this machine; if there are more than cores, they share the cores. */
  readonly localSize: number;
  readonly mpi: Mpi;
  /** For files and for collective calls. */
  readonly handle: Handle;
  readonly #chunkBytes: number;
  readonly #waiting: Waiting;
  readonly #mailbox: Mailbox;
  readonly #duplicates: HandleCell[];
  #last: Promise<unknown> = Promise.resolve();
  #closed = false;
  /** This process is done, but some ranks do not respond: when it ends, it ends them with its own exit code. */
  abandoned = false;
  readonly #ended: () => void;

  /** `ended` is called once MPI must not be called any more. */
  constructor(mpi: Mpi, { chunkBytes = CHUNK_BYTES }: MpiCommunicatorOptions, ended: () => void) {
    this.mpi = mpi;
    this.#ended = ended;
    this.#chunkBytes = chunkBytes;
    const { world } = mpi.handles;
    this.rank = numberFrom((cell) => mpi.call.Comm_rank(world, cell));
    this.size = numberFrom((cell) => mpi.call.Comm_size(world, cell));
    this.name = `${mpi.version} (${mpi.abi.name})`;
    this.localSize = this.#countLocal();
    this.#waiting = new Waiting(mpi, this.coresShared);
    // Messages have a separate communicator: a receive from any source never matches part of a collective call.
    this.#duplicates = [this.#duplicate(), this.#duplicate(), this.#duplicate()];
    const [work, mail, chunks] = this.#duplicates.map(({ value }) => value) as [Handle, Handle, Handle];
    this.handle = work;
    this.#mailbox = new Mailbox(mpi, this.#waiting, { mail, chunks, chunkBytes });
  }

  get coresShared(): boolean {
    return this.localSize > availableParallelism();
  }

  barrier(): Promise<void> {
    return this.#inOrder(() =>
      this.#run("MPI_Ibarrier", (cell) => this.mpi.call.Ibarrier(this.handle, cell)),
    );
  }

  /** Collective, and not before all others are done: ranks come out of it close together, before the event loop turns. */
  barrierNow(): void {
    const request = handleCell(this.mpi);
    check(this.mpi, this.mpi.call.Ibarrier(this.handle, request.array), "MPI_Ibarrier");
    this.#waiting.now(request);
  }

  broadcast(bytes: Uint8Array | undefined, root: number): Promise<Uint8Array> {
    this.#requireRank(root);
    assert(this.rank !== root || bytes !== undefined, "the root of a broadcast provides the bytes");
    return this.#inOrder(async () => {
      const size = new Float64Array(new ArrayBuffer(SIZE_BYTES));
      size[0] = bytes?.byteLength ?? 0;
      await this.#broadcast(size, SIZE_BYTES, root);
      const result = this.rank === root ? (bytes as Uint8Array) : new Uint8Array(size[0] as number);
      for (const part of this.#parts(result)) await this.#broadcast(part, part.byteLength, root);
      return result;
    });
  }

  gather(bytes: Uint8Array, root: number): Promise<Uint8Array[] | undefined> {
    this.#requireRank(root);
    return this.#inOrder(async () => {
      const { call, handles } = this.mpi;
      const own = new Float64Array(new ArrayBuffer(SIZE_BYTES));
      own[0] = bytes.byteLength;
      const isRoot = this.rank === root;
      const sizes = new Float64Array(new ArrayBuffer(SIZE_BYTES * (isRoot ? this.size : 1)));
      const { byte } = handles;
      await this.#run("MPI_Igather", (cell) =>
        call.Igather(own, SIZE_BYTES, byte, sizes, SIZE_BYTES, byte, root, this.handle, cell),
      );
      if (!isRoot) {
        await this.#waiting.all(this.#sendParts(bytes, root));
        return undefined;
      }
      return this.#takeAll(sizes, bytes, []);
    });
  }

  exchange(out: readonly Uint8Array[]): Promise<Uint8Array[]> {
    assert(out.length === this.size, `an exchange of ${this.size} ranks has ${this.size} parts`);
    return this.#inOrder(async () => {
      const { call, handles } = this.mpi;
      const mine = new Float64Array(new ArrayBuffer(SIZE_BYTES * this.size));
      const sizes = new Float64Array(new ArrayBuffer(SIZE_BYTES * this.size));
      out.forEach((bytes, rank) => {
        mine[rank] = bytes.byteLength;
      });
      const { byte } = handles;
      await this.#run("MPI_Ialltoall", (cell) =>
        call.Ialltoall(mine, SIZE_BYTES, byte, sizes, SIZE_BYTES, byte, this.handle, cell),
      );
      const sending = () =>
        out.flatMap((bytes, rank) => (rank === this.rank ? [] : this.#sendParts(bytes, rank)));
      return this.#takeAll(sizes, out[this.rank] as Uint8Array, sending);
    });
  }

  /** The bytes may be changed once the promise is kept. */
  send(to: number, bytes: Uint8Array): Promise<void> {
    this.#requireRank(to);
    return this.#mailbox.send(to, bytes);
  }

  receive(): Promise<{ readonly from: number; readonly bytes: Uint8Array }> {
    return this.#mailbox.receive();
  }

  abort(reason: string): never {
    const line = `plimsoll: rank ${this.rank} of ${this.size}: ${reason.replace(/\s*\n\s*/g, " ")}\n`;
    try {
      writeSync(2, line);
      // A launcher that aborts the run may drop rank output that it has not read yet.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, FORWARD_MS);
    } catch {
      // Nobody reads stderr; the exit code still shows the failure.
    }
    this.#closed = true;
    this.mpi.call.Abort(this.mpi.handles.world, 1);
    process.exit(1);
  }

  close(): Promise<void> {
    return this.#inOrder(async () => {
      if (this.#closed) return;
      await this.#mailbox.flush();
      await this.#run("MPI_Ibarrier", (cell) => this.mpi.call.Ibarrier(this.handle, cell));
      this.#closed = true;
      for (const { array } of this.#duplicates) this.mpi.call.Comm_free(array);
      check(this.mpi, this.mpi.call.Finalize(), "MPI_Finalize");
      this.#ended();
    });
  }

  #inOrder<T>(work: () => Promise<T>): Promise<T> {
    assert(!this.#closed, "the communicator is closed");
    const result = this.#last.then(work);
    this.#last = result.catch(() => {});
    return result;
  }

  /** Starts a non-blocking call and waits for it. */
  async #run(what: string, start: (request: HandleCell["array"]) => number): Promise<void> {
    const request = handleCell(this.mpi);
    check(this.mpi, start(request.array), what);
    await this.#waiting.all([request]);
  }

  #broadcast(bytes: ArrayBufferView, length: number, root: number): Promise<void> {
    const { call, handles } = this.mpi;
    pinned(bytes);
    return this.#run("MPI_Ibcast", (cell) =>
      call.Ibcast(bytes, length, handles.byte, root, this.handle, cell),
    );
  }

  /** Receives the bytes of every rank; receives are posted before the sends, so that data arrives without an extra copy. */
  async #takeAll(
    sizes: Float64Array,
    own: Uint8Array,
    sending: (() => HandleCell[]) | [],
  ): Promise<Uint8Array[]> {
    const result = Array.from(sizes, (size, rank) =>
      rank === this.rank ? own.slice() : new Uint8Array(size),
    );
    const requests = result.flatMap((bytes, rank) =>
      rank === this.rank ? [] : this.#takeParts(bytes, rank),
    );
    if (typeof sending === "function") requests.push(...sending());
    await this.#waiting.all(requests);
    return result;
  }

  #sendParts(bytes: Uint8Array, to: number): HandleCell[] {
    const { call, handles } = this.mpi;
    return this.#parts(bytes).map((part) => {
      const request = handleCell(this.mpi);
      const code = call.Isend(part, part.length, handles.byte, to, TAG, this.handle, request.array);
      check(this.mpi, code, "MPI_Isend");
      return request;
    });
  }

  #takeParts(bytes: Uint8Array, from: number): HandleCell[] {
    const { call, handles } = this.mpi;
    return this.#parts(bytes).map((part) => {
      const request = handleCell(this.mpi);
      const code = call.Irecv(part, part.length, handles.byte, from, TAG, this.handle, request.array);
      check(this.mpi, code, "MPI_Irecv");
      return request;
    });
  }

  #parts(bytes: Uint8Array): Uint8Array[] {
    return partsOf(bytes, this.#chunkBytes);
  }

  #duplicate(): HandleCell {
    const { call, handles } = this.mpi;
    const cell = handleCell(this.mpi);
    check(this.mpi, call.Comm_dup(handles.world, cell.array), "MPI_Comm_dup");
    // Errors come back as codes, so that they end the run with a line of ours.
    check(this.mpi, call.Comm_set_errhandler(cell.value, handles.errorsReturn), "MPI_Comm_set_errhandler");
    return cell;
  }

  #countLocal(): number {
    const { call, handles, abi } = this.mpi;
    const cell = handleCell(this.mpi);
    const code = call.Comm_split_type(
      handles.world,
      abi.commTypeShared,
      this.rank,
      handles.infoNull,
      cell.array,
    );
    check(this.mpi, code, "MPI_Comm_split_type");
    const size = numberFrom((array) => call.Comm_size(cell.value, array));
    call.Comm_free(cell.array);
    return size;
  }

  #requireRank(rank: number): void {
    assert(Number.isInteger(rank) && rank >= 0 && rank < this.size, `rank ${rank} of ${this.size}`);
  }
}

function numberFrom(fill: (cell: Int32Array) => number): number {
  const cell = pinned(new Int32Array(1));
  assert(fill(cell) === 0, "MPI answers");
  return cell[0] as number;
}
