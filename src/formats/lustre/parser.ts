/**
 * A file with one parameter or with many, as `lctl get_param` prints them. The first line of each parameter decides
 * how it is read; its path only says what it is of. Names of releases play no part.
 */
import type { ByteSource } from "../../base/source.ts";
import { eachWindow, lineEnd } from "../text/windows.ts";
import { CounterTable } from "./counter-table.ts";
import { dropDuplicates } from "./duplicates.ts";
import { isPadding, JobStatsText } from "./job-stats.ts";
import { latinText } from "./job-id.ts";
import { Marks } from "./marks.ts";
import { describeParam, type Param, paramNameEnd } from "./params.ts";
import { Reading } from "./reading.ts";
import { NO_STAMP } from "./stamp.ts";
import { StatsText } from "./stats.ts";
import { type TableReading, TableText } from "./tables.ts";
import { isLnetLine, type ValueReading, ValueText } from "./values.ts";

export type LustreItem = Reading | TableReading | ValueReading;

export interface ParseOptions {
  /** When the file was read. */
  readonly readAtNs?: bigint;
  /** Number of the first line, where the source is a part of a text. */
  readonly firstLine?: number;
  /** The path that the file had on the server, where its name here says less. */
  readonly path?: string;
}

/** What was in the text besides readings. */
export interface FileNotes {
  /** Parameters that are not read here, by name, with how often they came. */
  readonly skipped: Map<string, number>;
  /** Lines of no known parameter. */
  unknownLines: number;
  /** `error: get_param: …` lines. */
  errorLines: number;
}

type Grammar = "jobs" | "stats" | "table" | "values" | "skip";

const LOOK_BYTES = 256;
const NO_PARAM = describeParam("");

/** Reads file after file with the same memory. Counters keep their numbers in `table`. */
export class LustreParser {
  readonly table: CounterTable;
  readonly #reading: Reading;
  readonly #marks = new Marks();
  readonly #jobs: JobStatsText;
  readonly #stats: StatsText;
  #use: (item: LustreItem) => void = () => {};
  #options: ParseOptions = {};
  #notes: FileNotes = newNotes();
  #param: Param = NO_PARAM;
  /** The parameter's first line has not come yet. */
  #waiting = true;
  #grammar: Grammar = "skip";
  #small: TableReading | ValueReading | undefined;
  #smallText: TableText | ValueText | undefined;
  #line = 0;

  constructor(table = new CounterTable()) {
    this.table = table;
    this.#reading = new Reading(table);
    this.#jobs = new JobStatsText(this.#reading, this.#marks);
    this.#stats = new StatsText(this.#reading, this.#marks);
  }

  /** Hands out each parameter; a `Reading` is only valid during the call, for its memory is used again. */
  parse(source: ByteSource, options: ParseOptions, use: (item: LustreItem) => void): FileNotes {
    this.#use = use;
    this.#options = options;
    this.#notes = newNotes();
    this.#line = options.firstLine ?? 1;
    // Whoever took the last reading may have thrown.
    this.#small = this.#smallText = undefined;
    this.#expect(options.path ?? source.name);
    eachWindow(source, (bytes, from, end, last) => {
      let to = end;
      if (last) while (to > from && bytes[to - 1] === 0) to--;
      for (let at = from; at < to; ) at = this.#step(bytes, at, to);
    });
    this.#finish();
    return this.#notes;
  }

