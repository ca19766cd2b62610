/**
 * Critical I/O time of a job: what its slowest rank spends in I/O, and how that changes when a cause is gone.
 *
 * A job waits for its slowest rank. So the time is that of the slowest rank in its own files, plus that of the slowest
 * rank of each file that all ranks share, in the layer that the program calls; never more than the run. Where single calls
 * are known, phases tell it better (phases.ts), and what counters say is scaled to that. A cause names
 * the records it touches and the part of their time that would remain without it; its cost is the difference.
 */
import { withRoom } from "../../../base/room.ts";
import type { Job, JobFile } from "../job.ts";
import type { CriticalPath } from "../phases.ts";
import { isBelowDfs, type LayerRecord, rowOf } from "../records.ts";

export type Part = "read" | "write" | "meta";
const PARTS = ["read", "write", "meta"] as const;

/** What remains of the time of a record without the cause. */
export interface Healthy {
  readonly record: LayerRecord;
  /** Only this kind of calls; all when left out. */
  readonly part?: Part;
  /** Part of the time that remains, 0 to 1. */
  readonly remains: number;
}

/** A cause gone: records with other times. */
export interface Remedy {
  /** Made when they are asked for where there may be a million. */
  readonly healthy: Iterable<Healthy>;
  /** Seconds of the slowest rank that the cause takes in calls which the recorder does not time. */
  readonly unseenSeconds?: number;
  /** Ranks that take turns work at once. Only traced calls show turns. */
  readonly turnsAtOnce?: true;
}

/** What single calls say of the critical time, in place of the sum over files. */
export interface TracedPath {
  readonly source: "calls" | "heat map";
  readonly seconds: number;
  readonly atOnceSeconds: number;
  readonly phases: number;
  /** What the job waits for each rank. */
  readonly waits: CriticalPath["waits"];
  /** Part of the time of all records whose calls are known; the rest counts as the records say. */
  readonly covered: number;
}

type LedgerJob = Pick<Job, "files" | "file" | "rankLoads" | "runSeconds">;

export class Ledger {
  readonly #job: LedgerJob;
  /** A record below another one is counted there. */
  readonly #isNested: boolean;
  /** Some files have records in several layers, so that two of them may stand for the same time. */
  readonly #isLayered: boolean;
  /** Time of a rank in files that not all ranks share. */
  readonly #own: ReadonlyMap<number, number>;
  /** Part of that in files of several ranks, whose time cannot be told by rank. */
  readonly #several = new Map<number, number>();
  readonly #severalSeconds: number;
  readonly #shared: number;
  readonly #scale: number;
  /** What remains when turns are taken at once. */
  readonly #atOnce: number;
  /** Where the job waits for several ranks, phase after phase or turn after turn. */
  readonly #waits: CriticalPath["waits"] | undefined;
  /** Times without causes that were asked for, by the numbers of their remedies. */
  readonly #known = new Map<string, number>();
  readonly #numbers = new WeakMap<Remedy, number>();
  #numbered = 0;
  /** Places of records that several remedies touch. */
  readonly #places = new RecordPlaces();
  /** Critical I/O time, at most the run time. */
  readonly seconds: number;
  /** The same from counters alone. */
  readonly countedSeconds: number;
  /** Whether phases of traced calls tell it. */
  readonly isTraced: boolean;
  /** Those phases. */
  readonly path: TracedPath | undefined;

