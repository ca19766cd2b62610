/** SHA-256 (FIPS 180-4) and HMAC, synchronous, for hosts that only have them asynchronous. */

const primes = (count: number): number[] => {
  const found: number[] = [];
  for (let n = 2; found.length < count; n++) if (found.every((prime) => n % prime !== 0)) found.push(n);
  return found;
};
/** The first 32 bits behind the point. */
const fraction = (value: number) => Math.floor((value - Math.floor(value)) * 2 ** 32);
const ROUNDS = Int32Array.from(primes(64), (prime) => fraction(Math.cbrt(prime)));
const START = Int32Array.from(primes(8), (prime) => fraction(Math.sqrt(prime)));

const BLOCK_BYTES = 64;
const turn = (word: number, bits: number) => (word >>> bits) | (word << (32 - bits));

/** A hash in the making. */
export class Sha256 {
  readonly #state = START.slice();
  readonly #words = new Int32Array(64);
  readonly #pending = new Uint8Array(BLOCK_BYTES);
  #pendingBytes = 0;
  #bytes = 0;

  update(bytes: Uint8Array): this {
    this.#bytes += bytes.length;
    let at = 0;
    if (this.#pendingBytes > 0) {
      at = Math.min(BLOCK_BYTES - this.#pendingBytes, bytes.length);
      this.#pending.set(bytes.subarray(0, at), this.#pendingBytes);
      this.#pendingBytes += at;
      if (this.#pendingBytes < BLOCK_BYTES) return this;
      this.#block(this.#pending, 0);
    }
    for (; at + BLOCK_BYTES <= bytes.length; at += BLOCK_BYTES) this.#block(bytes, at);
    this.#pending.set(bytes.subarray(at));
    this.#pendingBytes = bytes.length - at;
    return this;
  }

  /** The 32 bytes; the hash cannot be used further. */
  digest(): Uint8Array {
    const bits = this.#bytes * 8;
    const padding = new Uint8Array((this.#pendingBytes < 56 ? 56 : 120) - this.#pendingBytes + 8);
    padding[0] = 0x80;
    const view = new DataView(padding.buffer);
    view.setUint32(padding.length - 8, Math.floor(bits / 2 ** 32));
    view.setUint32(padding.length - 4, bits >>> 0);
    this.update(padding);
    const digest = new Uint8Array(32);
    const words = new DataView(digest.buffer);
    this.#state.forEach((word, at) => {
      words.setInt32(4 * at, word);
    });
    return digest;
  }

  #block(bytes: Uint8Array, at: number): void {
    const w = this.#words;
    for (let i = 0; i < 16; i++) {
      const from = at + 4 * i;
      w[i] =
        ((bytes[from] as number) << 24) |
        ((bytes[from + 1] as number) << 16) |
        ((bytes[from + 2] as number) << 8) |
        (bytes[from + 3] as number);
    }
    for (let i = 16; i < 64; i++) {
      const x = w[i - 15] as number;
      const y = w[i - 2] as number;
      const s0 = turn(x, 7) ^ turn(x, 18) ^ (x >>> 3);
      const s1 = turn(y, 17) ^ turn(y, 19) ^ (y >>> 10);
      w[i] = ((w[i - 16] as number) + s0 + (w[i - 7] as number) + s1) | 0;
    }
    let [a, b, c, d, e, f, g, h] = this.#state as unknown as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    for (let i = 0; i < 64; i++) {
      const s1 = turn(e, 6) ^ turn(e, 11) ^ turn(e, 25);
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + (ROUNDS[i] as number) + (w[i] as number)) | 0;
      const s0 = turn(a, 2) ^ turn(a, 13) ^ turn(a, 22);
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
      [h, g, f, e, d, c, b, a] = [g, f, e, (d + t1) | 0, c, b, a, (t1 + t2) | 0];
    }
    [a, b, c, d, e, f, g, h].forEach((word, i) => {
      this.#state[i] = ((this.#state[i] as number) + word) | 0;
    });
  }
}

/** HMAC of the parts laid end to end (RFC 2104). */
export function hmacSha256(key: Uint8Array, ...parts: readonly Uint8Array[]): Uint8Array {
  const padded = new Uint8Array(BLOCK_BYTES);
  padded.set(key.length > BLOCK_BYTES ? new Sha256().update(key).digest() : key);
  const inner = new Sha256().update(padded.map((byte) => byte ^ 0x36));
  for (const part of parts) inner.update(part);
  return new Sha256()
    .update(padded.map((byte) => byte ^ 0x5c))
    .update(inner.digest())
    .digest();
}

export const hexText = (bytes: Uint8Array): string =>
  Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");

export function base64Text(bytes: Uint8Array): string {
  const pieces: string[] = [];
  // A multiple of 3, so that pieces can be joined; small enough to be arguments of a call.
  for (let at = 0; at < bytes.length; at += 0x6000)
    pieces.push(btoa(String.fromCharCode(...bytes.subarray(at, at + 0x6000))));
  return pieces.join("");
}
