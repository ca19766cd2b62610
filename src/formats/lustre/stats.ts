/**
 * Text of `stats` files: `name  count samples [unit] min max sum sumsq`. Used by llite, md_stats, obdfilter, exports
 * and all services. Counters without samples are not printed, so one that is missing is zero.
 */
import { lineEnd } from "../text/windows.ts";
import { readSigned } from "./decimal64.ts";
import { latinText } from "./job-id.ts";
import { clearWords, isPadding, startsWith } from "./job-stats.ts";
import type { Marks } from "./marks.ts";
import { MIN, type Reading, SAMPLES, WORDS } from "./reading.ts";
import { readStamp } from "./stamp.ts";

const BLANK = 32;
const RETURN = 13;
const EQUALS = 61;
const OPEN = 91;
const CLOSE = 93;
const codes = (text: string) => [...text].map((c) => c.charCodeAt(0));
const SAMPLES_WORD = codes("samples");
const STAMPS = {
  snapshot: codes("snapshot_time"),
  start: codes("start_time"),
  elapsed: codes("elapsed_time"),
};
const NOTHING = new Uint8Array(0);

export class StatsText {
  readonly #reading: Reading;
  readonly #marks: Marks;
  line = 0;
  #previous = 0;

  constructor(reading: Reading, marks: Marks) {
    this.#reading = reading;
    this.#marks = marks;
  }

  begin(line: number): void {
    this.line = line;
    this.#previous = 0;
    this.#reading.signed = true;
    this.#reading.openRow(NOTHING, 0, 0);
  }

  /** Reads lines until `end`, a parameter, or the stamp of another reading; returns where it stopped. */
  read(bytes: Uint8Array, from: number, end: number): number {
    let at = from;
    while (at < end) {
      const newline = lineEnd(bytes, at, end);
      let nameTo = at;
      for (let byte = 0; nameTo < newline && (byte = bytes[nameTo] as number) > BLANK && byte !== EQUALS; )
        nameTo++;
      if (nameTo > at && bytes[nameTo] === EQUALS) return at;
      if (!this.#line(bytes, at, nameTo, newline, end)) return at;
      this.line++;
      at = newline + 1;
    }
    return at;
  }

  /** False when the line belongs to the next reading. */
  #line(bytes: Uint8Array, at: number, nameTo: number, newline: number, end: number): boolean {
    const reading = this.#reading;
    if (nameTo === at) {
      if (!isPadding(bytes, at, newline)) reading.notes.unknownLines++;
      return true;
    }
    if (isWord(bytes, at, nameTo, STAMPS.snapshot)) {
      if (reading.entries > 0) return false;
      this.#stamp(bytes, nameTo, newline, end, reading.snapshotHalves);
    } else if (isWord(bytes, at, nameTo, STAMPS.start)) {
      this.#stamp(bytes, nameTo, newline, end, reading.startHalves);
    } else if (!isWord(bytes, at, nameTo, STAMPS.elapsed)) {
      this.#counter(bytes, at, nameTo, newline, end);
    }
    return true;
  }

  #stamp(bytes: Uint8Array, from: number, newline: number, end: number, halves: Uint32Array): void {
    // Only the word after a stamp says that no digit is missing.
    const whole = newline < end || bytes[newline - 1] === 115 || bytes[newline - 1] === 41;
    if (!whole || readStamp(bytes, from, newline, halves, 0) < 0) this.#broken(newline === end);
  }

  #counter(bytes: Uint8Array, from: number, nameTo: number, newline: number, end: number): void {
    const reading = this.#reading;
    reading.reserveEntry();
    const entry = reading.entries;
    const word = entry * WORDS;
    let at = readSigned(bytes, nameTo, reading.halves, word + SAMPLES);
    if (at < 0 || at > newline) {
      // `error: get_param: ...` and other lines of people; a counter that is cut after its name looks the same.
      if (newline === end) this.#broken(true);
      else reading.notes.unknownLines++;
      return;
    }
    while (bytes[at] === BLANK) at++;
    if (!startsWith(bytes, at, newline, SAMPLES_WORD)) {
      this.#broken(newline === end);
      return;
    }
    at += SAMPLES_WORD.length;
    while (at < newline && bytes[at] === BLANK) at++;
    let unitFrom = at;
    let unitTo = at;
    if (bytes[at] === OPEN) {
      unitFrom = ++at;
      while (at < newline && bytes[at] !== CLOSE) at++;
      unitTo = at;
      if (at === newline) {
        this.#broken(newline === end);
        return;
      }
      at++;
    }
    const shape = this.#numbers(bytes, at, newline, word);
    // Without its end of line a counter can lack digits, or numbers.
    if (shape < 0 || newline === end) {
      this.#broken(newline === end);
      return;
    }
    clearWords(reading.halves, word, shape);
    const column = this.#column(bytes, from, nameTo, unitFrom, unitTo);
    if (column < 0) {
      reading.notes.unknownLines++;
      return;
    }
    this.#marks.row[column] = 0;
    reading.column[entry] = column;
    reading.shape[entry] = shape;
    reading.entryTo[0] = reading.entries = entry + 1;
    this.#previous = column + 1;
  }

  /** min, max, sum and sumsq as far as they are there; returns the shape, or -1. */
  #numbers(bytes: Uint8Array, from: number, newline: number, word: number): number {
    let at = from;
    let found = 0;
    for (;;) {
      while (at < newline && (bytes[at] === BLANK || bytes[at] === RETURN || bytes[at] === 0)) at++;
      if (at >= newline) break;
      if (found === 4) return -1;
      at = readSigned(bytes, at, this.#reading.halves, word + MIN + found);
      if (at < 0 || at > newline) return -1;
      found++;
    }
    return found === 0 ? 1 : found === 3 ? 4 : found === 4 ? 5 : -1;
  }

  /**
   * Two layers of a server may count under one name (`statfs` of obdfilter): the second is `statfs#2`, so that neither
   * is lost or taken for a fall of the other.
   */
  #column(bytes: Uint8Array, from: number, nameTo: number, unitFrom: number, unitTo: number): number {
    const { table, notes } = this.#reading;
    const guess = table.follower[this.#previous] as number;
    if (
      guess >= 0 &&
      this.#marks.row[guess] !== 0 &&
      sameBytes(table.nameBytes[guess] as Uint8Array, bytes, from, nameTo) &&
      sameBytes(table.unitBytes[guess] as Uint8Array, bytes, unitFrom, unitTo)
    )
      return guess;
    let column = table.columnOf(bytes, from, nameTo, unitFrom, unitTo);
    for (let time = 2; column >= 0 && this.#marks.row[column] === 0; time++) {
      if (time === 2) notes.duplicates++;
      const name = `${latinText(bytes.subarray(from, nameTo))}#${time}`;
      column = table.column(name, latinText(bytes.subarray(unitFrom, unitTo)));
    }
    if (column >= 0) table.follower[this.#previous] = column;
    return column;
  }

  #broken(cut: boolean): void {
    const { notes } = this.#reading;
    notes.brokenLines++;
    if (notes.firstBrokenLine === 0) notes.firstBrokenLine = this.line;
    if (cut) this.#reading.cut = true;
  }
}

function isWord(bytes: Uint8Array, from: number, to: number, word: readonly number[]): boolean {
  return to - from === word.length && startsWith(bytes, from, to, word);
}

function sameBytes(key: Uint8Array, bytes: Uint8Array, from: number, to: number): boolean {
  if (key.length !== to - from) return false;
  for (let i = 0; i < key.length; i++) if (key[i] !== bytes[from + i]) return false;
  return true;
}
