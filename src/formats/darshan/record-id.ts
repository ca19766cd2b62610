/**
 * Record ids: Bob Jenkins' 64-bit hash "lookup8" (1997, public domain; seed 0) of a record's name.
 * https://burtleburtle.net/bob/hash/evahash.html describes the family.
 */

const MASK = (1n << 64n) - 1n;
const GOLDEN = 0x9e3779b97f4a7c13n;
/** Shift amounts of one mixing round: right, left, right. */
const ROUNDS = [
  [43n, 9n, 8n],
  [38n, 23n, 5n],
  [35n, 49n, 11n],
  [12n, 18n, 22n],
] as const;

/** The id of a name given as text (UTF-8) or as raw bytes. */
export function recordId(name: string | Uint8Array): bigint {
  const bytes = typeof name === "string" ? new TextEncoder().encode(name) : name;
  let a = 0n;
  let b = 0n;
  let c = GOLDEN;
  let at = 0;
  const mix = () => {
    for (const [s1, s2, s3] of ROUNDS) {
      a = ((a - b - c) & MASK) ^ (c >> s1);
      b = ((b - c - a) & MASK) ^ ((a << s2) & MASK);
      c = ((c - a - b) & MASK) ^ (b >> s3);
    }
  };
  for (; bytes.length - at >= 24; at += 24) {
    a = (a + littleEndian(bytes, at, 8)) & MASK;
    b = (b + littleEndian(bytes, at + 8, 8)) & MASK;
    c = (c + littleEndian(bytes, at + 16, 8)) & MASK;
    mix();
  }
  // The lowest byte of c is kept for the length, so the third group of the rest is shifted by one byte.
  c = (c + BigInt(bytes.length)) & MASK;
  a = (a + littleEndian(bytes, at, 8)) & MASK;
  b = (b + littleEndian(bytes, at + 8, 8)) & MASK;
  c = (c + (littleEndian(bytes, at + 16, 7) << 8n)) & MASK;
  mix();
  return c;
}

/** Up to `count` bytes from `at`; those beyond the end count as zero. */
function littleEndian(bytes: Uint8Array, at: number, count: number): bigint {
  let value = 0n;
  for (let i = Math.min(at + count, bytes.length) - 1; i >= at; i--)
    value = (value << 8n) | BigInt(bytes[i] as number);
  return value;
}
