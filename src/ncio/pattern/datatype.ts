/**
 * Where bytes lie, said without naming each piece: what an MPI datatype says, in three forms. Places count bytes from the
 * start of the whole. Pieces come in the order in which data is packed, which is the order of the description.
 */
export type Datatype =
  | { readonly kind: "bytes"; readonly length: number }
  /** `count` times the same, `stride` bytes from start to start. */
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
