/** A first look: four synthetic logs read back, a report on one, and a write to four targets, one of them slow. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { FormatError } from "../base/errors.ts";
import type { Listener } from "../base/listener.ts";
import { bytesSource } from "../base/source.ts";
import { TextWriter } from "../base/text-writer.ts";
import { writeParseJson } from "../formats/darshan/json.ts";
import { DarshanLog } from "../formats/darshan/log.ts";
import { writeParse } from "../formats/darshan/text.ts";
import { Totals } from "../formats/darshan/totals.ts";
import { type Sample, sampleLogs } from "../generate/samples.ts";
import { reportDocument } from "../inputs/job/index.ts";
import { readJob } from "../inputs/node.ts";
import { nodeCodecs } from "../node/codecs.ts";
import { nodeEncoders } from "../node/encoders.ts";
import { replaceFolder } from "../node/output-folder.ts";
import { writeFile } from "../node/write-file.ts";
import { writePage } from "../report/page/index.ts";
import { adaptiveDemo } from "./adaptive.ts";

/** First line of the folder's README: only a folder with it is replaced. */
const MARK = "Plimsoll demonstration";

/** The log with findings. */
export const REPORTED = "slow-checkpoint.darshan";

export interface Demo {
  readonly folder: string;
  readonly logs: readonly Row[];
  /** Report on one log, and its verdict. */
  readonly report: string;
  readonly verdict: string;
  /** Report on the write, and its verdict. */
  readonly adaptive: { readonly picture: string; readonly verdict: string };
}

interface DemoSetting {
  readonly path: string;
  readonly seed: number;
  readonly madeBy: string;
}

export async function makeDemo({ path, seed, madeBy }: DemoSetting, listener: Listener): Promise<Demo> {
  const output = { path, what: "demonstration", isOurs: isDemo };
  const { folder, result: logs } = await replaceFolder(output, listener, (work) => {
    const rows = sampleLogs(seed, nodeEncoders).map((sample) => show(sample, work));
    writeFile(join(work, "README.txt"), readme(rows));
    return rows;
  });
  // The report names its log, which gets its name only now.
  const report = join(folder, "report.html");
  const verdict = await reportOn(join(folder, REPORTED), report, madeBy, listener);
  const writing = await adaptiveDemo(folder, madeBy, listener);
  const picture = join(folder, "adaptive-write.html");
  writePage(writing, picture, listener);
  return { folder, logs, report, verdict, adaptive: { picture, verdict: writing.verdict } };
}

/** Writes the report on a log and gives its verdict. */
async function reportOn(path: string, output: string, madeBy: string, listener: Listener): Promise<string> {
  const read = await readJob([path], { picture: { callsMax: 100_000 } }, listener);
  const document = reportDocument(read, {
    madeBy,
    command: `plimsoll report ${REPORTED} -o report.html`,
  });
  writePage(document, output, listener);
  return document.verdict;
}

interface Row {
  readonly file: string;
  readonly about: string;
  readonly ranks: number;
  readonly files: number;
  readonly bytesMoved: number;
  readonly seconds: number;
  readonly bytesPerSecond: number;
}

/** Writes one sample, reads it back from the bytes, and keeps its text and JSON beside it. */
function show({ name, about, bytes }: Sample, folder: string): Row {
  const file = `${name}.darshan`;
  writeFile(join(folder, file), bytes);
  const log = new DarshanLog(bytesSource(readFileSync(join(folder, file)), file), { codecs: nodeCodecs });
  const stop = (_: unknown, error: unknown): never => {
    throw error;
  };
  const sections = { base: true, total: true, file: true, perf: true };
  writeFile(
    join(folder, `${name}.txt`),
    collect((out) => writeParse(log, sections, out, stop)),
  );
  writeFile(
    join(folder, `${name}.json`),
    collect((out) => writeParseJson(log, sections, out, stop)),
  );
  const entry = log.module("POSIX");
  if (entry?.spec?.derived === undefined) throw new FormatError(file, {}, "the sample has no POSIX data");
  const totals = new Totals(entry.spec, entry.spec.derived);
  for (const block of log.records(entry)) totals.add(block);
  const figures = totals.figures();
  return {
    file,
    about,
    ranks: Number(log.job.nprocs),
    files: figures.files.total.count,
    bytesMoved: Number(figures.totalBytes),
    seconds: figures.totalSeconds,
    bytesPerSecond: figures.mebibytesPerSecond * 1048576,
  };
}

function collect(write: (out: TextWriter) => void): Buffer {
  const parts: Buffer[] = [];
  const out = new TextWriter((bytes) => void parts.push(Buffer.from(bytes)));
  write(out);
  out.flush();
  return Buffer.concat(parts);
}

function isDemo(folder: string): boolean {
  try {
    return readFileSync(join(folder, "README.txt"), "utf8").startsWith(MARK);
  } catch {
    return false;
  }
}

function readme(rows: readonly Row[]): string {
  return `${MARK}

Synthetic Darshan logs, each with the text and the JSON of its counters beside it.

${rows.map(({ file, about }) => `${file}: ${about}`).join("\n")}
`;
}
