/** Of a standard normal: 95 % lie within. */
const TWO_SIDED = 1.96;

/** Wilson's interval of a share, which stays within 0 and 1. */
export function wilson(part: number, n: number): readonly [low: number, high: number] {
  const square = TWO_SIDED ** 2;
  const middle = (part + square / (2 * n)) / (1 + square / n);
  const half = (TWO_SIDED / (1 + square / n)) * Math.sqrt((part * (1 - part)) / n + square / (4 * n * n));
  return [middle - half, middle + half];
}
