/** Texts of counters that belong together, in the order of time. */
import type { ByteSource } from "../../base/source.ts";
import {
  describeParam,
  LustreParser,
  NO_STAMP,
  Reading,
  recognizeLustre,
} from "../../formats/lustre/index.ts";
import { InfluxPoints, readInflux, recognizeInflux } from "../../formats/influx/index.ts";
import type { InputFormat } from "../../formats/input-format.ts";
import { headLines } from "../../formats/text/windows.ts";
import { openFile } from "../../node/file-source.ts";
import type { Witness } from "../journal.ts";
import { count, type IngestNotes, warn } from "../notes.ts";
import { paramPath, targetInPath } from "./bare-path.ts";
import type { Coverage } from "./coverage.ts";
import { type Piece, partOf, piecesOf, timing } from "../../formats/text/dump-pieces.ts";
import type { SystemRows } from "./system-rows.ts";
import { type Taken, Tracking } from "./tracking.ts";

/** Which series a file belongs to, and its place there. */
export interface SeriesPlace {
  readonly key: string;
  /** Of its first reading, where it can be told without reading it all. */
  readonly firstNs: bigint | undefined;
}

/**
 * Files of one server have the same target first, whatever folders of days they lie in; so their readings meet in one
 * thread, in order.
 */
export function placeOf(head: Uint8Array, path: string, { id }: InputFormat): SeriesPlace {
  if (id === "influx") return { key: "influx", firstNs: undefined };
  const first = headLines(head)
    .map((line) => /^([\w-]+\.[^\s=]+)=/.exec(line)?.[1])
    .find((param) => param !== undefined && describeParam(param).target !== "");
  const target = first === undefined ? describeParam(path).target : describeParam(first).target;
  return { key: target || (targetInPath(path) ?? ""), firstNs: timing(head, path).firstNs };
}

/** What one file came to. */
interface FileResult {
  stored: number;
  known: number;
  /** What was wrong with it, in words; what was whole is stored. */
  damage: string | undefined;
}

export class Series {
  readonly #notes: IngestNotes;
  readonly #tracking: Tracking;
  readonly #parser = new LustreParser();

  constructor(rows: SystemRows, notes: IngestNotes, coverage: Coverage) {
    this.#notes = notes;
    this.#tracking = new Tracking(rows, notes, coverage, this.#parser.table);
  }

  /** One file. `isLast`: a reading that is cut at its end may be whole next time, and waits for that. */
  async read(
    path: string,
    isLast: boolean,
    yieldToEvents: () => Promise<void>,
  ): Promise<FileResult & Witness & { bytes: number }> {
    const tally = new Tally();
    // Texts are read front to back: a window that is used again beats memory for all of each.
    const source = openFile(path, 0);
    try {
      const head = source.read(0, 4096);
      if (recognizeInflux(head) !== undefined) await this.#readDump(source, tally, yieldToEvents);
      else await this.#readTexts(source, head, tally, isLast, yieldToEvents);
      const { state, byteLength: bytes } = source;
      return { ...tally.result(), bytes, state, changed: source.hasChanged() };
    } finally {
      source.close();
    }
  }

  finish(): void {
    this.#tracking.finish();
  }

