/**
 * Text of job_stats, line by line. It looks like YAML and is none: ids of any bytes, no blank before wide numbers.
 * A line as every known release prints it is read in one pass over its bytes; any other line goes the slow way,
 * which takes keys in any order. Both give the same.
 */
import { LOW } from "../../base/words.ts";
import { lineEnd, NEWLINE } from "../text/windows.ts";
import { readUnsigned } from "./decimal64.ts";
import { readCounterSlowly } from "./job-stats-slow.ts";
import type { Marks } from "./marks.ts";
import { paramNameEnd } from "./params.ts";
import { MAX, MIN, type Reading, SAMPLES, SUM, SUMSQ, WORDS } from "./reading.ts";
import { readStamp } from "./stamp.ts";

const BLANK = 32;
const DASH = 45;
const COLON = 58;
const COMMA = 44;
const OPEN = 123;
const CLOSE = 125;
const RETURN = 13;
const POINT = 46;
/** Ids are at most 31 bytes; some more for ids that a release may escape. A raw newline can be in one (2.5, 2.7). */
const BROKEN_ID_BYTES_MAX = 128;

const JOB_ID = [..."- job_id:"].map((c) => c.charCodeAt(0));
const SNAPSHOT = [..."snapshot_time:"].map((c) => c.charCodeAt(0));
const START = [..."start_time:"].map((c) => c.charCodeAt(0));
const ELAPSED = [..."elapsed_time:"].map((c) => c.charCodeAt(0));
const HEADER = [..."job_stats:"].map((c) => c.charCodeAt(0));

export class JobStatsText {
  readonly #reading: Reading;
  readonly #marks: Marks;
  /** Lines so far, for places in notes. */
  line = 0;
  #row = -1;
  /** The id line was the last one, so a strange line can be the rest of an id. */
  #idOpen = false;
  #previous = -1;
  #carriageReturns = false;

  constructor(reading: Reading, marks: Marks) {
    this.#reading = reading;
    this.#marks = marks;
  }

  begin(line: number): void {
    this.line = line;
    this.#row = -1;
    this.#idOpen = false;
    this.#carriageReturns = false;
  }