  constructor(job: LedgerJob, path?: TracedPath) {
    this.#job = job;
    this.path = path;
    let shared = 0;
    let several = 0;
    const single = new Map<number, number>();
    const late: LayerRecord[] = [];
    let [isNested, isLayered] = [false, false];
    // Phases know which rank the job waits for, and when.
    const isInPhases = path !== undefined && path.waits.size > 1;
    for (const file of job.files) {
      // The name of a layer is looked up: only where it matters.
      if (file.layers.size > 1) {
        isLayered = true;
        isNested ||= file.called.layer === "MPI-IO" || file.called.layer === "DFS";
      }
      for (const record of timedRecords(file)) {
        const all = secondsOf(record);
        if (!(all > 0)) continue;
        if (record.shared) {
          const alone = aloneSeconds(record);
          shared += slowestOf(record) - alone;
          if (alone > 0) addTo(single, record.slowestRank, alone);
          if (!isInPhases && lateBy(record) > 0) late.push(record);
        } else if (record.ranks === 1) addTo(single, record.slowestRank, all);
        else several += all;
      }
    }
    this.#isNested = isNested;
    this.#isLayered = isLayered;
    this.#own = ownSeconds(job, single);
    for (const [rank, seconds] of this.#own) {
      const rest = seconds - (single.get(rank) ?? 0);
      if (rest > 1e-9 * seconds) this.#several.set(rank, rest);
    }
    this.#severalSeconds = several;
    this.#shared = Math.max(0, shared - waitsForOwn(late, this.#own));
    const whole = this.#shared + most(this.#own.values());
    // The slowest rank of one shared file need not be that of another, and threads wait at the same time.
    const withinRun = (seconds: number) => (job.runSeconds > 0 ? Math.min(job.runSeconds, seconds) : seconds);
    this.countedSeconds = withinRun(whole);
    this.isTraced = path !== undefined && whole > 0;
    const untraced = whole * (1 - (path?.covered ?? 0));
    this.seconds = withinRun(this.isTraced ? (path?.seconds ?? 0) + untraced : whole);
    this.#scale = whole > 0 ? this.seconds / whole : 1;
    this.#waits = isInPhases ? path.waits : undefined;
    const atOnce = path === undefined ? this.seconds : withinRun(path.atOnceSeconds + untraced);
    this.#atOnce = this.seconds > 0 ? Math.min(1, atOnce / this.seconds) : 1;
  }

