/** `plimsoll lustre parse`: counters of Lustre as they were read, with their units. */
import { statSync } from "node:fs";
import { FormatError } from "../../base/errors.ts";
import { type ByteSource, HEAD_BYTES } from "../../base/source.ts";
import {
  type Counter,
  type FileNotes,
  type LustreItem,
  LustreParser,
  NO_STAMP,
  type ParseOptions,
  Reading,
  recognizeLustre,
  type TableReading,
  type ValueReading,
} from "../../formats/lustre/index.ts";
import { partOf, piecesOf, timing } from "../../formats/text/dump-pieces.ts";
import { withFile } from "../../node/file-source.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { option } from "../option.ts";

export default defineCommand({
  name: "lustre parse",
  description:
    "Reads stats, md_stats, job_stats, brw_stats, rpc_stats, lnet and recovery files of Lustre 2.5 to 2.17, single files or lctl get_param output, and prints the counters with their units. The unit comes from each line, never from the release: read in bytes and read in microseconds are two counters. 64-bit values are exact; JSON writes those beyond 2^53 as strings. Timestamp lines before a sample, as plimsoll ingest reads them (1700000040, ### 2026-07-31T10:15:00Z), are printed as the time of that sample.",
  arguments: [{ name: "file", help: "stats files, or /dev/stdin", kind: "file", variadic: true }],
  options: {
    path: option.text("TEXT", "original path on the server, such as obdfilter/fs-OST0001/job_stats"),
    nonzero: option.flag("omit counters without samples"),
  },
  examples: {
    "plimsoll lustre parse /proc/fs/lustre/obdfilter/*/job_stats": "every job on every OST of this server",
    "lctl get_param '*.*.job_stats' | plimsoll lustre parse /dev/stdin": "the same from lctl",
    "plimsoll lustre parse --json stats": "one JSON document",
  },
  async run({ arguments: files, options }, context) {
    const setting: Setting = { path: options.path, nonzero: options.nonzero };
    if (context.json) {
      const read = [];
      for (const file of files)
        read.push(...(await guarded(file, files.length, context, () => fileJson(file, setting))));
      context.printJson({ files: read });
      return;
    }
    for (const file of files) {
      await guarded(file, files.length, context, () => printFile(file, setting, context));
      await context.yieldToEvents();
    }
  },
});

interface Setting {
  readonly path: string | undefined;
  readonly nonzero: boolean;
}

/** One bad file is an error; among several it is left out. */
async function guarded<T>(file: string, count: number, context: Context, use: () => T): Promise<T[]> {
  try {
    return [use()];
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    const detail = (error.detail === NOTHING ? await otherInput(file) : undefined) ?? error.detail;
    if (count === 1) throw detail === error.detail ? error : new FormatError(file, {}, detail);
    context.skip(file, detail);
    return [];
  }
}

/** What a file without Lustre counters is, and who takes it; undefined when nobody knows. */
async function otherInput(file: string): Promise<string | undefined> {
  if (!statSync(file).isFile()) return undefined;
  const { otherUse } = await import("../../formats/catalogue.ts");
  const head = withFile(file, (source) => source.read(0, HEAD_BYTES).slice());
  return recognizeLustre(head, file) === undefined ? otherUse(head, file) : undefined;
}

function printFile(file: string, setting: Setting, context: Context): void {
  const parser = new LustreParser();
  let items = 0;
  const skipped = withFile(file, (source) =>
    parseAll(parser, source, setting, (item) => {
      items++;
      context.out.write(`# ${headline(item)}\n`);
      if (item instanceof Reading) printCounters(item, setting, context);
      else if (item.form === "table") printTable(item, context);
      else for (const { key, value } of item.values) context.out.write(`${key}\t${value}\n`);
      const wrong = problems(item);
      if (wrong !== "") context.note(`${file}: ${wrong}`);
    }),
  );
  if (items === 0) throw nothingFound(file);
  if (skipped.size > 0)
    context.note(`${file}: without counters and left out: ${[...skipped.keys()].sort().join(", ")}`);
}

/** Reads a file; one in which lines say when each reading was made is read part by part. Gives what was left out, by name. */
function parseAll(
  parser: LustreParser,
  source: ByteSource,
  setting: Setting,
  use: (item: LustreItem) => void,
): Map<string, number> {
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

const NOTHING =
  "no Lustre counters found; expected stats, job_stats, brw_stats or lctl get_param output (for an empty file, name its kind with --path)";

const nothingFound = (file: string) => new FormatError(file, {}, NOTHING);

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
function problems(item: LustreItem): string {
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

function printCounters(reading: Reading, { nonzero }: Setting, context: Context): void {
  const withJobs = reading.kind === "job_stats";
  context.out.write(`${[...(withJobs ? ["job"] : []), ...COLUMNS].join("\t")}\n`);
  for (let row = 0; row < reading.rows; row++) {
    const id = withJobs ? `${printable(reading.jobId(row))}\t` : "";
    for (const counter of reading.counters(row)) {
      if (nonzero && counter.samples === 0n) continue;
      const { name, unit, samples, min = "", max = "", sum = "", sumsq = "" } = counter;
      context.out.write(`${id}${printable(name)}\t${unit}\t${samples}\t${min}\t${max}\t${sum}\t${sumsq}\n`);
    }
  }
}

/** An id may hold any bytes; a table has one line for each row. */
const printable = (text: string) => (text === "" ? "-" : text.replace(/[\u0000-\u001f\u007f]/g, "?"));

function printTable({ sections, values, disabled }: TableReading, context: Context): void {
  if (disabled) context.out.write("disabled\n");
  for (const { key, value } of values) context.out.write(`${key}\t${value}\n`);
  for (const { name, sides, rows } of sections) {
    context.out.write(`${[name, ...sides].join("\t")}\n`);
    for (const { bucket, counts } of rows) context.out.write(`${[bucket, ...counts].join("\t")}\n`);
  }
}

function fileJson(file: string, setting: Setting): object {
  const items: LustreItem[] = [];
  const skipped = withFile(file, (source) =>
    parseAll(new LustreParser(), source, setting, (item) =>
      items.push(item instanceof Reading ? item.copy() : item),
    ),
  );
  if (items.length === 0) throw nothingFound(file);
  return {
    file,
    readings: items.map((item) => (item instanceof Reading ? countersJson(item, setting) : smallJson(item))),
    leftOut: Object.fromEntries(skipped),
  };
}

const stamp = (ns: bigint | undefined) => (ns === undefined || ns === NO_STAMP ? null : ns);

function countersJson(reading: Reading, setting: Setting): object {
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

/** One after the other, for a file may have a hundred thousand. */
function* jobsJson(reading: Reading, setting: Setting): Generator<object> {
  for (let row = 0; row < reading.rows; row++)
    yield {
      jobId: reading.jobId(row),
      snapshotUnixNs: stamp(reading.snapshotNs[row]),
      startUnixNs: stamp(reading.startNs[row]),
      counters: shown(reading.counters(row), setting),
    };
}

const shown = (counters: readonly Counter[], { nonzero }: Setting) =>
  nonzero ? counters.filter(({ samples }) => samples !== 0n) : counters;

function smallJson(item: TableReading | ValueReading): object {
  const { kind, param, target, fileSystem, values } = item;
  const head = { kind, param, target, fileSystem, values, readUnixNs: stamp(item.readAtNs) };
  if (item.form === "values") return head;
  const { snapshotNs, startNs, sections, disabled } = item;
  return { ...head, snapshotUnixNs: stamp(snapshotNs), startUnixNs: stamp(startNs), disabled, sections };
}