  /** Reads lines until `end`, or until one that begins another parameter; returns where it stopped. */
  read(bytes: Uint8Array, from: number, end: number): number {
    let at = from;
    while (at < end) {
      const first = bytes[at] as number;
      if (first === BLANK) {
        const next = this.#row >= 0 ? this.#counter(bytes, at) : -1;
        at = next >= 0 && next <= end ? next : this.#inRow(bytes, at, end);
      } else if (first === DASH && startsWith(bytes, at, end, JOB_ID)) {
        at = this.#openRow(bytes, at, end);
      } else {
        const equals = paramNameEnd(bytes, at, end);
        if (equals >= 0 && (!this.#idOpen || hasTwoPoints(bytes, at, equals))) return at;
        at = this.#strange(bytes, at, end);
      }
      this.line++;
    }
    return at;
  }

  #openRow(bytes: Uint8Array, at: number, end: number): number {
    const newline = shortLineEnd(bytes, at + JOB_ID.length, end);
    let from = at + JOB_ID.length;
    while (from < newline && (bytes[from] === BLANK || bytes[from] === 9)) from++;
    let to = newline;
    if (this.#carriageReturns && to > from && bytes[to - 1] === RETURN) to--;
    this.#row = this.#reading.openRow(bytes, from, to);
    this.#idOpen = true;
    this.#previous = 0;
    if (newline === end) this.#reading.cut = true;
    return newline + 1;
  }

  /** The fast way; -1 when the line is not exactly as expected, and then nothing has been kept. */
  #counter(bytes: Uint8Array, from: number): number {
    const reading = this.#reading;
    const { table } = reading;
    if (bytes[from + 1] !== BLANK) return -1;
    const column = table.follower[this.#previous] as number;
    if (column < 0) return -1;
    let at = from + 2;
    const name = table.nameBytes[column] as Uint8Array;
    const nameLength = name.length;
    for (let i = 0; i < nameLength; i++) if (bytes[at + i] !== name[i]) return -1;
    at += nameLength;
    if (bytes[at] !== COLON) return -1;
    do at++;
    while (bytes[at] === BLANK);
    // { samples:
    if (bytes[at] !== OPEN || bytes[at + 1] !== BLANK || bytes[at + 2] !== 115 || bytes[at + 3] !== 97)
      return -1;
    if (bytes[at + 4] !== 109 || bytes[at + 5] !== 112 || bytes[at + 6] !== 108) return -1;
    if (bytes[at + 7] !== 101 || bytes[at + 8] !== 115 || bytes[at + 9] !== COLON) return -1;
    reading.reserveEntry();
    const entry = reading.entries;
    const word = entry * WORDS;
    const { halves } = reading;
    at = readUnsigned(bytes, at + 10, halves, word + SAMPLES);
    // , unit:
    if (at < 0 || bytes[at] !== COMMA || bytes[at + 1] !== BLANK || bytes[at + 2] !== 117) return -1;
    if (bytes[at + 3] !== 110 || bytes[at + 4] !== 105 || bytes[at + 5] !== 116 || bytes[at + 6] !== COLON)
      return -1;
    at += 7;
    while (bytes[at] === BLANK) at++;
    const unit = table.unitBytes[column] as Uint8Array;
    const unitLength = unit.length;
    for (let i = 0; i < unitLength; i++) if (bytes[at + i] !== unit[i]) return -1;
    at += unitLength;
    let shape = 1;
    if (bytes[at] === COMMA) {
      // , min: , max: , sum:
      if (bytes[at + 1] !== BLANK || bytes[at + 2] !== 109 || bytes[at + 3] !== 105 || bytes[at + 4] !== 110)
        return -1;
      if (bytes[at + 5] !== COLON) return -1;
      at = readUnsigned(bytes, at + 6, halves, word + MIN);
      if (at < 0 || bytes[at] !== COMMA || bytes[at + 1] !== BLANK || bytes[at + 2] !== 109) return -1;
      if (bytes[at + 3] !== 97 || bytes[at + 4] !== 120 || bytes[at + 5] !== COLON) return -1;
      at = readUnsigned(bytes, at + 6, halves, word + MAX);
      if (at < 0 || bytes[at] !== COMMA || bytes[at + 1] !== BLANK || bytes[at + 2] !== 115) return -1;
      if (bytes[at + 3] !== 117 || bytes[at + 4] !== 109 || bytes[at + 5] !== COLON) return -1;
      at = readUnsigned(bytes, at + 6, halves, word + SUM);
      if (at < 0) return -1;
      shape = 4;
      if (bytes[at] === COMMA && bytes[at + 1] === BLANK && bytes[at + 2] === 115) {
        // , sumsq:
        if (bytes[at + 3] !== 117 || bytes[at + 4] !== 109 || bytes[at + 5] !== 115) return -1;
        if (bytes[at + 6] !== 113 || bytes[at + 7] !== COLON) return -1;
        at = readUnsigned(bytes, at + 8, halves, word + SUMSQ);
        if (at < 0) return -1;
        shape = 5;
      }
    }
    const buckets = reading.buckets;
    if (bytes[at] === COMMA) at = this.#hist(bytes, at, entry);
    if (at < 0 || bytes[at] !== BLANK || bytes[at + 1] !== CLOSE || bytes[at + 2] !== NEWLINE) {
      reading.buckets = buckets;
      return -1;
    }
    if (this.#marks.row[column] === this.#row) {
      reading.buckets = buckets;
      return -1;
    }
    if (shape < 5) clearWords(halves, word, shape);
    this.#keep(column, entry, shape);
    return at + 3;
  }

  #keep(column: number, entry: number, shape: number): void {
    const reading = this.#reading;
    reading.column[entry] = column;
    reading.shape[entry] = shape;
    reading.entries = entry + 1;
    reading.entryTo[this.#row] = entry + 1;
    this.#marks.row[column] = this.#row;
    this.#marks.entry[column] = entry;
    this.#previous = column + 1;
    this.#idOpen = false;
  }

  /** `, hist: { 32K: 1, 16M: 859 }` at `from`; returns the index after its brace, or -1. */
  #hist(bytes: Uint8Array, from: number, entry: number): number {
    const reading = this.#reading;
    let at = from;
    // , hist: {
    if (bytes[at + 1] !== BLANK || bytes[at + 2] !== 104 || bytes[at + 3] !== 105 || bytes[at + 4] !== 115)
      return -1;
    if (bytes[at + 5] !== 116 || bytes[at + 6] !== COLON || bytes[at + 7] !== BLANK || bytes[at + 8] !== OPEN)
      return -1;
    at += 9;
    for (;;) {
      while (bytes[at] === BLANK) at++;
      if (bytes[at] === CLOSE) return at + 1;
      let key = 0;
      const keyAt = at;
      for (let digit: number; (digit = (bytes[at] as number) - 48) >= 0 && digit <= 9 && at - keyAt < 9; at++)
        key = key * 10 + digit;
      const log2 = bucketLog2(key, bytes[at] as number);
      if (log2 < 0) return -1;
      if (bytes[at] !== COLON) at++;
      if (bytes[at] !== COLON) return -1;
      at = readUnsigned(bytes, at + 1, scratch, 0);
      if (at < 0) return -1;
      reading.addBucket(entry, log2, scratch[LOW] as number, scratch[1 - LOW] as number);
      if (bytes[at] === COMMA) at++;
      else if (bytes[at] !== BLANK) return -1;
    }
  }

  /** A line that begins with a blank and is not as predicted: a stamp, a counter seen for the first time, or odd. */
  #inRow(bytes: Uint8Array, at: number, end: number): number {
    const reading = this.#reading;
    const newline = shortLineEnd(bytes, at, end);
    const row = this.#row;
    if (row < 0) return this.#unknown(newline, end);
    const ended = newline < end;
    if (startsWith(bytes, at + 2, newline, SNAPSHOT)) {
      this.#idOpen = false;
      this.#stamp(bytes, at + 2 + SNAPSHOT.length, newline, ended, reading.snapshotHalves);
    } else if (startsWith(bytes, at + 2, newline, START)) {
      this.#stamp(bytes, at + 2 + START.length, newline, ended, reading.startHalves);
    } else if (!startsWith(bytes, at + 2, newline, ELAPSED)) {
      this.#slow(bytes, at, newline, end);
    }
    return newline + 1;
  }