  async #readTexts(
    source: ByteSource,
    head: Uint8Array,
    tally: Tally,
    isLast: boolean,
    yieldToEvents: () => Promise<void>,
  ): Promise<void> {
    const isJobs = recognizeLustre(head, source.name) === "job_stats";
    const path = paramPath(source.name, isJobs, headLines(head));
    const { by } = timing(head, source.name);
    const pieces = piecesOf(source, by);
    for (const [index, piece] of pieces.entries()) {
      this.#readPiece(source, piece, path, tally, isLast && index === pieces.length - 1);
      await yieldToEvents();
    }
    if (source.byteLength > 0 && source.read(source.byteLength - 1, 1)[0] === 0)
      count(this.#notes.counts, "paddedFiles");
  }

  #readPiece(source: ByteSource, piece: Piece, path: string, tally: Tally, isLast: boolean): void {
    const part = partOf(source, piece);
    const readAtNs = piece.timeNs ?? this.#printedTime(part, path);
    const options = { path, firstLine: piece.line, ...(readAtNs !== undefined && { readAtNs }) };
    const found = this.#parser.parse(part, options, (item) => {
      if (!(item instanceof Reading)) return;
      count(this.#notes.counts, "counterLines", item.entries);
      // The line that a cut leaves is broken too.
      if (item.cut) tally.damaged(`the text of ${item.target || item.kind} ends within a line or a job`);
      const { brokenLines, firstBrokenLine } = item.notes;
      if (brokenLines > 0) {
        count(this.#notes.counts, "brokenLines", brokenLines);
        tally.damaged(`${brokenLines} counter lines cannot be read, the first is line ${firstBrokenLine}`);
      }
      if (item.cut && isLast) {
        count(this.#notes.counts, "cut");
        return;
      }
      // A file without rows has its own time inside, should nothing else tell.
      if (item.readAtNs === NO_STAMP && item.kind !== "job_stats" && item.rows > 0)
        item.readAtNs = item.snapshotNs[0] as bigint;
      if (item.readAtNs === NO_STAMP) tally.noTime = true;
      else tally.add(this.#tracking.take(item), item);
    });
    for (const [name, times] of found.skipped)
      if (name !== "") {
        count(this.#notes.counts, "otherParameters", times);
        count(this.#notes.leftOut, name, times);
      }
    count(this.#notes.counts, "errorLines", found.errorLines);
  }

  /** The latest time that Lustre printed in a pass over many parameters. */
  #printedTime(source: ByteSource, path: string): bigint | undefined {
    let latest: bigint | undefined;
    this.#parser.parse(source, { path }, (item) => {
      if (!(item instanceof Reading) || item.kind === "job_stats" || item.rows === 0) return;
      const stamp = item.snapshotNs[0] as bigint;
      if (stamp !== NO_STAMP && (latest === undefined || stamp > latest)) latest = stamp;
    });
    return latest;
  }

  async #readDump(source: ByteSource, tally: Tally, yieldToEvents: () => Promise<void>): Promise<void> {
    const points = readInflux(source, new InfluxPoints(this.#parser.table));
    for (const text of points.warnings()) warn(this.#notes, `${source.name}: ${text}`);
    const { broken, otherPoints, otherFields, firstBrokenLine } = points.notes;
    count(this.#notes.counts, "points", points.notes.points);
    count(this.#notes.counts, "otherPoints", otherPoints);
    count(this.#notes.counts, "otherFields", otherFields);
    if (broken > 0)
      tally.damaged(`${broken} lines are not data points, the first is line ${firstBrokenLine}`);
    points.eachReading((reading) => tally.add(this.#tracking.take(reading), reading));
    await yieldToEvents();
  }
}

/** What the readings of one file came to. */
class Tally {
  stored = 0;
  known = 0;
  backwards = 0;
  noTarget = 0;
  noTime = false;
  #damage: string | undefined;

  add(taken: Taken, reading: Reading): void {
    if (taken === "stored") this.stored++;
    else if (taken === "known" || taken === "overlapping") this.known++;
    else if (taken === "no target") this.noTarget++;
    else if (taken === "backwards")
      this.damaged(
        `the clock goes backwards: a sample of ${reading.target} is earlier than the previous one`,
      );
  }

  damaged(reason: string): void {
    this.#damage ??= reason;
  }

  result(): FileResult {
    const { stored, known } = this;
    const isEmpty = stored + known === 0;
    if (this.noTime)
      this.damaged(
        "no sample time: put it into the file name (1528329660.job_stats) or on a line before each sample",
      );
    if (isEmpty && this.noTarget > 0)
      this.damaged("no target name: put it into the file or folder name (lustre1-OST0007)");
    const damage = this.#damage;
    return { stored, known, damage };
  }
}
