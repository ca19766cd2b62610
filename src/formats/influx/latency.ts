/**
 * Telegraf's plugin takes the latency lines of Lustre 2.14 and later (`read`, `write` in microseconds) for bytes: they
 * come after the byte lines and overwrite them. Servers move whole pages, so real sizes give themselves away.
 */

const PAGE = 4096n;
/** Latencies of single requests are below this many microseconds nearly always; large transfers are above. */
const SIZE_LIMIT = 100_000n;
const POINTS_MIN = 8;
const SHARE = 0.9;
/** Of times one in 4096 is a whole number of pages by chance, and stays so for as long as its job is seen. */
const CHANCE = 0.01;

export class LatencyTest {
  points = 0;
  #odd = 0;
  #whole = 0;

  /** One point with calls: its bytes, calls and largest size. */
  add(bytes: bigint, calls: bigint, maxSize: bigint): void {
    if (calls <= 0n || maxSize <= 0n) return;
    this.points++;
    if (maxSize % PAGE === 0n) this.#whole++;
    else if (bytes / calls < maxSize && maxSize < SIZE_LIMIT) this.#odd++;
  }

  /** Whether the values are times. */
  get isLatency(): boolean {
    if (this.points < POINTS_MIN) return false;
    return this.#odd >= SHARE * this.points || this.#whole <= CHANCE * this.points;
  }
}
