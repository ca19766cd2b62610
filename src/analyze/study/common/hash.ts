/** A number of 32 bits that looks random, from two words: for hash tables, and for samples that come out the same again. */
export function mixed(low: number, high: number): number {
  let z = Math.imul(low ^ Math.imul(high, 0x9e3779b1), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 15), 0xc2b2ae35);
  return (z ^ (z >>> 13)) >>> 0;
}
