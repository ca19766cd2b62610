// A small seeded generator (xoshiro128**, 32-bit arithmetic only), the same on every machine.

export class Random {
  private a: number;
  private b: number;
  private c: number;
  private d: number;

  /** `seed` may be any non-negative safe integer; `stream` picks one of many sequences for it. */
  constructor(seed: number, stream = 0) {
    let state = ((seed % 2 ** 32) ^ Math.imul(Math.floor(seed / 2 ** 32) + 1, 0x85ebca6b)) >>> 0;
    state = (state ^ Math.imul(stream + 1, 0xc2b2ae35)) >>> 0;
    const next = (): number => {
      state = (state + 0x9e3779b9) >>> 0;
      let z = state;
      z = Math.imul(z ^ (z >>> 16), 0x21f0aaad);
      z = Math.imul(z ^ (z >>> 15), 0x735a2d97);
      return (z ^ (z >>> 15)) >>> 0;
    };
    this.a = next();
    this.b = next() ^ stream;
    this.c = next();
    this.d = next() | 1;
    for (let n = 0; n < 8; n++) this.u32();
  }

  u32(): number {
    const times5 = Math.imul(this.b, 5);
    const result = Math.imul((times5 << 7) | (times5 >>> 25), 9) >>> 0;
    const t = this.b << 9;
    this.c ^= this.a;
    this.d ^= this.b;
    this.b ^= this.c;
    this.a ^= this.d;
    this.c ^= t;
    this.d = (this.d << 11) | (this.d >>> 21);
    return result;
  }

  /** From 0 up to but not including `limit`, which may be at most 2^32. */
  below(limit: number): number {
    return limit <= 0 ? 0 : Math.floor((this.u32() / 2 ** 32) * limit);
  }

  between(low: number, high: number): number {
    return low + this.below(high - low + 1);
  }

  chance(share: number): boolean {
    return this.u32() / 2 ** 32 < share;
  }

  pick<T>(items: readonly T[]): T {
    if (items.length === 0) throw new Error("nothing to pick from");
    return items[this.below(items.length)] as T;
  }

  u64(): bigint {
    return (BigInt(this.u32()) << 32n) | BigInt(this.u32());
  }

  bytes(length: number): Uint8Array {
    const result = new Uint8Array(length);
    for (let n = 0; n < length; n++) result[n] = this.u32() & 255;
    return result;
  }
}
