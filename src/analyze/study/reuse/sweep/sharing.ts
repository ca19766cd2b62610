/** Who touches a file: its applications and users, and the time between the runs of an application (A04, A10). */
import { roomFor } from "../../../../base/room.ts";
import { Column, type Pages } from "./column.ts";
import {
  addMoved,
  BYTES_KNOWN,
  FLAGS,
  MOVED,
  type Names,
  PLACE,
  READ,
  type Records,
  TIMED,
  whoAt,
  WRITTEN,
} from "./records.ts";
import { sortRows } from "./sequences.ts";
import { WordSums } from "./words.ts";

const NS_PER_HOUR = 3.6e12;
const MOVED_AS_KNOWN = BYTES_KNOWN | MOVED;
const READS = 1;
const WRITES = 2;

const didOf = (words: Uint32Array, at: number): number =>
  (((words[at + READ] as number) | (words[at + READ + 1] as number)) === 0 ? 0 : READS) |
  (((words[at + WRITTEN] as number) | (words[at + WRITTEN + 1] as number)) === 0 ? 0 : WRITES);

interface SharingSettings {
  readonly withIdle: boolean;
  /** An application is an executable of one user. */
  readonly perUser: boolean;
  /** The gap between successive runs of different applications is asked for. */
  readonly handovers: boolean;
}

export class Sharing {
  /** Distinct applications; NaN for a file without an access that counts. */
  readonly applications: Column;
  /** Mean over its applications of the mean gap, hours, and how many of them have one. */
  readonly hours: Column;
  readonly pairsWithGap: Column;
  /** Mean gap of each pair of file and application that has one, and how many pairs there are in all. */
  readonly pairHours: Column;
  pairs = 0;
  readonly handoverHours: Column | undefined;
  /** Files that several users touched: how many users, and accesses. */
  readonly several: Readonly<Record<"file" | "users" | "accesses", Column>>;
  /** Files that several applications moved bytes of, and what each of these did with the file over the period (A19). */
  readonly together = { files: 0, pairs: 0, both: 0, readers: 0, writers: 0, allBoth: 0, handedOver: 0 };
  /** By number of the user; 0 is not known. */
  readonly userBytes = new WordSums(16);
  #userFiles = new Float64Array(16);
  readonly #names: Names;
  readonly #settings: SharingSettings;
  /** What the unit (application or pair) of this number did on the file with this stamp. */
  #stamp = new Float64Array(64);
  #timed = new Float64Array(64);
  /** Whether it read, and whether it wrote, as bits. */
  #did = new Uint8Array(64);
  #first = new Uint32Array(128);
  #last = new Uint32Array(128);
  #userStamp = new Float64Array(64);
  readonly #units: number[] = [];

  constructor(names: Names, settings: SharingSettings, pages?: Pages) {
    const column = () => new Column(pages);
    [this.applications, this.hours, this.pairHours] = [column(), column(), column()];
    this.pairsWithGap = new Column(pages, 0);
    this.handoverHours = settings.handovers ? column() : undefined;
    this.several = { file: column(), users: column(), accesses: column() };
    this.#names = names;
    this.#settings = settings;
  }

  /** Files of each known user. */
  filesOfUsers(): Float64Array {
    return this.#userFiles.subarray(1, 1 + this.#names.counts.users);
  }