  #stamp(bytes: Uint8Array, from: number, newline: number, ended: boolean, halves: Uint32Array): void {
    // A stamp without its end of line may lack digits.
    if (!ended) this.#broken(true);
    else if (readStamp(bytes, from, newline, halves, this.#row) < 0) this.#broken(false);
  }

  #slow(bytes: Uint8Array, at: number, newline: number, end: number): void {
    const reading = this.#reading;
    const found = readCounterSlowly(bytes, at, newline, reading);
    if (found === "strange") {
      if (this.#idOpen) this.#continueId(bytes, at, newline, end);
      else this.#unknown(newline, end);
      return;
    }
    if (found === "broken") {
      this.#broken(newline === end);
      return;
    }
    this.#idOpen = false;
    const { column, shape } = found;
    const entry = reading.entries;
    if (this.#marks.row[column] === this.#row) {
      reading.notes.duplicates++;
      reading.replaceEntry(this.#marks.entry[column] as number, entry, shape);
      return;
    }
    if (this.#previous >= 0) reading.table.follower[this.#previous] = column;
    this.#keep(column, entry, shape);
  }

  /** A line at column 0 that is no job and no parameter. */
  #strange(bytes: Uint8Array, at: number, end: number): number {
    const newline = lineEnd(bytes, at, end);
    if (this.#row < 0 && startsWith(bytes, at, newline, HEADER)) {
      this.#carriageReturns = bytes[newline - 1] === RETURN;
      return newline + 1;
    }
    if (this.#idOpen) this.#continueId(bytes, at, newline, end);
    else if (!isPadding(bytes, at, newline)) this.#unknown(newline, end);
    return newline + 1;
  }

  /** The rest of an id with a newline in it. */
  #continueId(bytes: Uint8Array, at: number, newline: number, end: number): void {
    const reading = this.#reading;
    const row = this.#row;
    const length = (reading.idTo[row] as number) - (reading.idFrom[row] as number);
    if (length + 1 + newline - at > BROKEN_ID_BYTES_MAX) {
      this.#idOpen = false;
      this.#unknown(newline, end);
      return;
    }
    // The newline is the byte before the line; a window may begin here, so it is given apart.
    reading.extendId(row, NEWLINE_BYTE, 0, 1);
    const hasReturn = this.#carriageReturns && newline > at && bytes[newline - 1] === RETURN;
    reading.extendId(row, bytes, at, hasReturn ? newline - 1 : newline);
    if (newline === end) reading.cut = true;
  }

  #unknown(newline: number, end: number): number {
    this.#reading.notes.unknownLines++;
    if (newline === end) this.#reading.cut = true;
    return newline + 1;
  }

  #broken(cut: boolean): void {
    const { notes } = this.#reading;
    notes.brokenLines++;
    if (notes.firstBrokenLine === 0) notes.firstBrokenLine = this.line;
    if (cut) this.#reading.cut = true;
  }
}

