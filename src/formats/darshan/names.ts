/**
 * The name region: record id → name.
 *
 *   3.00     u64 id, u32 length, that many bytes
 *   >= 3.10  u64 id, bytes, NUL
 *
 * Entries are not aligned. Ranks write their own tables, so an id may come again: the first name counts, but
 * a later one replaces an empty one. The table keeps the plain region and an index into it; a name becomes a
 * string only when somebody asks.
 */
import { FormatError, LimitError } from "../../base/errors.ts";
import { decode } from "./job.ts";

export class NameTable {
  readonly #bytes: Uint8Array;
  /** Per entry: start and end of the name in the plain region. */
  #starts: Uint32Array;
  #ends: Uint32Array;
  #low: Uint32Array;
  #high: Uint32Array;
  /** Open addressing: entry number + 1, 0 for free. */
  #slots: Uint32Array;
  #count = 0;

  constructor(bytes: Uint8Array, expected = 16) {
    this.#bytes = bytes;
    this.#starts = new Uint32Array(expected);
    this.#ends = new Uint32Array(expected);
    this.#low = new Uint32Array(expected);
    this.#high = new Uint32Array(expected);
    let capacity = 32;
    while (capacity < expected * 2) capacity *= 2;
    this.#slots = new Uint32Array(capacity);
  }

  /** Number of different ids. */
  get size(): number {
    return this.#count;
  }

  /** Raw bytes of the name, or undefined when the log has none for that id. */
  bytesOf(low: number, high: number): Uint8Array | undefined {
    const entry = this.#find(low, high);
    return entry < 0
      ? undefined
      : this.#bytes.subarray(this.#starts[entry] as number, this.#ends[entry] as number);
  }

  /** The name as text, or undefined. */
  get(id: bigint): string | undefined {
    const bytes = this.bytesOf(Number(id & 0xffffffffn), Number(id >> 32n));
    return bytes === undefined ? undefined : decode(bytes);
  }

  /** All entries in the order of the file. */
  *entries(): Generator<{ readonly id: bigint; readonly bytes: Uint8Array }> {
    for (let entry = 0; entry < this.#count; entry++) {
      yield {
        id: (BigInt(this.#high[entry] as number) << 32n) | BigInt(this.#low[entry] as number),
        bytes: this.#bytes.subarray(this.#starts[entry] as number, this.#ends[entry] as number),
      };
    }
  }

  add(low: number, high: number, start: number, end: number): void {
    const known = this.#find(low, high);
    if (known >= 0) {
      if (this.#starts[known] === this.#ends[known] && end > start) {
        this.#starts[known] = start;
        this.#ends[known] = end;
      }
      return;
    }
    if (this.#count === this.#starts.length) this.#grow();
    const entry = this.#count++;
    this.#starts[entry] = start;
    this.#ends[entry] = end;
    this.#low[entry] = low;
    this.#high[entry] = high;
    this.#place(entry);
  }

  #find(low: number, high: number): number {
    const mask = this.#slots.length - 1;
    for (let slot = mixed(low, high) & mask; ; slot = (slot + 1) & mask) {
      const entry = (this.#slots[slot] as number) - 1;
      if (entry < 0) return -1;
      if (this.#low[entry] === low && this.#high[entry] === high) return entry;
    }
  }

  #place(entry: number): void {
    const mask = this.#slots.length - 1;
    let slot = mixed(this.#low[entry] as number, this.#high[entry] as number) & mask;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & mask;
    this.#slots[slot] = entry + 1;
  }

  #grow(): void {
    const longer = (old: Uint32Array): Uint32Array<ArrayBuffer> => {
      const grown = new Uint32Array(old.length * 2);
      grown.set(old);
      return grown;
    };
    this.#starts = longer(this.#starts);
    this.#ends = longer(this.#ends);
    this.#low = longer(this.#low);
    this.#high = longer(this.#high);
    if (this.#starts.length * 2 > this.#slots.length) {
      this.#slots = new Uint32Array(this.#slots.length * 2);
      for (let entry = 0; entry < this.#count; entry++) this.#place(entry);
    }
  }
}

/** Ids are hashes already, but a file may hold anything; the salt keeps crafted ids from piling up. */
const SALT = Math.floor(Math.random() * 2 ** 32);

function mixed(low: number, high: number): number {
  const h = Math.imul(low ^ Math.imul(high ^ SALT, 0x9e3779b1), 0x85ebca6b);
  return (h ^ (h >>> 15)) >>> 0;
}

interface NameRegionFacts {
  readonly source: string;
  readonly offset: number;
  readonly minor: number;
  readonly bigEndian: boolean;
  readonly nameBytesMax: number;
}

/** Indexes a plain name region. `onDamage` receives the error of an incomplete last entry; then what came before is kept. */
export function readNames(
  plain: Uint8Array,
  facts: NameRegionFacts,
  onDamage: (error: FormatError) => void,
): NameTable {
  const { bigEndian } = facts;
  const table = new NameTable(plain, Math.max(16, Math.min(plain.length >>> 6, 1 << 20)));
  const word = bigEndian
    ? (at: number) =>
        (((plain[at] as number) << 24) |
          ((plain[at + 1] as number) << 16) |
          ((plain[at + 2] as number) << 8) |
          (plain[at + 3] as number)) >>>
        0
    : (at: number) =>
        (((plain[at + 3] as number) << 24) |
          ((plain[at + 2] as number) << 16) |
          ((plain[at + 1] as number) << 8) |
          (plain[at] as number)) >>>
        0;
  const prefixed = facts.minor === 0;
  const headBytes = prefixed ? 12 : 8;
  const damaged = (at: number, what: string) =>
    onDamage(
      new FormatError(facts.source, { offset: facts.offset }, `name region: plain byte ${at}: ${what}`),
    );
  let at = 0;
  while (at < plain.length) {
    if (plain.length - at < headBytes) {
      damaged(at, `an entry needs at least ${headBytes} bytes, ${plain.length - at} left`);
      break;
    }
    const start = at + headBytes;
    let end: number;
    if (prefixed) {
      end = start + word(at + 8);
      if (end > plain.length) {
        damaged(at, `a name of ${end - start} bytes, ${plain.length - start} left`);
        break;
      }
    } else {
      end = plain.indexOf(0, start);
      if (end < 0) {
        damaged(at, "a name without its end");
        break;
      }
    }
    if (end - start > facts.nameBytesMax) {
      throw new LimitError(
        facts.source,
        { offset: facts.offset },
        `name region: plain byte ${at}: a name of ${end - start} bytes; the limit is ${facts.nameBytesMax} (--max-name-bytes)`,
      );
    }
    table.add(word(bigEndian ? at + 4 : at), word(bigEndian ? at : at + 4), start, end);
    at = prefixed ? end : end + 1;
  }
  return table;
}
