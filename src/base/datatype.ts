/**
 * Location of bytes without a list of pieces: an MPI datatype in three forms. Places are byte offsets from the start of the
 * type. Pieces are in packing order, which is the order of the description.
 */
export type Datatype =
  | { readonly kind: "bytes"; readonly length: number }
  /** `count` repetitions, `stride` bytes from start to start. */
  | { readonly kind: "vector"; readonly count: number; readonly stride: number; readonly of: Datatype }
  | { readonly kind: "parts"; readonly parts: readonly Part[] };

export interface Part {
  readonly at: number;
  readonly of: Datatype;
}

export function bytes(length: number): Datatype {
  return { kind: "bytes", length };
}

export function vector(count: number, stride: number, of: Datatype): Datatype {
  return { kind: "vector", count, stride, of };
}

export function parts(...list: readonly Part[]): Datatype {
  return { kind: "parts", parts: list };
}

/** The same, `at` bytes later. */
export function shifted(at: number, of: Datatype): Datatype {
  return at === 0 ? of : parts({ at, of });
}
