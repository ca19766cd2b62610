/** Counters as `plimsoll lustre parse` shows them: lines of text, JSON, and what was wrong with the input. */
import type { ByteSource } from "../../base/source.ts";
import { partOf, piecesOf, timing } from "../text/dump-pieces.ts";
import { type FileNotes, type LustreItem, LustreParser, type ParseOptions } from "./parser.ts";
import { type Counter, Reading } from "./reading.ts";
import { NO_STAMP } from "./stamp.ts";
import type { TableReading } from "./tables.ts";
import type { ValueReading } from "./values.ts";

export interface ShowSetting {
  /** Original path on the server; that of the file when absent. */
  readonly path: string | undefined;
  /** Without counters that have no samples. */
  readonly nonzero: boolean;
}

/** Reads a file; one in which lines say when each reading was made is read part by part. Gives what was left out, by name. */
export function readDump(
  source: ByteSource,
  setting: ShowSetting,
  use: (item: LustreItem) => void,
): Map<string, number> {
  const parser = new LustreParser();
  const path = setting.path ?? source.name;
  const { by } = timing(source.read(0, 4096), source.name);
  const skipped = new Map<string, number>();
  const parse = (part: ByteSource, options: ParseOptions) => {
    const notes: FileNotes = parser.parse(part, options, use);
    for (const [name, times] of notes.skipped) skipped.set(name, (skipped.get(name) ?? 0) + times);
  };
  if (by !== "lines") parse(source, { path });
  else
    for (const piece of piecesOf(source, by))
      parse(partOf(source, piece), { path, firstLine: piece.line, readAtNs: piece.timeNs as bigint });
  return skipped;
}

/** The lines of an item; its first says what it is. */
export function* lustreLines(item: LustreItem, setting: ShowSetting): Generator<string> {
  yield `# ${headline(item)}`;
  if (item instanceof Reading) yield* counterLines(item, setting);
  else if (item.form === "table") yield* tableLines(item);
  else for (const { key, value } of item.values) yield `${key}\t${value}`;
}

function headline(item: LustreItem): string {
  const name = item.target || item.param;
  const client = item instanceof Reading && item.client !== "" ? ` of client ${item.client}` : "";
  const jobs = item.kind === "job_stats" && item instanceof Reading ? `, ${item.rows} jobs` : "";
  const read = item.readAtNs === NO_STAMP ? "" : `, read at ${timeText(item.readAtNs)}`;
  return `${item.kind} ${name}${client}${jobs}${read}`;
}

/** To the second, or to the millisecond where there are some. */
const timeText = (ns: bigint) => new Date(Number(ns / 1_000_000n)).toISOString().replace(".000Z", "Z");

/** What was wrong with the text, in one line; empty when nothing was. */
export function problems(item: LustreItem): string {
  const found: string[] = [];
  const say = (count: number, what: string) => count > 0 && found.push(`${count} ${what}`);
  if (item instanceof Reading) {
    const { notes } = item;
    say(notes.brokenLines, `unreadable lines, the first is line ${notes.firstBrokenLine}`);
    say(notes.unknownLines, "unknown lines");
    say(item.kind === "job_stats" ? notes.duplicates : 0, "duplicate entries; the last one is shown");
    if (item.cut) found.push("the text is truncated; the last entry is incomplete");
  } else {
    say(item.unknownLines, "unknown lines");
    if (item.form === "table") say(item.brokenLines, "unreadable lines");
  }
  return found.length === 0 ? "" : `${headline(item)}: ${found.join("; ")}`;
}

const COLUMNS = ["counter", "unit", "samples", "min", "max", "sum", "sumsq"] as const;

function* counterLines(reading: Reading, { nonzero }: ShowSetting): Generator<string> {
  const withJobs = reading.kind === "job_stats";
  yield [...(withJobs ? ["job"] : []), ...COLUMNS].join("\t");
  for (let row = 0; row < reading.rows; row++) {
    const id = withJobs ? `${printable(reading.jobId(row))}\t` : "";
    for (const counter of reading.counters(row)) {
      if (nonzero && counter.samples === 0n) continue;
      const { name, unit, samples, min = "", max = "", sum = "", sumsq = "" } = counter;
      yield `${id}${printable(name)}\t${unit}\t${samples}\t${min}\t${max}\t${sum}\t${sumsq}`;
    }
  }
}

/** An id may hold any bytes; a table has one line for each row. */
const printable = (text: string) => (text === "" ? "-" : text.replace(/[\u0000-\u001f\u007f]/g, "?"));

function* tableLines({ sections, values, disabled }: TableReading): Generator<string> {
  if (disabled) yield "disabled";
  for (const { key, value } of values) yield `${key}\t${value}`;
  for (const { name, sides, rows } of sections) {
    yield [name, ...sides].join("\t");
    for (const { bucket, counts } of rows) yield [bucket, ...counts].join("\t");
  }
}

/** One item of an input as JSON. Rows of jobs come one after the other, for a file may have a hundred thousand. */
export const lustreJson = (item: LustreItem, setting: ShowSetting): object =>
  item instanceof Reading ? countersJson(item, setting) : smallJson(item);

const stamp = (ns: bigint | undefined) => (ns === undefined || ns === NO_STAMP ? null : ns);

function countersJson(reading: Reading, setting: ShowSetting): object {
  const { kind, param, target, fileSystem, client, mount, cut, notes } = reading;
  const readUnixNs = stamp(reading.readAtNs);
  const head = { kind, param, target, fileSystem, client, mount, cut, notes, readUnixNs };
  if (kind === "job_stats") return { ...head, jobs: jobsJson(reading, setting) };
  return {
    ...head,
    snapshotUnixNs: stamp(reading.snapshotNs[0]),
    startUnixNs: stamp(reading.startNs[0]),
    counters: shown(reading.counters(), setting),
  };
}

function* jobsJson(reading: Reading, setting: ShowSetting): Generator<object> {
  for (let row = 0; row < reading.rows; row++)
    yield {
      jobId: reading.jobId(row),
      snapshotUnixNs: stamp(reading.snapshotNs[row]),
      startUnixNs: stamp(reading.startNs[row]),
      counters: shown(reading.counters(row), setting),
    };
}

const shown = (counters: readonly Counter[], { nonzero }: ShowSetting) =>
  nonzero ? counters.filter(({ samples }) => samples !== 0n) : counters;

function smallJson(item: TableReading | ValueReading): object {
  const { kind, param, target, fileSystem, values } = item;
  const head = { kind, param, target, fileSystem, values, readUnixNs: stamp(item.readAtNs) };
  if (item.form === "values") return head;
  const { snapshotNs, startNs, sections, disabled } = item;
  return { ...head, snapshotUnixNs: stamp(snapshotNs), startUnixNs: stamp(startNs), disabled, sections };
}
