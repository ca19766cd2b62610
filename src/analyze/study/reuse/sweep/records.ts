/**
 * The accesses of some selected files in memory, those of a file side by side, so that all that is asked of a file is
 * answered while its accesses are in the cache. One access is a row of words in one buffer.
 */
import { UsageError } from "../../../../base/errors.ts";
import type { Queryable, RawColumn } from "../../../../model/index.ts";
import type { Layers } from "./layers.ts";
import { noteTimes, Times } from "./times.ts";
import { Codes, type WordSums, numberOf } from "./words.ts";

/** Words of a row; two words each up to IO. */
export const START = 0;
export const RUN = 2;
export const READ = 4;
export const WRITTEN = 6;
export const IO = 8;
/** Who in the lower three bytes, the lowest byte of the layout above them. */
export const PLACE = 10;
/** Flags in the lower half, the other two bytes of the layout in the upper. */
export const FLAGS = 11;
/** Only where gaps are counted from the end of a run. */
export const DURATION = 12;

/** Flags of an access, above the hour in the lowest five bits and the layer in the next three. */
export const HOUR_MASK = 31;
export const LAYER_SHIFT = 5;
export const COMPLETE = 1 << 8;
export const TIMED = 1 << 9;
export const SINGLE_RANK = 1 << 10;
export const NO_APPLICATION = 1 << 11;
export const NO_USER = 1 << 12;
/** Set here, not in SQL: whether reads and writes are recorded, and whether any byte was moved. */
export const READ_KNOWN = 1 << 13;
export const WRITTEN_KNOWN = 1 << 14;
export const MOVED = 1 << 15;
export const BYTES_KNOWN = READ_KNOWN | WRITTEN_KNOWN;

/** Types of an access, in the two lowest bits of its start. */
export const NO_TYPE = 0;
export const WRITE_TYPE = 1;
export const BALANCED_TYPE = 2;
export const READ_TYPE = 3;

/** Who and layout of a record, by its words PLACE and FLAGS. */
export const whoAt = (place: number): number => place & 0xffffff;
export const layoutAt = (place: number, flags: number): number => (place >>> 24) | ((flags >>> 16) << 8);
const PLACES_MOST = 2 ** 24;

/** Recorded bytes of accesses, as doubles: exact below 2^53. */
export class Moved {
  #bytes = new Float64Array(256);

  /** Of the accesses in rows `from` to before `to`, from 0; valid until the next call. */
  of({ words, stride }: Records, from: number, to: number): Float64Array {
    if (to - from > this.#bytes.length) this.#bytes = new Float64Array(2 * (to - from));
    const bytes = this.#bytes;
    for (let i = 0, at = from * stride; i < to - from; i++, at += stride) {
      const known = (words[at + FLAGS] as number) & BYTES_KNOWN;
      const read = numberOf(words[at + READ] as number, words[at + READ + 1] as number);
      const written = numberOf(words[at + WRITTEN] as number, words[at + WRITTEN + 1] as number);
      bytes[i] =
        known === BYTES_KNOWN ? read + written : known === READ_KNOWN ? read : known === 0 ? 0 : written;
    }
    return bytes;
  }
}

/** Adds the recorded bytes of the access whose row begins at word `at`, which are `moved` as a double. */
export function addMoved(sums: WordSums, sum: number, moved: number, words: Uint32Array, at: number): void {
  if (sums.addWhole(sum, moved)) return;
  const known = words[at + FLAGS] as number;
  if ((known & READ_KNOWN) !== 0) sums.add(sum, words[at + READ] as number, words[at + READ + 1] as number);
  if ((known & WRITTEN_KNOWN) !== 0)
    sums.add(sum, words[at + WRITTEN] as number, words[at + WRITTEN + 1] as number);
}

export const LAYER_NAMES = ["POSIX", "MPI-IO", "STDIO", "DFS", "other", null] as const;

export const wordsPerRow = (withDuration: boolean): number => (withDuration ? 14 : 12);

export interface Records {
  readonly words: Uint32Array;
  /** The same memory. */
  readonly doubles: Float64Array;
  readonly stride: number;
  /** File f of this part has rows from starts[f] to starts[f + 1]. */
  readonly starts: Uint32Array;
  /** By file of this part: the largest recorded stripe count of its accesses; -1 is none. */
  readonly widths: Int32Array;
}

/** Who and where, numbered over all parts. Application, user and layout 0 are those that are not known. */
export class Names {
  readonly #applications = new Codes();
  readonly #users = new Codes();
  readonly #who = new Codes();
  readonly #layouts = new Codes();
  readonly #noLayouts: number;

  /** With the hashes of texts that are no list of OSTs. */
  constructor(noLayouts: readonly bigint[]) {
    for (const hash of noLayouts) this.#layouts.of(Number(hash & 0xffffffffn), Number(hash >> 32n));
    this.#noLayouts = this.#layouts.count;
  }

