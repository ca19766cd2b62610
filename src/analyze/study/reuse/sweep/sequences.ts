/** The accesses of a file in the order of time: gaps between accesses of a type, and streaks of one type (A07 to A09). */
import { Column, type Pages } from "./column.ts";
import {
  BALANCED_TYPE,
  COMPLETE,
  DURATION,
  FLAGS,
  NO_TYPE,
  READ_TYPE,
  type Records,
  RUN,
  START,
  TIMED,
  WRITE_TYPE,
} from "./records.ts";

const IN_SEQUENCE = TIMED | COMPLETE;
/** Shorter sequences are sorted here; a call into the engine costs more. */
const INSERT_MAX = 24;
const NS_PER_HOUR = 3.6e12;

export class Sequences {
  readonly gapRead: Column;
  readonly gapWrite: Column;
  readonly gapAny: Column;
  /** 0 without an access of the type; NaN without any access in the sequence. */
  readonly streakRead: Column;
  readonly streakWrite: Column;
  readonly reads: Column;
  readonly writes: Column;
  /** Start of the last access in the sequence, of any type or of one, seconds since 1970. */
  readonly last: Column;
  readonly lastRead: Column;
  readonly lastWrite: Column;
  accesses = 0;
  readonly gaps = { read: 0, write: 0 };
  readonly streaks = { read: 0, write: 0 };
  balanced = 0;
  /** The file with reads and writes whose number of accesses comes closest to `EXAMPLE`; -1 without one. */
  example = -1;
  #exampleOff = Number.POSITIVE_INFINITY;
  readonly #fromEnd: boolean;
  #keys = new BigUint64Array(256);
  #words = new Uint32Array(this.#keys.buffer);
  #rows = new Uint32Array(256);
  /** By type: how many, first and last place, streaks. */
  readonly #count = new Float64Array(4);
  readonly #first = new Float64Array(4);
  readonly #latest = new Float64Array(4);
  readonly #begun = new Float64Array(4);

  constructor(fromEnd: boolean, pages?: Pages) {
    const column = () => new Column(pages);
    [this.gapRead, this.gapWrite, this.gapAny] = [column(), column(), column()];
    [this.streakRead, this.streakWrite] = [column(), column()];
    [this.last, this.lastRead, this.lastWrite] = [column(), column(), column()];
    [this.reads, this.writes] = [new Column(pages, 0), new Column(pages, 0)];
    this.#fromEnd = fromEnd;
  }

  /** When all files were added. */
  end(files: number): void {
    for (const value of Object.values(this)) if (value instanceof Column) value.reach(files);
  }