  add(file: number, records: Records, from: number, to: number, moved: Float64Array): void {
    const { words, stride } = records;
    const { withIdle, perUser } = this.#settings;
    const names = this.#names;
    const units = this.#units;
    units.length = 0;
    const stamp = file + 1;
    let [users, counted] = [0, 0];
    for (let row = from; row < to; row++) {
      const at = row * stride;
      const flags = words[at + FLAGS] as number;
      const who = whoAt(words[at + PLACE] as number);
      const user = names.userOf(who);
      addMoved(this.userBytes, user, moved[row - from] as number, words, at);
      if (!withIdle && (flags & MOVED) === 0) continue;
      counted++;
      if (user !== 0 && this.#userStamp[user] !== stamp) {
        this.#userStamp[user] = stamp;
        this.#userFiles[user] = (this.#userFiles[user] as number) + 1;
        users++;
      }
      const unit = perUser ? who : names.applicationOf(who);
      if (this.#stamp[unit] !== stamp) {
        this.#stamp[unit] = stamp;
        this.#timed[unit] = 0;
        this.#did[unit] = 0;
        units.push(unit);
      }
      if ((flags & MOVED_AS_KNOWN) === MOVED_AS_KNOWN)
        this.#did[unit] = (this.#did[unit] as number) | didOf(words, at);
      if ((flags & TIMED) !== 0) this.#time(unit, words[at] as number, words[at + 1] as number);
    }
    if (counted === 0) return;
    this.#close(file);
    this.#noteTogether();
    if (users > 1) {
      this.several.file.push(file);
      this.several.users.push(users);
      this.several.accesses.push(counted);
    }
    this.handoverHours?.put(file, this.#handover(records, from, to));
  }

  /** When all files were added. */
  end(files: number): void {
    for (const column of [this.applications, this.hours, this.pairsWithGap, this.handoverHours])
      column?.reach(files);
  }

  /** Remembers the first and the last start; the two lowest bits are the type. */
  #time(unit: number, low: number, high: number): void {
    const [first, last] = [this.#first, this.#last];
    const at = 2 * unit;
    const n = this.#timed[unit] as number;
    this.#timed[unit] = n + 1;
    const time = low >>> 2;
    if (
      n === 0 ||
      high < (first[at + 1] as number) ||
      (high === first[at + 1] && time < (first[at] as number))
    ) {
      first[at] = time;
      first[at + 1] = high;
    }
    if (
      n === 0 ||
      high > (last[at + 1] as number) ||
      (high === last[at + 1] && time > (last[at] as number))
    ) {
      last[at] = time;
      last[at + 1] = high;
    }
  }

  #close(file: number): void {
    let [sum, gaps] = [0, 0];
    for (const unit of this.#units) {
      const n = this.#timed[unit] as number;
      if (n < 2) continue;
      const at = 2 * unit;
      const ns =
        ((this.#last[at + 1] as number) - (this.#first[at + 1] as number)) * 2 ** 30 +
        ((this.#last[at] as number) - (this.#first[at] as number));
      const hours = ns / (n - 1) / NS_PER_HOUR;
      this.pairHours.push(hours);
      sum += hours;
      gaps++;
    }
    this.pairs += this.#units.length;
    this.applications.put(file, this.#units.length);
    this.pairsWithGap.put(file, gaps);
    if (gaps > 0) this.hours.put(file, sum / gaps);
  }

  #noteTogether(): void {
    let [both, readers, writers] = [0, 0, 0];
    for (const unit of this.#units) {
      const did = this.#did[unit] as number;
      if (did === (READS | WRITES)) both++;
      else if (did === READS) readers++;
      else if (did === WRITES) writers++;
    }
    const pairs = both + readers + writers;
    if (pairs < 2) return;
    const all = this.together;
    all.files++;
    all.pairs += pairs;
    all.both += both;
    all.readers += readers;
    all.writers += writers;
    if (both === pairs) all.allBoth++;
    if (readers > 0 && writers > 0) all.handedOver++;
  }

  /** Mean gap between successive accesses of different applications. */
  #handover(records: Records, from: number, to: number): number {
    const { words, stride } = records;
    const { withIdle, perUser } = this.#settings;
    const rows: number[] = [];
    for (let row = from; row < to; row++) {
      const flags = words[row * stride + FLAGS] as number;
      if ((flags & TIMED) !== 0 && (withIdle || (flags & MOVED) !== 0)) rows.push(row);
    }
    const order = Uint32Array.from(rows);
    sortRows(records, order);
    let [sum, gaps] = [0, 0];
    for (let i = 1; i < order.length; i++) {
      const [p, q] = [(order[i - 1] as number) * stride, (order[i] as number) * stride];
      const [one, other] = [words[p + PLACE] as number, words[q + PLACE] as number];
      const unit = (place: number) => {
        const who = whoAt(place);
        return perUser ? who : this.#names.applicationOf(who);
      };
      if (unit(one) === unit(other)) continue;
      gaps++;
      sum +=
        (((words[q + 1] as number) - (words[p + 1] as number)) * 2 ** 30 +
          (((words[q] as number) >>> 2) - ((words[p] as number) >>> 2))) /
        NS_PER_HOUR;
    }
    return sum / gaps;
  }

  /** Before the files of a part: users and applications got new numbers while it was read. */
  begin(): void {
    const { users, applications, who } = this.#names.counts;
    this.userBytes.reach(users + 1);
    this.#userFiles = roomFor(this.#userFiles, users + 1);
    this.#userStamp = roomFor(this.#userStamp, users + 1);
    const units = Math.max(applications + 1, who);
    this.#stamp = roomFor(this.#stamp, units);
    this.#timed = roomFor(this.#timed, units);
    this.#did = new Uint8Array(this.#stamp.length);
    this.#first = new Uint32Array(2 * this.#stamp.length);
    this.#last = new Uint32Array(2 * this.#stamp.length);
  }
}