  /** Rank that spends most in its own files; NaN when all files are shared. */
  get slowestRank(): number {
    let rank = Number.NaN;
    let seconds = 0;
    for (const [one, own] of this.#own) if (own > seconds) [rank, seconds] = [one, own];
    return rank;
  }

  /** Time of each rank in files that not all ranks share. */
  get ownSeconds(): ReadonlyMap<number, number> {
    return this.#own;
  }

  /** Time of the slowest rank of all shared files. */
  get sharedSeconds(): number {
    return this.#shared;
  }

  /** How much sooner the job ends without these causes. */
  gain(...remedies: readonly Remedy[]): number {
    const unseen = remedies.reduce((most, one) => Math.max(most, one.unseenSeconds ?? 0), 0);
    const room = this.#job.runSeconds > 0 ? this.#job.runSeconds - this.seconds : unseen;
    return Math.max(0, this.seconds - this.without(...remedies)) + Math.min(unseen, Math.max(0, room));
  }

  /** Critical I/O time without these causes. */
  without(...remedies: readonly Remedy[]): number {
    const key = [...new Set(remedies.map((one) => this.#numberOf(one)))].sort((a, b) => a - b).join(" ");
    let known = this.#known.get(key);
    if (known === undefined) this.#known.set(key, (known = this.#without(remedies)));
    return known;
  }

  #numberOf(remedy: Remedy): number {
    let number = this.#numbers.get(remedy);
    if (number === undefined) this.#numbers.set(remedy, (number = this.#numbered++));
    return number;
  }

  #without(remedies: readonly Remedy[]): number {
    const saved = new Savings();
    // What touches the same record is not added up. One cause names each kind of call of a record once, where a file has
    // one record only.
    if (remedies.length === 1 && !this.#isLayered)
      for (const one of remedies[0]?.healthy ?? [])
        this.#visit(one, (record, part, rest) => saved.add(record, part, rest));
    else {
      const left = new LeastRemains(this.#places);
      for (const { healthy } of remedies)
        for (const one of healthy) this.#visit(one, (record, part, rest) => left.keep(record, part, rest));
      left.addTo(saved);
    }
    const severalPart = this.#severalSeconds > 0 ? saved.several / this.#severalSeconds : 0;
    const rest = new Map<number, number>();
    for (const [rank, seconds] of this.#own) {
      const left = seconds - (saved.single.get(rank) ?? 0) - (this.#several.get(rank) ?? 0) * severalPart;
      rest.set(rank, left);
    }
    const own = this.#waits === undefined ? most(rest.values()) : this.#ownInPhases(rest, this.#waits);
    const turns = remedies.some(({ turnsAtOnce }) => turnsAtOnce === true) ? this.#atOnce : 1;
    return Math.max(0, this.#shared - saved.shared + own) * this.#scale * turns;
  }

  /** The same for phases that wait for different ranks: each takes what is left of its rank, or what the next one takes. */
  #ownInPhases(rest: ReadonlyMap<number, number>, waits: CriticalPath["waits"]): number {
    const [before, after] = [sumOf(this.#own.values()), sumOf(rest.values())];
    const usual = before > 0 ? after / before : 1;
    let [all, left] = [0, 0];
    for (const [rank, { seconds, nextSeconds }] of waits) {
      const own = this.#own.get(rank) ?? 0;
      const part = own > 0 ? (rest.get(rank) ?? own) / own : 1;
      all += seconds;
      left += Math.max(seconds * part, nextSeconds * usual);
    }
    return all > 0 ? most(this.#own.values()) * (left / all) : most(rest.values());
  }

  /** The record whose time counts, with what remains of each kind of call. */
  #visit(
    { record, part, remains }: Healthy,
    take: (record: LayerRecord, part: Part, remains: number) => void,
  ): void {
    if (!(remains < 1)) return;
    const counted = this.#countedFor(record);
    if (counted === undefined) return;
    if (part !== undefined && counted === record) {
      take(record, part, Math.max(0, remains));
      return;
    }
    const give = (one: Part) => {
      const rest = counted === record ? remains : remainsAbove(counted, record, one, remains);
      take(counted, one, Math.max(0, rest));
    };
    if (part === undefined) PARTS.forEach(give);
    else give(part);
  }

  /** The record itself, or the one of the layer that the program calls above it. */
  #countedFor(record: LayerRecord): LayerRecord | undefined {
    if (!this.#isNested && record.parentId === "0" && !isOfLibrary(record.layer)) return record;
    const file = this.#job.file(record.parentId === "0" ? record.fileId : record.parentId);
    if (file === undefined) return undefined;
    const timed = timedRecords(file);
    return timed.includes(record) ? record : timed.find((one) => one === file.called);
  }
}

/** Records by the order in which they are first named. Those of a table are found by their rows: there may be a million. */
class RecordPlaces {
  readonly records: LayerRecord[] = [];
  /** One more than the place, by row. */
  #byRow = new Uint32Array(1024);
  readonly #others = new Map<LayerRecord, number>();

  of(record: LayerRecord): number {
    const row = rowOf(record);
    if (row < 0) {
      let place = this.#others.get(record);
      if (place === undefined) this.#others.set(record, (place = this.records.push(record) - 1));
      return place;
    }
    if (row >= this.#byRow.length) this.#byRow = withRoom(this.#byRow, 2 * row);
    if (this.#byRow[row] === 0) this.#byRow[row] = this.records.push(record);
    return (this.#byRow[row] as number) - 1;
  }
}

/** What is left of the three kinds of time of each record when several causes are gone: the least. */
class LeastRemains {
  readonly #places: RecordPlaces;
  #values: Float64Array;

  /** `places` is kept from one to the next, since causes touch the same records. */
  constructor(places: RecordPlaces) {
    this.#places = places;
    this.#values = new Float64Array(PARTS.length * Math.max(1024, places.records.length)).fill(1);
  }

  keep(record: LayerRecord, part: Part, rest: number): void {
    const at = PARTS.length * this.#places.of(record) + (part === "read" ? 0 : part === "write" ? 1 : 2);
    if (at >= this.#values.length) {
      const larger = new Float64Array(2 * this.#values.length).fill(1, this.#values.length);
      larger.set(this.#values);
      this.#values = larger;
    }
    if (rest < (this.#values[at] as number)) this.#values[at] = rest;
  }

  addTo(saved: Savings): void {
    const { records } = this.#places;
    for (let place = 0; place < records.length; place++)
      for (let i = 0; i < PARTS.length; i++) {
        const rest = this.#values[PARTS.length * place + i] ?? 1;
        if (rest < 1) saved.add(records[place] as LayerRecord, PARTS[i] as Part, rest);
      }
  }
}

/** Seconds that are gone, of shared files, of single ranks, and of files of several ranks. */
class Savings {
  shared = 0;
  several = 0;
  readonly single = new Map<number, number>();

  add(record: LayerRecord, part: Part, remains: number): void {
    const gone = (partOf(record, part) || 0) * (1 - remains);
    if (!(gone > 0)) return;
    if (record.shared) {
      const slowest = slowestPart(record, part) * (1 - remains);
      const alone = slowest * (aloneSeconds(record) / slowestOf(record));
      this.shared += slowest - alone;
      if (alone > 0) addTo(this.single, record.slowestRank, alone);
    } else if (record.ranks === 1) addTo(this.single, record.slowestRank, gone);
    else this.several += gone;
  }
}

const addTo = (sums: Map<number, number>, rank: number, seconds: number) =>
  sums.set(rank, (sums.get(rank) ?? 0) + seconds);

/**
 * Of the slowest rank of a shared file what is beyond the others, where it alone moves the data and the others only open or
 * stat it: time of that rank like in a file of its own, while others are busy with theirs.
 */
function aloneSeconds(record: LayerRecord): number {
  const { ranks, slowestRank, slowestBytes, bytesRead, bytesWritten } = record;
  const bytes = (bytesRead || 0) + (bytesWritten || 0);
  const isTogether = record.collectiveReads > 0 || record.collectiveWrites > 0;
  if (!(slowestRank >= 0 && ranks > 1 && bytes > 0 && slowestBytes >= 0.99 * bytes) || isTogether) return 0;
  const slowest = slowestOf(record);
  return Math.max(0, slowest - (secondsOf(record) - slowest) / (ranks - 1));
}

/** How long the other ranks wait for the last one in the collective calls of a file, where they wait alike. */
function lateBy(record: LayerRecord): number {
  const isTogether = record.collectiveReads + record.collectiveWrites > 0 && record.layer === "MPI-IO";
  if (!isTogether || record.ranks < 2 || !(record.fastestSeconds >= 0)) return 0;
  const others = (secondsOf(record) - record.fastestSeconds) / (record.ranks - 1);
  return slowestOf(record) <= WAIT_ALIKE * others ? Math.max(0, others - record.fastestSeconds) : 0;
}

/** Of what ranks wait for late ones, the time that those spend in files of their own meanwhile: it counts there. */
function waitsForOwn(late: readonly LayerRecord[], own: ReadonlyMap<number, number>): number {
  const seconds = new Map<number, number>();
  let ranks = own.size;
  for (const record of late) {
    seconds.set(record.fastestRank, (seconds.get(record.fastestRank) ?? 0) + lateBy(record));
    ranks = Math.max(ranks, record.ranks);
  }
  const sorted = [...own.values()].sort((a, b) => b - a);
  // Ranks without files of their own spend nothing there.
  const usual = sorted[ranks >> 1] ?? 0;
  let sum = 0;
  for (const [rank, waited] of seconds) sum += Math.min(waited, Math.max(0, (own.get(rank) ?? 0) - usual));
  return sum;
}

/** Ours: ranks that wait for the same one differ by less. */
const WAIT_ALIKE = 1.5;

/** Calls of the layer below are a part of those above: what they save is taken off there, rank by rank. */
function remainsAbove(above: LayerRecord, below: LayerRecord, part: Part, remains: number): number {
  const seconds = partOf(above, part);
  if (!(seconds > 0)) return 1;
  const inside = partOf(below, part) || 0;
  // One aggregator writes while all wait: its time is inside that of every rank above.
  const aboveSlowest = slowestPart(above, part);
  const gone = Math.max(inside / seconds, aboveSlowest > 0 ? slowestPart(below, part) / aboveSlowest : 0);
  return 1 - Math.min(1, gone) * (1 - remains);
}

/** Records of a file whose time counts: MPI-IO, else all that reach the file system. HDF5 and PnetCDF contain those. */
export function timedRecords(file: JobFile): LayerRecord[] {
  const { layers } = file;
  if (layers.size === 1) return isOfLibrary(file.called.layer) ? [] : [file.called];
  if (file.called.layer === "MPI-IO") return [file.called];
  return [...layers.values()].filter(({ layer }) => !isOfLibrary(layer) && !isBelowDfs(layer, layers));
}

const isOfLibrary = (layer: string) => layer.startsWith("H5") || layer.startsWith("PNETCDF");

const sumOf = (values: Iterable<number>) => {
  let sum = 0;
  for (const value of values) sum += value;
  return sum;
};
const most = (values: Iterable<number>) => {
  let highest = 0;
  for (const value of values) if (value > highest) highest = value;
  return highest;
};

const partOf = (record: LayerRecord, part: Part) =>
  part === "read" ? record.readSeconds : part === "write" ? record.writeSeconds : record.metaSeconds;

const secondsOf = ({ readSeconds, writeSeconds, metaSeconds }: LayerRecord) =>
  (readSeconds || 0) + (writeSeconds || 0) + (metaSeconds || 0);

/** Of the slowest rank of a record. */
function slowestOf(record: LayerRecord): number {
  const mean = secondsOf(record) / Math.max(1, record.ranks);
  return Math.max(record.slowestSeconds || 0, mean);
}

/**
 * What of that goes into a kind of call: like the times of all ranks, but at least its part of the bytes into moving them.
 * Where one rank of thousands moves all, the others only open the file, and their opens are no time of that rank.
 */
function slowestPart(record: LayerRecord, part: Part): number {
  const all = secondsOf(record);
  if (!(all > 0)) return 0;
  const slowest = slowestOf(record);
  const moving = (record.readSeconds || 0) + (record.writeSeconds || 0);
  const bytes = (record.bytesRead || 0) + (record.bytesWritten || 0);
  const byBytes = bytes > 0 ? moving * Math.min(1, (record.slowestBytes || 0) / bytes) : 0;
  const moves = Math.min(slowest, Math.max(slowest * (moving / all), byBytes));
  if (part === "meta") return slowest - moves;
  return moving > 0 ? moves * ((partOf(record, part) || 0) / moving) : 0;
}

/** Loads per rank where the input has them; those of files of one rank otherwise. */
function ownSeconds(job: LedgerJob, single: ReadonlyMap<number, number>): Map<number, number> {
  const several = job.files.filter(({ layers }) => layers.size > 1);
  const nested = several.some(({ called }) => called.layer === "MPI-IO" && !called.shared);
  const onDaos = several.some(({ layers }) => layers.get("DAOS")?.shared === false && layers.has("DFS"));
  const sums = new Map<number, { upper: number; lower: number; daos: number }>();
  for (const load of job.rankLoads) {
    if (isOfLibrary(load.layer)) continue;
    const known = sums.get(load.rank) ?? { upper: 0, lower: 0, daos: 0 };
    const seconds = (load.readSeconds || 0) + (load.writeSeconds || 0) + (load.metaSeconds || 0);
    if (load.layer === "MPI-IO") known.upper += seconds;
    else if (load.layer === "DAOS" && onDaos) known.daos += seconds;
    else known.lower += seconds;
    sums.set(load.rank, known);
  }
  const own = new Map(single);
  for (const [rank, { upper, lower, daos }] of sums) {
    const below = Math.max(lower, daos);
    own.set(rank, Math.max(single.get(rank) ?? 0, nested ? Math.max(upper, below) : upper + below));
  }
  return own;
}