const scratch = new Uint32Array(2);
const NEWLINE_BYTE = Uint8Array.of(NEWLINE);

/** 32 with K is 15; -1 when it is no power of two. */
function bucketLog2(key: number, suffix: number): number {
  if (key <= 0 || (key & (key - 1)) !== 0) return -1;
  const log2 = 31 - Math.clz32(key);
  if (suffix === COLON) return log2;
  const more = suffix === 75 ? 10 : suffix === 77 ? 20 : suffix === 71 ? 30 : suffix === 84 ? 40 : -1;
  return more < 0 || log2 + more > 63 ? -1 : log2 + more;
}

/** Words of the entry beyond its shape become 0, since the memory may have been used. */
export function clearWords(halves: Uint32Array, word: number, shape: number): void {
  for (let i = 2 * (word + shape); i < 2 * (word + WORDS); i++) halves[i] = 0;
}

/** After an id line only a whole name ends the row: an id with a newline may go on as `a=b`. */
function hasTwoPoints(bytes: Uint8Array, from: number, to: number): boolean {
  const point = bytes.indexOf(POINT, from);
  return point >= 0 && point < to && lineHas(bytes, point + 1, to, POINT);
}

function lineHas(bytes: Uint8Array, from: number, to: number, byte: number): boolean {
  const at = bytes.indexOf(byte, from);
  return at >= 0 && at < to;
}

/** As `lineEnd`, for lines of some dozen bytes: to call the search of a buffer would take longer than to look. */
function shortLineEnd(bytes: Uint8Array, from: number, end: number): number {
  let at = from;
  while (at < end && bytes[at] !== NEWLINE) at++;
  return at;
}

export function startsWith(bytes: Uint8Array, at: number, end: number, word: readonly number[]): boolean {
  if (at + word.length > end) return false;
  for (let i = 0; i < word.length; i++) if (bytes[at + i] !== word[i]) return false;
  return true;
}

/** Blank lines and the NUL bytes that fill pages of /sys. */
export function isPadding(bytes: Uint8Array, from: number, to: number): boolean {
  for (let at = from; at < to; at++) {
    const byte = bytes[at];
    if (byte !== 0 && byte !== BLANK && byte !== RETURN && byte !== 9) return false;
  }
  return true;
}
