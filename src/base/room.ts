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

/** A copy with at least twice the room, and at least `count` values. */
export const longer = <T extends Numbers>(values: T, count = 0): T =>
  withRoom(values, Math.max(16, count, 2 * values.length));

/** The same array where it has room for `count` values, a longer one otherwise. */
export const roomFor = <T extends Numbers>(values: T, count: number): T =>
  count <= values.length ? values : longer(values, count);
