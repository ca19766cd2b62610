/**
 * Counters by number. What a counter is, is its name and its unit together: `read` in bytes and `read` in
 * microseconds are two counters, whatever release printed them.
 */
import { latinText } from "./job-id.ts";

/** A file that names more counters than this is not what it seems; what comes beyond is counted as unknown. */
export const COUNTERS_MAX = 4096;

export class CounterTable {
  readonly names: string[] = [];
  readonly units: string[] = [];
  /** The bytes of `names` and `units`, for comparing without strings. */
  readonly nameBytes: Uint8Array[] = [];
  readonly unitBytes: Uint8Array[] = [];
  /** Which counter came after each one when it was last seen; entry 0 is for the first of a row. -1: not known. */
  readonly follower = new Int32Array(COUNTERS_MAX + 1).fill(-1);
  readonly #columns = new Map<string, number>();

  get size(): number {
    return this.names.length;
  }

  /** The number of a counter, a new one when it has not come before; -1 when the table is full. */
  column(name: string, unit: string): number {
    const key = `${unit} ${name}`;
    const known = this.#columns.get(key);
    if (known !== undefined) return known;
    if (this.names.length >= COUNTERS_MAX) return -1;
    const column = this.names.length;
    this.#columns.set(key, column);
    this.names.push(name);
    this.units.push(unit);
    this.nameBytes.push(latinBytes(name));
    this.unitBytes.push(latinBytes(unit));
    return column;
  }

  columnOf(bytes: Uint8Array, nameFrom: number, nameTo: number, unitFrom: number, unitTo: number): number {
    return this.column(
      latinText(bytes.subarray(nameFrom, nameTo)),
      latinText(bytes.subarray(unitFrom, unitTo)),
    );
  }

  /** The number of a counter if it is known, else -1. */
  find(name: string, unit: string): number {
    return this.#columns.get(`${unit} ${name}`) ?? -1;
  }
}

function latinBytes(text: string): Uint8Array {
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}