  #expect(path: string): void {
    this.#param = describeParam(path);
    this.#waiting = true;
    this.#grammar = "skip";
  }

  #step(bytes: Uint8Array, at: number, end: number): number {
    if (this.#waiting) return this.#first(bytes, at, end);
    if (this.#grammar === "jobs" || this.#grammar === "stats") {
      const text = this.#grammar === "jobs" ? this.#jobs : this.#stats;
      text.line = this.#line;
      const stopped = text.read(bytes, at, end);
      this.#line = text.line;
      if (stopped < end) this.#next(bytes, stopped, end);
      return stopped;
    }
    if (paramNameEnd(bytes, at, end) >= 0) {
      this.#finish();
      return this.#first(bytes, at, end);
    }
    const newline = lineEnd(bytes, at, end);
    this.#smallLine(bytes, at, newline, newline < end);
    this.#line++;
    return newline + 1;
  }

  /** A grammar met a line that is not its own: the stamp of another reading, or a parameter. */
  #next(bytes: Uint8Array, at: number, end: number): void {
    const same = paramNameEnd(bytes, at, end) < 0;
    const { path } = this.#param;
    this.#finish();
    if (same) this.#expect(path);
  }

  /** The first line of a parameter, or lines before it. */
  #first(bytes: Uint8Array, from: number, end: number): number {
    let at = from;
    // NULs fill up the page of the file before.
    while (at < end && bytes[at] === 0) at++;
    const newline = lineEnd(bytes, at, end);
    if (isPadding(bytes, at, newline)) {
      this.#line++;
      return newline + 1;
    }
    const equals = paramNameEnd(bytes, at, newline);
    if (equals >= 0) {
      this.#finish();
      this.#expect(latinText(bytes.subarray(at, equals)));
      // A value of one line follows at once.
      if (equals + 1 < newline) return equals + 1;
      this.#line++;
      return newline + 1;
    }
    const text = latinText(bytes.subarray(at, Math.min(newline, at + LOOK_BYTES)));
    if (/^error: /.test(text)) {
      this.#notes.errorLines++;
      this.#line++;
      return newline + 1;
    }
    const [grammar, kind] = grammarOf(text, this.#param);
    // Where the path is silent, the content says what it is.
    if (this.#param.kind === "other" && kind !== undefined) this.#param = { ...this.#param, kind };
    this.#begin(grammar);
    if (this.#grammar !== "jobs" && this.#grammar !== "stats") {
      this.#smallLine(bytes, at, newline, newline < end);
      this.#line++;
      return newline + 1;
    }
    return at;
  }

  #begin(grammar: Grammar): void {
    this.#waiting = false;
    this.#grammar = grammar;
    const { path: param, target, fileSystem, mount, client } = this.#param;
    const readAtNs = this.#options.readAtNs ?? NO_STAMP;
    if (grammar === "jobs" || grammar === "stats") {
      this.#reading.clear();
      this.#marks.clear();
      const kind = grammar === "jobs" ? "job_stats" : this.#param.kind;
      Object.assign(this.#reading, { kind, param, target, fileSystem, mount, client, readAtNs });
      (grammar === "jobs" ? this.#jobs : this.#stats).begin(this.#line);
    } else if (grammar === "table") {
      const table: TableReading = {
        ...{ form: "table", kind: this.#param.kind, param, target, fileSystem, mount, readAtNs },
        ...{ snapshotNs: undefined, startNs: undefined, values: [], sections: [], disabled: false },
        ...{ unknownLines: 0, brokenLines: 0 },
      };
      this.#small = table;
      this.#smallText = new TableText(table);
    } else if (grammar === "values") {
      const { kind } = this.#param;
      const values: ValueReading = {
        ...{ form: "values", kind, param, target, fileSystem, readAtNs, values: [], unknownLines: 0 },
      };
      this.#small = values;
      this.#smallText = new ValueText(values, this.#param);
    } else {
      const name = this.#param.path.split(/[./]/).at(-1) ?? "";
      this.#notes.skipped.set(name, (this.#notes.skipped.get(name) ?? 0) + 1);
    }
  }

  #smallLine(bytes: Uint8Array, at: number, newline: number, whole: boolean): void {
    if (this.#grammar === "skip") this.#notes.unknownLines++;
    else this.#smallText?.line(latinText(bytes.subarray(at, newline)).replace(/\0+$/, ""), whole);
  }

  /** Hands out what has been read of the current parameter. */
  #finish(): void {
    if (this.#waiting) this.#finishEmpty();
    if (this.#grammar === "jobs" || this.#grammar === "stats") {
      if (this.#grammar === "jobs") {
        dropDuplicates(this.#reading);
        markShortEnd(this.#reading);
      }
      this.#use(this.#reading);
    } else if (this.#small !== undefined) this.#use(this.#small);
    this.#small = this.#smallText = undefined;
    this.#grammar = "skip";
    this.#waiting = true;
    this.#param = NO_PARAM;
  }

  /** A parameter without a line: for job_stats it means that nothing has happened. */
  #finishEmpty(): void {
    if (this.#param.kind === "job_stats") this.#begin("jobs");
    else if (this.#param.kind === "setting") this.#begin("values");
  }
}

/** Reads a whole input; each reading has memory of its own. */
export function readLustre(
  source: ByteSource,
  options: ParseOptions = {},
  table = new CounterTable(),
): { items: LustreItem[]; notes: FileNotes } {
  const items: LustreItem[] = [];
  const notes = new LustreParser(table).parse(source, options, (item) =>
    items.push(item instanceof Reading ? item.copy() : item),
  );
  return { items, notes };
}

function newNotes(): FileNotes {
  return { skipped: new Map(), unknownLines: 0, errorLines: 0 };
}

/** How to read a parameter that begins with this line, and what it then is. */
function grammarOf(line: string, { kind }: Param): readonly [Grammar, string?] {
  if (kind === "job_stats" || /^job_stats:/.test(line) || /^- job_id:/.test(line)) return ["jobs"];
  if (/^(snapshot_time|start_time)\s/.test(line) || /^\S+\s+-?\d+ samples\b/.test(line))
    return ["stats", "stats"];
  if (/^io_latency_by_size:/.test(line)) return ["table", "io_latency_stats"];
  if (/^snapshot_time:/.test(line)) return ["table", "table"];
  if (kind === "lnet_stats" || isLnetLine(line) || /^statistics:\s*$/.test(line))
    return ["values", "lnet_stats"];
  if (/^(brw_stats|rpc_stats|extents_stats|io_latency_stats)$/.test(kind)) return ["table"];
  if (kind === "setting" || /^lustre: \d/.test(line)) return ["values", "setting"];
  if (kind === "recovery_status" || /^status: [A-Z_]+\s*$/.test(line)) return ["values", "recovery_status"];
  return ["skip"];
}

/** A last row with fewer counters than the one before it: the text ends between two of its lines. */
function markShortEnd(reading: Reading): void {
  const { rows, entryFrom, entryTo } = reading;
  if (rows < 2) return;
  const count = (row: number) => (entryTo[row] as number) - (entryFrom[row] as number);
  if (count(rows - 1) < count(rows - 2)) reading.cut = true;
}