  application(low: number, high: number): number {
    return 1 + this.#applications.of(low, high);
  }

  user(low: number, high: number): number {
    return 1 + this.#users.of(low, high);
  }

  /** The pair of an application and a user. */
  who(application: number, user: number): number {
    return this.#who.of(application, user);
  }

  /** Of a list of OSTs, by the hash of its text. */
  layout(low: number, high: number): number {
    return this.#layoutNumber(this.#layouts.of(low, high));
  }

  /** The layout with this hash; 0 when no access has it. */
  layoutOf(hash: bigint): number {
    return this.#layoutNumber(this.#layouts.find(Number(hash & 0xffffffffn), Number(hash >> 32n)));
  }

  #layoutNumber(code: number): number {
    return Math.max(0, code + 1 - this.#noLayouts);
  }

  applicationOf(who: number): number {
    return this.#who.low(who);
  }

  userOf(who: number): number {
    return this.#who.high(who);
  }

  get counts() {
    return {
      applications: this.#applications.count,
      users: this.#users.count,
      who: this.#who.count,
      layouts: this.#layouts.count - this.#noLayouts,
    };
  }
}

/** How many accesses cannot be used for what. */
export class Facts {
  badClock = 0;
  partial = 0;
  zero = 0;
  unknown = 0;
  balanced = 0;
  complete = 0;
  completeSingleRank = 0;
  completeNoVariance = 0;
  timedPartial = 0;
  timedZero = 0;
  timedUnknown = 0;
  timedNoIo = 0;
  /** Start of the first and the last access with a good clock, ns; 0 without any. */
  firstNs = 0n;
  lastNs = 0n;
}

interface Reading {
  readonly db: Queryable;
  /** Columns in the order of `take`; read side by side. */
  readonly sql: readonly string[];
  /** Accesses of each file of this part. */
  readonly counts: Uint32Array;
  readonly stride: number;
  readonly names: Names;
  readonly facts: Facts;
  readonly layers: Layers;
  /** Local hour of a time of two words. */
  readonly hour: (low: number, high: number) => number;
  /** Whether other threads will read the words too. */
  readonly shared: boolean;
}

export async function readRecords({
  db,
  sql,
  counts,
  stride,
  names,
  facts,
  layers,
  hour,
  shared,
}: Reading): Promise<Records> {
  const starts = new Uint32Array(counts.length + 1);
  for (let f = 0; f < counts.length; f++) starts[f + 1] = (starts[f] as number) + (counts[f] as number);
  const bytes = 4 * (starts[counts.length] as number) * stride;
  const words = new Uint32Array(shared ? new SharedArrayBuffer(bytes) : new ArrayBuffer(bytes));
  const doubles = new Float64Array(words.buffer);
  const next = starts.slice();
  const widths = new Int32Array(counts.length).fill(-1);
  const who = whoOf(names);
  const layout = layoutOf(names);
  const times = new Times();
  const take = (rows: number, columns: readonly RawColumn[]) => {
    const [files, runs, applications, users, begun, read, written, io, varianceBytes, varianceTime] =
      columns as Column10;
    const [flagged, osts, stripes, durations] = columns.slice(10) as Column4;
    for (let i = 0; i < rows; i++) {
      const low = 2 * i;
      const high = low + 1;
      const file = files[i] as number;
      const at = next[file] as number;
      next[file] = at + 1;
      const row = at * stride;
      const readLow = read[low] as number;
      const readHigh = read[high] as number;
      const writtenLow = written[low] as number;
      const writtenHigh = written[high] as number;
      let flags = (flagged[i] as number) | knownOf(readLow, readHigh, writtenLow, writtenHigh);
      const type = typeOf(flags, readLow, readHigh, writtenLow, writtenHigh);
      const startLow = begun[low] as number;
      const startHigh = begun[high] as number;
      words[row] = (startLow << 2) | type;
      words[row + 1] = (startHigh << 2) | (startLow >>> 30);
      if ((flags & TIMED) !== 0) {
        times.add(startLow, startHigh);
        flags |= hour(startLow, startHigh);
      }
      words[row + 2] = runs[low] as number;
      words[row + 3] = runs[high] as number;
      words[row + 4] = readLow;
      words[row + 5] = readHigh;
      words[row + 6] = writtenLow;
      words[row + 7] = writtenHigh;
      const time = finiteOrNaN(io[i] as number);
      doubles[(row >> 1) + 4] = time;
      const someone = who(
        applications[low] as number,
        applications[high] as number,
        users[low] as number,
        users[high] as number,
        flags,
      );
      const somewhere = layout(osts[low] as number, osts[high] as number);
      words[row + 10] = someone | (somewhere << 24);
      words[row + 11] = flags | ((somewhere >>> 8) << 16);
      if ((stripes[i] as number) > (widths[file] as number)) widths[file] = stripes[i] as number;
      if (durations !== undefined) doubles[(row >> 1) + 6] = durations[i] as number;
      const squares = varianceBytes[i] as number;
      note(facts, flags, type, time, squares >= 0);
      if ((flags & COMPLETE) !== 0)
        layers.add(
          file,
          (flags >>> LAYER_SHIFT) & 7,
          (flags & BYTES_KNOWN) === BYTES_KNOWN
            ? readHigh * 4294967296 + readLow + (writtenHigh * 4294967296 + writtenLow)
            : Number.NaN,
          Math.sqrt(squares),
          Math.sqrt(varianceTime[i] as number),
        );
    }
  };
  await db.scan(sql, take);
  noteTimes(facts, times);
  return { words, doubles, stride, starts, widths };
}

/** A time that can be one; NaN otherwise. */
const finiteOrNaN = (time: number): number => (time >= 0 && time < Infinity ? time : Number.NaN);

/** What is not recorded comes as a negative number. */
function knownOf(readLow: number, readHigh: number, writtenLow: number, writtenHigh: number): number {
  const read = readHigh >= 0x80000000 ? 0 : (readLow | readHigh) === 0 ? READ_KNOWN : READ_KNOWN | MOVED;
  const written =
    writtenHigh >= 0x80000000 ? 0 : (writtenLow | writtenHigh) === 0 ? WRITTEN_KNOWN : WRITTEN_KNOWN | MOVED;
  return read | written;
}

function typeOf(
  flags: number,
  readLow: number,
  readHigh: number,
  writtenLow: number,
  writtenHigh: number,
): number {
  if ((flags & (BYTES_KNOWN | MOVED)) !== (BYTES_KNOWN | MOVED)) return NO_TYPE;
  if (readHigh !== writtenHigh) return readHigh > writtenHigh ? READ_TYPE : WRITE_TYPE;
  return readLow === writtenLow ? BALANCED_TYPE : readLow > writtenLow ? READ_TYPE : WRITE_TYPE;
}

type Column10 = [
  RawColumn,
  RawColumn,
  RawColumn,
  RawColumn,
  RawColumn,
  RawColumn,
  RawColumn,
  RawColumn,
  RawColumn,
  RawColumn,
];
type Column4 = [RawColumn, RawColumn, RawColumn, RawColumn | undefined];

function note(facts: Facts, flags: number, type: number, io: number, hasVariance: boolean): void {
  const known = (flags & BYTES_KNOWN) === BYTES_KNOWN;
  const moved = (flags & MOVED) !== 0;
  if (type === BALANCED_TYPE) facts.balanced++;
  if (!known) facts.unknown++;
  else if (!moved) facts.zero++;
  const complete = (flags & COMPLETE) !== 0;
  if (complete) {
    facts.complete++;
    if ((flags & SINGLE_RANK) !== 0) facts.completeSingleRank++;
    if (!hasVariance) facts.completeNoVariance++;
  } else facts.partial++;
  if ((flags & TIMED) === 0) facts.badClock++;
  else if (!complete) facts.timedPartial++;
  else {
    if (Number.isNaN(io)) facts.timedNoIo++;
    if (!known) facts.timedUnknown++;
    else if (!moved) facts.timedZero++;
  }
}

/** The number of an application and user; neighbours are often the same. */
function whoOf(names: Names) {
  let [a, b, c, d, e] = [0, 0, 0, 0, -1];
  let known = 0;
  return (appLow: number, appHigh: number, userLow: number, userHigh: number, flags: number): number => {
    const missing = flags & (NO_APPLICATION | NO_USER);
    if (appLow === a && appHigh === b && userLow === c && userHigh === d && missing === e) return known;
    a = appLow;
    b = appHigh;
    c = userLow;
    d = userHigh;
    e = missing;
    const application = (missing & NO_APPLICATION) !== 0 ? 0 : names.application(appLow, appHigh);
    const user = (missing & NO_USER) !== 0 ? 0 : names.user(userLow, userHigh);
    known = names.who(application, user);
    if (known >= PLACES_MOST) throw tooMany("pairs of application and user");
    return known;
  };
}

/** The number of a layout; neighbours often have the same. */
function layoutOf(names: Names) {
  let [a, b] = [-1, -1];
  let known = 0;
  return (low: number, high: number): number => {
    if (low === a && high === b) return known;
    a = low;
    b = high;
    known = names.layout(low, high);
    if (known >= PLACES_MOST) throw tooMany("layouts of files");
    return known;
  };
}

const tooMany = (what: string) =>
  new UsageError(
    `more than ${PLACES_MOST} ${what}: study fewer files, with a larger --min-bytes or a shorter --period`,
  );
