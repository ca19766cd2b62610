/** Times of two words, in nanoseconds since 1970. */

/** The first and the last of some times. */
export class Times {
  #first = [Number.POSITIVE_INFINITY, 0] as [high: number, low: number];
  #last = [-1, 0] as [high: number, low: number];

  add(low: number, high: number): void {
    const [first, last] = [this.#first, this.#last];
    if (high < first[0] || (high === first[0] && low < first[1])) {
      first[0] = high;
      first[1] = low;
    }
    if (high > last[0] || (high === last[0] && low > last[1])) {
      last[0] = high;
      last[1] = low;
    }
  }

  /** Nothing when there was none. */
  get ends(): { first: bigint; last: bigint } | undefined {
    const ns = ([high, low]: readonly [number, number]) => (BigInt(high) << 32n) | BigInt(low);
    return this.#last[0] === -1 ? undefined : { first: ns(this.#first), last: ns(this.#last) };
  }
}

/** Widens the span of earlier times; 0 is none. */
export function noteTimes(facts: { firstNs: bigint; lastNs: bigint }, { ends }: Times): void {
  if (ends === undefined) return;
  if (facts.firstNs === 0n || ends.first < facts.firstNs) facts.firstNs = ends.first;
  if (ends.last > facts.lastNs) facts.lastNs = ends.last;
}
