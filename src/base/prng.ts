/** Seeded random numbers: the same seed gives the same numbers on every machine. Not for secrets. */

/** xoshiro128** (Blackman and Vigna, 2018), seeded through splitmix32. */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #d: number;

  constructor(seed: number) {
    let state = seed >>> 0;
    const next = () => {
      state = (state + 0x9e3779b9) >>> 0;
      let z = state;
      z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
      z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
      return (z ^ (z >>> 16)) >>> 0;
    };
    this.#a = next();
    this.#b = next();
    this.#c = next();
    this.#d = next() | 1;
  }

  /**
   * The numbers of one entity: each (seed, kind, id) has a stream of its own, so that drawing more for one, or having
   * more of them, changes nothing for the others. `id` is a whole number below 2^53.
   */
  static stream(seed: number, kind: number, id: number): Random {
    return new Random(0).restart(seed, kind, id);
  }

  /** Becomes `Random.stream(seed, kind, id)`; for loops that would make millions of objects. */
  restart(seed: number, kind: number, id: number): this {
    const low = id >>> 0;
    const high = Math.floor(id / 2 ** 32);
    const first = scramble(
      scramble(seed ^ 0x243f6a88) + Math.imul(kind, 0x9e3779b1) + Math.imul(high, 0x85a308d3),
    );
    const second = scramble(scramble(low ^ 0x13198a2e) ^ first);
    this.#a = first;
    this.#b = scramble(first + 0x9e3779b9 + low);
    this.#c = second;
    this.#d = scramble(second + 0x9e3779b9) | 1;
    return this;
  }

  /** 32 random bits as a whole number from 0. */
  bits(): number {
    const product = Math.imul(this.#b, 5);
    const result = Math.imul((product << 7) | (product >>> 25), 9) >>> 0;
    const shifted = this.#b << 9;
    this.#c ^= this.#a;
    this.#d ^= this.#b;
    this.#b ^= this.#c;
    this.#a ^= this.#d;
    this.#c ^= shifted;
    this.#d = (this.#d << 11) | (this.#d >>> 21);
    return result;
  }

  /** Goes on as if `bits` had been asked for this often. */
  skip(count: number): void {
    let [a, b, c, d] = [this.#a, this.#b, this.#c, this.#d];
    for (let i = 0; i < count; i++) {
      const shifted = b << 9;
      c ^= a;
      d ^= b;
      b ^= c;
      a ^= d;
      c ^= shifted;
      d = (d << 11) | (d >>> 21);
    }
    [this.#a, this.#b, this.#c, this.#d] = [a, b, c, d];
  }

  /** Goes on where another one is. */
  become(other: Random): this {
    this.#a = other.#a;
    this.#b = other.#b;
    this.#c = other.#c;
    this.#d = other.#d;
    return this;
  }

  /** A number in [0, 1) with 53 random bits. */
  unit(): number {
    return ((this.bits() >>> 5) * 67108864 + (this.bits() >>> 6)) / 9007199254740992;
  }

  /** A whole number in [0, bound). */
  below(bound: number): number {
    return Math.floor(this.unit() * bound);
  }

  /** One of the list. */
  pick<T>(list: readonly T[]): T {
    return list[this.below(list.length)] as T;
  }

  /** 0 to `count` - 1 in random order. */
  shuffled(count: number): Uint32Array {
    const list = Uint32Array.from({ length: count }, (_, index) => index);
    for (let i = count - 1; i > 0; i--) {
      const j = this.below(i + 1);
      [list[i], list[j]] = [list[j] as number, list[i] as number];
    }
    return list;
  }

  /** Exponentially distributed with the given mean. */
  exponential(mean: number): number {
    return -mean * Math.log(1 - this.unit());
  }
}

/** The finalizer of MurmurHash3: a one-to-one map of 32 bits in which every input bit moves every output bit. */
export function scramble(value: number): number {
  let z = value | 0;
  z = Math.imul(z ^ (z >>> 16), 0x85ebca6b);
  z = Math.imul(z ^ (z >>> 13), 0xc2b2ae35);
  return (z ^ (z >>> 16)) | 0;
}
