/** Numbers for byte strings that come again and again, such as file names, without making a string of each. */
export class Interner {
  #slots = new Int32Array(1024).fill(-1);
  #hashes = new Int32Array(512);
  readonly #keys: Uint8Array[] = [];
  #last = -1;

  get size(): number {
    return this.#keys.length;
  }

  /** The bytes of an entry. */
  at(index: number): Uint8Array {
    return this.#keys[index] as Uint8Array;
  }

  /** The number of `bytes[from, to)`: the next free one when it has not come before. */
  intern(bytes: Uint8Array, from: number, to: number): number {
    // Neighbours in a trace are mostly on the same file.
    if (this.#last >= 0 && equal(this.#keys[this.#last] as Uint8Array, bytes, from, to)) return this.#last;
    return this.internHashed(bytes, from, to, hashOf(bytes, from, to));
  }

  /** The same for whoever has their `hashOf` already. */
  internHashed(bytes: Uint8Array, from: number, to: number, hash: number): number {
    let mask = this.#slots.length - 1;
    let slot = hash & mask;
    for (let entry: number; (entry = this.#slots[slot] as number) >= 0; slot = (slot + 1) & mask) {
      if (this.#hashes[entry] === hash && equal(this.#keys[entry] as Uint8Array, bytes, from, to)) {
        this.#last = entry;
        return entry;
      }
    }
    const entry = this.#keys.length;
    if (2 * (entry + 1) > this.#slots.length) {
      this.#grow();
      mask = this.#slots.length - 1;
      slot = hash & mask;
      while ((this.#slots[slot] as number) >= 0) slot = (slot + 1) & mask;
    }
    this.#keys.push(bytes.slice(from, to));
    this.#hashes[entry] = hash;
    this.#slots[slot] = entry;
    this.#last = entry;
    return entry;
  }

  #grow(): void {
    const hashes = new Int32Array(this.#hashes.length * 2);
    hashes.set(this.#hashes);
    this.#hashes = hashes;
    this.#slots = new Int32Array(this.#slots.length * 2).fill(-1);
    const mask = this.#slots.length - 1;
    for (let entry = 0; entry < this.#keys.length; entry++) {
      let slot = (hashes[entry] as number) & mask;
      while ((this.#slots[slot] as number) >= 0) slot = (slot + 1) & mask;
      this.#slots[slot] = entry;
    }
  }
}

/** FNV-1a, with a last mix since the table takes the low bits. */
export function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5;
  for (let i = from; i < to; i++) hash = Math.imul(hash ^ (bytes[i] as number), 0x01000193);
  return hash ^ (hash >>> 15);
}

export function equal(key: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (key.length !== to - from) return false;
  for (let i = 0; i < key.length; i++) if (key[i] !== bytes[from + i]) return false;
  return true;
}