  add(file: number, records: Records, from: number, to: number): void {
    const n = this.#order(records, from, to);
    if (n === 0) return;
    const words = this.#words;
    const [count, first, latest, begun] = [this.#count, this.#first, this.#latest, this.#begun];
    count.fill(0);
    begun.fill(0);
    let before = -1;
    for (let i = 0; i < n; i++) {
      const type = (words[2 * i] as number) & 3;
      if (count[type] === 0) first[type] = i;
      count[type] = (count[type] as number) + 1;
      latest[type] = i;
      if (type !== before) begun[type] = (begun[type] as number) + 1;
      before = type;
    }
    this.#note(file, n);
    this.gapAny.put(file, n < 2 ? Number.NaN : this.#between(0, n - 1) / (n - 1) / NS_PER_HOUR);
    this.gapRead.put(file, this.#gap(READ_TYPE, n, records));
    this.gapWrite.put(file, this.#gap(WRITE_TYPE, n, records));
  }

  #note(file: number, n: number): void {
    const [count, begun] = [this.#count, this.#begun];
    const [reads, writes] = [count[READ_TYPE] as number, count[WRITE_TYPE] as number];
    this.accesses += n;
    this.balanced += count[BALANCED_TYPE] as number;
    this.gaps.read += Math.max(0, reads - 1);
    this.gaps.write += Math.max(0, writes - 1);
    this.streaks.read += begun[READ_TYPE] as number;
    this.streaks.write += begun[WRITE_TYPE] as number;
    this.reads.put(file, reads);
    this.writes.put(file, writes);
    this.streakRead.put(file, reads === 0 ? 0 : reads / (begun[READ_TYPE] as number));
    this.streakWrite.put(file, writes === 0 ? 0 : writes / (begun[WRITE_TYPE] as number));
    this.last.put(file, this.#seconds(n - 1));
    if (reads > 0) this.lastRead.put(file, this.#seconds(this.#latest[READ_TYPE] as number));
    if (writes > 0) this.lastWrite.put(file, this.#seconds(this.#latest[WRITE_TYPE] as number));
    if (reads > 0 && writes > 0 && Math.abs(n - EXAMPLE) < this.#exampleOff) {
      this.#exampleOff = Math.abs(n - EXAMPLE);
      this.example = file;
    }
  }

  /** Mean gap between the accesses of a type, hours. Successive differences add up to last minus first. */
  #gap(type: number, n: number, { doubles, stride }: Records): number {
    const count = this.#count[type] as number;
    if (count < 2) return Number.NaN;
    const last = this.#latest[type] as number;
    let sum = this.#between(this.#first[type] as number, last);
    if (this.#fromEnd)
      for (let i = 0; i < n; i++)
        if (i !== last && ((this.#words[2 * i] as number) & 3) === type)
          sum -= doubles[((this.#rows[i] as number) * stride + DURATION) >> 1] as number;
    return sum / (count - 1) / NS_PER_HOUR;
  }

  /** Nanoseconds from place a to place b. */
  #between(a: number, b: number): number {
    const words = this.#words;
    return (
      ((words[2 * b + 1] as number) - (words[2 * a + 1] as number)) * 2 ** 30 +
      ((words[2 * b] as number) >>> 2) -
      ((words[2 * a] as number) >>> 2)
    );
  }

  #seconds(place: number): number {
    const [low, high] = [this.#words[2 * place] as number, this.#words[2 * place + 1] as number];
    return (high * 2 ** 30 + (low >>> 2)) / 1e9;
  }

  /** Fills the keys (start and type) of the accesses in the sequence, sorted; returns how many there are. */
  #order(records: Records, from: number, to: number): number {
    const { words: all, stride } = records;
    if (to - from > this.#keys.length) {
      this.#keys = new BigUint64Array(2 * (to - from));
      this.#words = new Uint32Array(this.#keys.buffer);
      this.#rows = new Uint32Array(this.#keys.length);
    }
    const [words, rows] = [this.#words, this.#rows];
    let n = 0;
    let rising = true;
    for (let row = from; row < to; row++) {
      const at = row * stride;
      const low = all[at] as number;
      if (((all[at + FLAGS] as number) & IN_SEQUENCE) !== IN_SEQUENCE || (low & 3) === NO_TYPE) continue;
      const high = all[at + 1] as number;
      if (n > 0) {
        const before = words[2 * n - 1] as number;
        if (before > high || (before === high && (words[2 * n - 2] as number) > low)) rising = false;
      }
      words[2 * n] = low;
      words[2 * n + 1] = high;
      rows[n] = row;
      n++;
    }
    if (this.#fromEnd) this.#orderRows(records, n);
    else {
      if (!rising)
        if (n <= INSERT_MAX) insertionSort(words, n);
        else this.#keys.subarray(0, n).sort();
      if (this.#tied(n)) this.#orderRows(records, n);
    }
    return n;
  }

  /** Whether accesses of different types began at the same time: then the ids of their runs decide. */
  #tied(n: number): boolean {
    const words = this.#words;
    for (let i = 1; i < n; i++)
      if (
        words[2 * i + 1] === words[2 * i - 1] &&
        ((words[2 * i] as number) ^ (words[2 * i - 2] as number)) >>> 2 === 0 &&
        words[2 * i] !== words[2 * i - 2]
      )
        return true;
    return false;
  }

  #orderRows(records: Records, n: number): void {
    const { words: all, stride } = records;
    // The keys may be sorted, the rows are not.
    sortRows(records, this.#rows.subarray(0, n));
    for (let i = 0; i < n; i++) {
      const at = (this.#rows[i] as number) * stride;
      this.#words[2 * i] = all[at] as number;
      this.#words[2 * i + 1] = all[at + 1] as number;
    }
  }
}

const EXAMPLE = 12;

/** Rows by start, ties by the id of the run. */
export function sortRows({ words, stride }: Records, rows: Uint32Array): void {
  rows.sort((a, b) => {
    const [p, q] = [a * stride, b * stride];
    return (
      (words[p + START + 1] as number) - (words[q + START + 1] as number) ||
      ((words[p + START] as number) >>> 2) - ((words[q + START] as number) >>> 2) ||
      (words[p + RUN + 1] as number) - (words[q + RUN + 1] as number) ||
      (words[p + RUN] as number) - (words[q + RUN] as number)
    );
  });
}

function insertionSort(words: Uint32Array, n: number): void {
  for (let i = 1; i < n; i++) {
    const low = words[2 * i] as number;
    const high = words[2 * i + 1] as number;
    let j = i - 1;
    for (; j >= 0; j--) {
      const otherHigh = words[2 * j + 1] as number;
      const otherLow = words[2 * j] as number;
      if (otherHigh < high || (otherHigh === high && otherLow <= low)) break;
      words[2 * j + 2] = otherLow;
      words[2 * j + 3] = otherHigh;
    }
    words[2 * j + 2] = low;
    words[2 * j + 3] = high;
  }
}
