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
import { IdIndex } from "../../base/id-index.ts";
import { longer } from "../../base/room.ts";
import { decode } from "./job.ts";

export class NameTable {
  readonly #bytes: Uint8Array;
  readonly #ids: IdIndex;
  /** Per id: start and end of the name in the plain region. */
  #starts: Uint32Array;
  #ends: Uint32Array;

  constructor(bytes: Uint8Array, expected = 16) {
    this.#bytes = bytes;
    this.#ids = new IdIndex(expected);
    this.#starts = new Uint32Array(expected);
    this.#ends = new Uint32Array(expected);
  }

  /** Number of different ids. */
  get size(): number {
    return this.#ids.count;
  }

  /** Raw bytes of the name, or undefined when the log has none for that id. */
  bytesOf(low: number, high: number): Uint8Array | undefined {
    const entry = this.#ids.find(low, high);
    return entry < 0 ? undefined : this.#bytesAt(entry);
  }

  /** The name as text, or undefined. */
  get(id: bigint): string | undefined {
    const bytes = this.bytesOf(Number(id & 0xffffffffn), Number(id >> 32n));
    return bytes === undefined ? undefined : decode(bytes);
  }

  /** All entries in the order of the file. */
  *entries(): Generator<{ readonly id: bigint; readonly bytes: Uint8Array }> {
    for (let entry = 0; entry < this.size; entry++)
      yield { id: this.#ids.id(entry), bytes: this.#bytesAt(entry) };
  }

  add(low: number, high: number, start: number, end: number): void {
    const before = this.size;
    const entry = this.#ids.numberOf(low, high);
    const isEmpty = entry < before && this.#starts[entry] === this.#ends[entry] && end > start;
    if (entry < before && !isEmpty) return;
    if (entry >= this.#starts.length) {
      this.#starts = longer(this.#starts);
      this.#ends = longer(this.#ends);
    }
    this.#starts[entry] = start;
    this.#ends[entry] = end;
  }

  #bytesAt(entry: number): Uint8Array {
    return this.#bytes.subarray(this.#starts[entry] as number, this.#ends[entry] as number);
  }
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
      damaged(at, `an entry needs at least ${headBytes} bytes, but only ${plain.length - at} are left`);
      break;
    }
    const start = at + headBytes;
    let end: number;
    if (prefixed) {
      end = start + word(at + 8);
      if (end > plain.length) {
        damaged(at, `a name of ${end - start} bytes, but only ${plain.length - start} are left`);
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
