/** Files of MPI-IO. Calls of MPI-IO block this process, as they do in a program in C; errors come back as text. */
import { assert } from "../../base/assert.ts";
import type { Datatype } from "../../base/datatype.ts";
import type { Handle } from "./abi.ts";
import type { MpiCommunicator } from "./communicator.ts";
import { type Extent, extentOf, makeDatatype } from "./datatypes.ts";
import type { Hints } from "./hints.ts";
import {
  check,
  type HandleCell,
  handleCell,
  type Mpi,
  MpiError,
  type MpiFunction,
  pinned,
} from "./library.ts";

const INT_MAX = 2 ** 31 - 1;

export type Direction = "read" | "write";

interface MpiFileOptions {
  readonly mode: "create" | "write" | "read";
  readonly hints?: Hints;
}

/** Collective. */
export async function openMpiFile(
  communicator: MpiCommunicator,
  path: string,
  { mode, hints = {} }: MpiFileOptions,
): Promise<MpiFile> {
  const { mpi } = communicator;
  const { readOnly, readWrite, create } = mpi.abi.modes;
  const flags = { read: readOnly, write: readWrite, create: readWrite | create }[mode];
  const info = makeInfo(mpi, hints);
  const cell = handleCell(mpi, 0, true);
  // Ranks synchronise before a call that polls inside.
  await communicator.barrier();
  try {
    check(mpi, mpi.call.File_open(communicator.handle, path, flags, info.value, cell.array), `open ${path}`);
  } finally {
    mpi.call.Info_free(info.array);
  }
  return new MpiFile(communicator, path, cell);
}

export class MpiFile {
  readonly path: string;
  /** ROMIO's name of the file system driver; undefined without ROMIO. */
  readonly driver: string | undefined;
  readonly #communicator: MpiCommunicator;
  readonly #mpi: Mpi;
  readonly #cell: HandleCell;
  readonly #status: Uint8Array;
  readonly #count = pinned(new Int32Array(1));
  /** Independent and collective. */
  readonly #calls: Readonly<Record<Direction, readonly [MpiFunction, MpiFunction]>>;
  /** Of the view; the handle is kept as long as the view is. */
  #freeView: () => void = () => {};

  constructor(communicator: MpiCommunicator, path: string, cell: HandleCell) {
    this.#communicator = communicator;
    this.#mpi = communicator.mpi;
    this.#cell = cell;
    this.path = path;
    this.#status = pinned(new Uint8Array(this.#mpi.abi.status.bytes));
    this.driver = this.#findDriver();
    const { call } = this.#mpi;
    this.#calls = {
      read: [call.File_read_at, call.File_read_at_all],
      write: [call.File_write_at, call.File_write_at_all],
    };
  }

  /** Open MPI does not report the I/O component of a file; the component selected in the environment counts. */
  #findDriver(): string | undefined {
    if (this.#mpi.abi.id !== "openmpi") return this.hint("romio_filesystem_type");
    if (!/romio|\^ompio/.test(process.env.OMPI_MCA_io ?? "")) return undefined;
    return this.path.startsWith("pvfs2:") ? "PVFS2" : "ROMIO";
  }

  /** The value in effect; undefined when the library does not know the hint. */
  hint(name: string): string | undefined {
    const { call, abi } = this.#mpi;
    const info = handleCell(this.#mpi);
    check(this.#mpi, call.File_get_info(this.#cell.value, info.array), "MPI_File_get_info");
    const text = Buffer.alloc(abi.maxInfoValue + 1);
    const flag = new Int32Array(1);
    const code = call.Info_get(info.value, name, abi.maxInfoValue, text, flag);
    call.Info_free(info.array);
    check(this.#mpi, code, "MPI_Info_get");
    return flag[0] === 0 ? undefined : text.toString("utf8").replace(/\0.*$/s, "");
  }

  /** Collective: this rank sees the regions of `type`, from byte `start` of the file. */
  setView(start: number, type: Datatype): void {
    const extent = extentOf(type);
    assert(extent.ascending && start + extent.low >= 0, "file offsets ascend, as MPI-IO requires");
    const { call, handles } = this.#mpi;
    const plain = isContiguous(type, extent);
    const file = plain ? undefined : makeDatatype(this.#mpi, type);
    const handle: Handle = file?.handle ?? handles.byte;
    const code = call.File_set_view(
      this.#cell.value,
      plain ? start + extent.low : start,
      handles.byte,
      handle,
      "native",
      handles.infoNull,
    );
    this.#freeView();
    this.#freeView = () => file?.free();
    check(this.#mpi, code, `view of ${this.path}`);
  }

  /** Prepares a transfer, so that a measured call contains only the transfer. */
  prepare(buffer: Uint8Array, memory: Datatype): Prepared {
    const extent = extentOf(memory);
    assert(
      extent.low >= 0 && extent.high <= buffer.byteLength,
      `${extent.high} bytes lie in ${buffer.byteLength}`,
    );
    // Contiguous memory is passed as bytes, which libraries transfer without a copy.
    const plain = isContiguous(memory, extent);
    const type = makeDatatype(this.#mpi, plain ? { kind: "bytes", length: extent.size } : memory);
    const from = plain ? buffer.subarray(extent.low, extent.high) : buffer;
    return {
      buffer: pinned(from),
      type: type.handle,
      count: type.count,
      bytes: extent.size,
      free: type.free,
    };
  }

  /** From the start of the view. If collective, all ranks call it. */
  transfer(direction: Direction, { buffer, type, count, bytes }: Prepared, collective: boolean): void {
    const call = this.#calls[direction][collective ? 1 : 0];
    const code = call(this.#cell.value, 0, buffer, count, type, this.#status);
    if (code !== 0) check(this.#mpi, code, `${direction} ${this.path}`);
    // Longer ones do not fit into an int.
    if (bytes <= INT_MAX) this.#requireCount(direction, bytes);
  }

  #requireCount(direction: Direction, bytes: number): void {
    const { call, handles } = this.#mpi;
    check(this.#mpi, call.Get_count(this.#status, handles.byte, this.#count), "MPI_Get_count");
    if (this.#count[0] !== bytes)
      throw new MpiError(`${direction} ${this.path}: ${this.#count[0]} of ${bytes} bytes`);
  }

  /** Collective. */
  sync(): void {
    check(this.#mpi, this.#mpi.call.File_sync(this.#cell.value), `sync ${this.path}`);
  }

  size(): number {
    const cell = pinned(new BigInt64Array(1));
    check(this.#mpi, this.#mpi.call.File_get_size(this.#cell.value, cell), `size of ${this.path}`);
    return Number(cell[0]);
  }

  /** Collective. */
  async close(): Promise<void> {
    await this.#communicator.barrier();
    check(this.#mpi, this.#mpi.call.File_close(this.#cell.array), `close ${this.path}`);
    this.#freeView();
  }
}

export interface Prepared {
  readonly buffer: Uint8Array;
  readonly type: Handle;
  readonly count: number;
  readonly bytes: number;
  free(): void;
}

function isContiguous(type: Datatype, { low, high, size, ascending }: Extent): boolean {
  return type.kind === "bytes" || (ascending && high - low === size);
}

function makeInfo(mpi: Mpi, hints: Hints): HandleCell {
  const info = handleCell(mpi);
  check(mpi, mpi.call.Info_create(info.array), "MPI_Info_create");
  for (const [name, value] of Object.entries(hints)) {
    check(mpi, mpi.call.Info_set(info.value, name, value), `hint ${name}=${value}`);
  }
  return info;
}
