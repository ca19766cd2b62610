/** Readings of files of counters, one after the other, into rows: the part that texts and dumps share. */
import {
  type Deltas,
  DeltaTracker,
  type CounterTable,
  NO_STAMP,
  type Reading,
} from "../../formats/lustre/index.ts";
import { wordNumber } from "../../base/words.ts";
import { count, type IngestNotes, loseLink, warn } from "../notes.ts";
import { type Coverage, coverageKey } from "./coverage.ts";
import type { TargetFile } from "./reading-rows.ts";
import { type SystemRows, targetFile } from "./system-rows.ts";

const SECOND = 1_000_000_000n;
/** A difference of more than one and a half minutes has missed readings. */
const EVERY_NS = 60n * SECOND;
/**
 * Readings that the store has are only needed to go on from: what the tracker knows after one of them depends on those of
 * the last clean-up interval, twice ten minutes to be safe.
 */
const PRIME_NS = 1200n * SECOND;
/** Clocks that differ by more than this are worth a word. */
const APART_NS = 5e9;

const FILE_KINDS: ReadonlySet<string> = new Set(["job_stats", "ost_stats", "md_stats"]);

/** What became of a reading. */
type Taken = "stored" | "known" | "backwards" | "cut" | "overlapping" | "other" | "no target";

/** A first reading of a file of which the store has earlier ones: what happened in between is lost. */
export function noteFirst(notes: IngestNotes, coverage: Coverage, file: TargetFile, atNs: bigint): void {
  const { fileSystem, target, kind } = file;
  const last = coverage.lastBefore(coverageKey(fileSystem, target, kind), atNs);
  if (last === undefined) return;
  const name = fileSystem === "" ? target : `${fileSystem}-${target}`;
  loseLink(notes, { target: name, kind, fromUnixNs: last, toUnixNs: atNs });
}

export class Tracking {
  readonly #rows: SystemRows;
  readonly #notes: IngestNotes;
  readonly #coverage: Coverage;
  readonly #tracker: DeltaTracker;
  readonly #files = new Map<string, TargetFile | undefined>();
  /** The last reading of each file that was given to the tracker. */
  readonly #last = new Map<string, bigint>();
  /** The first counter that was negative. */
  #invalid: string | undefined;
  /** How far the clock of a target's server is ahead of the one that gave the times, at least; in ns. */
  readonly #ahead = new Map<string, number>();

  constructor(rows: SystemRows, notes: IngestNotes, coverage: Coverage, table: CounterTable) {
    this.#rows = rows;
    this.#notes = notes;
    this.#coverage = coverage;
    this.#tracker = new DeltaTracker(table, { everyNs: EVERY_NS });
  }

  /** Takes a reading that has its time. */
  take(reading: Reading): Taken {
    if (!FILE_KINDS.has(reading.kind) || reading.client !== "") return "other";
    const file = this.#fileOf(reading);
    if (file === undefined) return "no target";
    const key = coverageKey(file.fileSystem, file.target, file.kind);
    const at = reading.readAtNs;
    const last = this.#last.get(key);
    if (last !== undefined && at < last) return "backwards";
    const until = this.#coverage.endOf(key, at);
    if (until !== undefined) count(this.#notes.counts, "knownReadings");
    if (until !== undefined && until - at > PRIME_NS) return "known";
    if (at === last) return "known";
    const deltas = this.#tracker.feed(reading);
    if (deltas === undefined) return "cut";
    this.#last.set(key, at);
    if (deltas.invalid.count > 0) this.#invalid ??= `${deltas.invalid.name} of ${reading.target}`;
    this.#compareClocks(reading);
    if (until === undefined) count(this.#notes.counts, "readings");
    return this.#store(file, key, deltas, until !== undefined);
  }

  #store(file: TargetFile, key: string, deltas: Deltas, isKnown: boolean): Taken {
    const { fromNs, toNs } = deltas;
    if (fromNs === undefined) {
      if (isKnown) return "known";
      count(this.#notes.counts, "carriedIn", deltas.carriedIn.count);
      noteFirst(this.#notes, this.#coverage, file, toNs);
      this.#rows.readings.first(file, toNs, deltas.carriedIn.count);
      return "stored";
    }
    if (!this.#coverage.isFree(key, fromNs, toNs)) {
      if (isKnown) return "known";
      count(this.#notes.counts, "overlapping");
      return "overlapping";
    }
    if (deltas.gap) count(this.#notes.counts, "gaps");
    this.#rows.takeDeltas(file, deltas, fromNs);
    return "stored";
  }

  #fileOf({ target, kind }: Reading): TargetFile | undefined {
    const key = `${kind}\n${target}`;
    if (!this.#files.has(key)) this.#files.set(key, targetFile(target, kind, null));
    return this.#files.get(key);
  }

  /** What is printed cannot be later than the reading, and in a file without rows it is its time. */
  #compareClocks(reading: Reading): void {
    const { rows, snapshotHalves, snapshotNs, target } = reading;
    const at = Number(reading.readAtNs);
    let latest = Number.NEGATIVE_INFINITY;
    if (reading.kind === "job_stats")
      for (let row = 0; row < rows; row++) {
        const stamp = wordNumber(snapshotHalves, row);
        if (stamp > latest) latest = stamp;
      }
    else if (rows > 0 && snapshotNs[0] !== NO_STAMP) latest = wordNumber(snapshotHalves, 0);
    const ahead = latest - at;
    const isBehind = reading.kind !== "job_stats" && latest > 0 && ahead < -APART_NS;
    if (ahead <= APART_NS && !isBehind) return;
    const known = this.#ahead.get(target) ?? 0;
    if (Math.abs(ahead) > Math.abs(known)) this.#ahead.set(target, ahead);
  }

  /** Says what the tracker counted; the tracking is over. */
  finish(): void {
    const { counts } = this.#tracker;
    for (const name of [
      "restarted",
      "reset",
      "backwards",
      "wrapped",
      "suspect",
      "expired",
      "vanished",
    ] as const)
      count(this.#notes.counts, name, counts[name]);
    for (const name of ["returned", "cleared", "begun"] as const)
      count(this.#notes.counts, name, counts[name]);
    if (counts.suspect > 0)
      warn(
        this.#notes,
        "some jobs were idle for longer than the servers keep their counters, so their deltas may be too small (why = 'suspect')",
      );
    count(this.#notes.counts, "negativeCounters", counts.invalid);
    if (this.#invalid !== undefined)
      warn(this.#notes, `${counts.invalid} negative counter values skipped, the first is ${this.#invalid}`);
    for (const [target, ahead] of this.#ahead) {
      const seconds = Math.round(Math.abs(ahead) / 1e9);
      count(this.#notes.counts, "clocksApart");
      warn(
        this.#notes,
        `the clock of ${target}'s server is ${seconds} s ${ahead > 0 ? "ahead of" : "behind"} the sample times`,
      );
    }
  }
}
