/** Typed arrays do not grow; a longer one takes their place. */

type Numbers =
  | Uint8Array
  | Uint16Array
  | Uint32Array
  | Int32Array
  | Float64Array
  | BigInt64Array
  | BigUint64Array;

/** A new array of this kind, all zero. */
export const emptyLike = <T extends Numbers>(values: T, length: number): T =>
  new (values.constructor as new (length: number) => T)(length);

/** A copy with room for `length` values. */
export function withRoom<T extends Numbers>(values: T, length: number): T {
  const larger = emptyLike(values, length);
  larger.set(values as never);
  return larger;
}
