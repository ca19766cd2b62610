/**
 * Datatypes of `src/ncio/pattern` as MPI datatypes: bytes become runs of MPI_BYTE, vectors become MPI_Type_create_hvector (a
 * subarray of a grid is one vector in another), parts become MPI_Type_create_hindexed where all are plain bytes and
 * MPI_Type_create_struct elsewhere.
 */
import { assert } from "../../base/assert.ts";
import type { Datatype } from "../../base/datatype.ts";
import type { Handle } from "./abi.ts";
import { check, type HandleCell, handleCell, type Mpi } from "./library.ts";

/** Counts and lengths are ints. */
const INT_MAX = 2 ** 31 - 1;
/** A whole number of pages, so that pieces of long runs stay aligned. */
const RUN_BYTES = 2 ** 30;

interface MpiDatatype {
  readonly handle: Handle;
  /** Number of elements of the type. */
  readonly count: number;
  free(): void;
}

/** Where a description begins and ends, and how many bytes it has. */
export interface Extent {
  readonly low: number;
  readonly high: number;
  readonly size: number;
  /** Pieces come in ascending order and do not overlap. */
  readonly ascending: boolean;
}

const NOTHING: Extent = { low: 0, high: 0, size: 0, ascending: true };

export function extentOf(type: Datatype): Extent {
  if (type.kind === "bytes") return { low: 0, high: type.length, size: type.length, ascending: true };
  if (type.kind === "vector") {
    const { low, high, size, ascending } = extentOf(type.of);
    if (type.count === 0 || size === 0) return NOTHING;
    const last = (type.count - 1) * type.stride;
    return {
      low: low + Math.min(0, last),
      high: high + Math.max(0, last),
      size: size * type.count,
      ascending: ascending && (type.count === 1 || type.stride >= high - low),
    };
  }
  let [low, high, size, ascending] = [Infinity, -Infinity, 0, true];
  for (const part of type.parts) {
    const inner = extentOf(part.of);
    if (inner.size === 0) continue;
    ascending = ascending && inner.ascending && part.at + inner.low >= high;
    low = Math.min(low, part.at + inner.low);
    high = Math.max(high, part.at + inner.high);
    size += inner.size;
  }
  return size === 0 ? NOTHING : { low, high, size, ascending };
}

/** Committed; the caller frees it. Plain bytes need no new type. */
export function makeDatatype(mpi: Mpi, type: Datatype): MpiDatatype {
  if (type.kind === "bytes" && type.length <= INT_MAX)
    return { handle: mpi.handles.byte, count: type.length, free: () => {} };
  const made: HandleCell[] = [];
  const builder = new Builder(mpi, made);
  try {
    const handle = builder.build(type);
    const top = handleCell(mpi, handle);
    check(mpi, mpi.call.Type_commit(top.array), "MPI_Type_commit");
    // The component types are not needed any more; MPI keeps what it needs.
    const rest = made.filter(({ value }) => value !== handle);
    freeAll(mpi, rest);
    return { handle, count: 1, free: () => freeAll(mpi, [top]) };
  } catch (error) {
    freeAll(mpi, made);
    throw error;
  }
}

function freeAll({ call }: Mpi, cells: readonly HandleCell[]): void {
  for (const { array } of cells) call.Type_free(array);
}

class Builder {
  readonly #mpi: Mpi;
  readonly #made: HandleCell[];

  constructor(mpi: Mpi, made: HandleCell[]) {
    this.#mpi = mpi;
    this.#made = made;
  }

  build(type: Datatype): Handle {
    switch (type.kind) {
      case "bytes":
        return this.#bytes(type.length);
      case "vector":
        return this.#vector(type);
      case "parts":
        return this.#parts(type.parts);
    }
  }

  #bytes(length: number): Handle {
    const { call, handles } = this.#mpi;
    if (length <= INT_MAX)
      return this.#make("MPI_Type_contiguous", (cell) => call.Type_contiguous(length, handles.byte, cell));
    const whole = Math.floor(length / RUN_BYTES);
    const rest = length - whole * RUN_BYTES;
    const runs: Datatype = {
      kind: "vector",
      count: whole,
      stride: RUN_BYTES,
      of: { kind: "bytes", length: RUN_BYTES },
    };
    if (rest === 0) return this.build(runs);
    return this.#parts([
      { at: 0, of: runs },
      { at: whole * RUN_BYTES, of: { kind: "bytes", length: rest } },
    ]);
  }

  #vector({ count, stride, of }: Extract<Datatype, { kind: "vector" }>): Handle {
    const { call, handles } = this.#mpi;
    assert(count <= INT_MAX, "a vector has at most 2^31 - 1 elements");
    const plain = of.kind === "bytes" && of.length <= INT_MAX;
    const [length, element] = plain ? [of.length, handles.byte] : [1, this.build(of)];
    return this.#make("MPI_Type_create_hvector", (cell) =>
      call.Type_create_hvector(count, length, stride, element, cell),
    );
  }

  #parts(parts: Extract<Datatype, { kind: "parts" }>["parts"]): Handle {
    const { call, handles } = this.#mpi;
    const places = BigInt64Array.from(parts, ({ at }) => BigInt(at));
    const lengths = Int32Array.from(parts, ({ of }) =>
      of.kind === "bytes" && of.length <= INT_MAX ? of.length : 1,
    );
    if (parts.every(({ of }) => of.kind === "bytes" && of.length <= INT_MAX))
      return this.#make("MPI_Type_create_hindexed", (cell) =>
        call.Type_create_hindexed(parts.length, lengths, places, handles.byte, cell),
      );
    const types = parts.map(({ of }) =>
      of.kind === "bytes" && of.length <= INT_MAX ? handles.byte : this.build(of),
    );
    const wide = this.#mpi.abi.handleType === "intptr_t";
    const array = wide ? BigInt64Array.from(types, BigInt) : Int32Array.from(types);
    return this.#make("MPI_Type_create_struct", (cell) =>
      call.Type_create_struct(parts.length, lengths, places, array, cell),
    );
  }

  #make(what: string, make: (cell: HandleCell["array"]) => number): Handle {
    const cell = handleCell(this.#mpi);
    check(this.#mpi, make(cell.array), what);
    this.#made.push(cell);
    return cell.value;
  }
}
