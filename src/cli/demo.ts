/** `plimsoll demo`: a first look, on logs made here and now. */
import { textTable } from "../base/text-table.ts";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { version } from "../../package.json";
import { FormatError } from "../base/errors.ts";
import { bytesSource } from "../base/source.ts";
import { TextWriter } from "../base/text-writer.ts";
import { formatBytes, formatRate, formatSeconds } from "../base/units.ts";
import { writeParseJson } from "../formats/darshan/json.ts";
import { DarshanLog } from "../formats/darshan/log.ts";
import { writeParse } from "../formats/darshan/text.ts";
import { Totals } from "../formats/darshan/totals.ts";
import { type Sample, sampleLogs } from "../generate/samples.ts";
import { reportDocument } from "../inputs/job/index.ts";
import { readJob } from "../inputs/node.ts";
import { nodeCodecs } from "../node/codecs.ts";
import { nodeEncoders } from "../node/encoders.ts";
import { wrap } from "../report/text/index.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";
import { adaptiveDemo } from "./demo/adaptive.ts";
import { writePage } from "./page-output.ts";
import { replaceFolder } from "../node/output-folder.ts";
import { writeFile } from "../node/write-file.ts";
import { option } from "./option.ts";

/** First line of the folder's README: only a folder with it is replaced. */
const MARK = "Plimsoll demonstration";

export default defineCommand({
  name: "demo",
  description:
    "Generates four small synthetic Darshan logs, reads them back, and writes logs, text, JSON and a report to a folder. Then writes 32 MiB to four folders that act as storage targets, one throttled to an eighth of the speed of the others, without and with adaptation, and keeps the dataset and a figure.",
  options: {
    output: option.text("DIR", "output folder; replaces an earlier demonstration", {
      short: "o",
      default: "plimsoll-demo",
    }),
    seed: option.whole("random seed", { default: 1 }),
  },
  examples: {
    "plimsoll demo": "write plimsoll-demo/ and list its contents",
  },
  async run({ options }, context) {
    let rows: readonly Row[] = [];
    const output = { path: options.output, what: "demonstration", isOurs: isDemo };
    const { folder } = await replaceFolder(output, context, (work) => {
      rows = sampleLogs(options.seed, nodeEncoders).map((sample) => show(sample, work));
      writeFile(join(work, "README.txt"), readme(rows));
    });
    // The report names its log, which has its name only now.
    const report = join(folder, "report.html");
    const verdict = await reportOn(join(folder, REPORTED), report, context);
    const writing = await adaptiveDemo(folder, context);
    const picture = join(folder, "adaptive-write.html");
    await writePage(writing, picture, context);
    if (context.json)
      context.printJson({
        folder,
        logs: rows,
        report,
        verdict,
        adaptive: { picture, verdict: writing.verdict },
      });
    else {
      const told = [verdict, writing.verdict].map((text) => wrap(text, context.columns).join("\n"));
      context.out.write(summary(folder, rows, { report, picture }, told as [string, string]));
    }
  },
});

/** The log that has something to say. */
const REPORTED = "slow-checkpoint.darshan";

/** Writes the report on a log and gives its verdict. */
async function reportOn(path: string, output: string, context: Context): Promise<string> {
  const read = await readJob([path], { picture: { callsMax: 100_000 } }, context);
  const document = reportDocument(read, {
    madeBy: `Plimsoll ${version}`,
    command: `plimsoll report ${REPORTED} -o report.html`,
  });
  await writePage(document, output, context);
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

function table(rows: readonly Row[]): string {
  const columns = [
    { label: "log", min: 26 },
    { label: "ranks", right: true },
    { label: "files", right: true, min: 6 },
    { label: "moved", right: true, min: 9 },
    { label: "I/O time", right: true, min: 9 },
    { label: "throughput", right: true, min: 11 },
  ];
  const cells = rows.map(({ file, ranks, files, bytesMoved, seconds, bytesPerSecond }) => [
    ...[file, String(ranks), String(files), formatBytes(bytesMoved), formatSeconds(seconds)],
    formatRate(bytesPerSecond),
  ]);
  return textTable(columns, cells, { gap: " " }).join("\n");
}

function summary(
  folder: string,
  rows: readonly Row[],
  { report, picture }: { readonly report: string; readonly picture: string },
  [verdict, writing]: readonly [string, string],
): string {
  const first = rows[0]?.file ?? "";
  // In a checkout nothing is on PATH.
  const program = existsSync("bin/plimsoll") ? "./bin/plimsoll" : "plimsoll";
  return `Made ${rows.length} Darshan logs (synthetic), read them back, and wrote ${folder}/:

${table(rows)}

${rows.map(({ file, about }) => `  ${file}: ${about}`).join("\n")}

I/O time: slowest rank. The verdict on ${REPORTED}:

${verdict}

Open ${report} in a browser: findings, heat map, timeline, files.

Then 32 MiB were written to four folders that act as storage targets, one throttled to an eighth of the speed of the others:

${writing}

Open ${picture} to see which writer wrote where. Next:
  ${program} report ${folder}/${REPORTED}
  ${program} findings --list
  ${program} darshan parse --perf ${folder}/${first}
  ${program} darshan dxt ${folder}/small-writes.darshan | head -30
  ${program} ls ${folder}/checkpoint.bp
  ${program} record -- dd if=/dev/zero of=/tmp/plimsoll-dd bs=64k count=1000
  ${program} sim run jaguar --writers 4096
  ${program} ncio --backend servers --pause 0
  ${program} --help
A centre of 49,000 logs, and the study of how its files are reused (a minute in all):
  ${program} generate reuse --output centre
  ${program} ingest centre/logs --store centre-store
  ${program} study reuse --store centre-store --zone America/Los_Angeles -o study
A site with Lustre, who loads it, and the study of its jobs (ten seconds in all):
  ${program} generate sitewide --scale 0.01 --tables --output site
  ${program} top users --store site/store
  ${program} study system --store site/store --zone America/Los_Angeles -o site-study
`;
}

function readme(rows: readonly Row[]): string {
  return `${MARK}

Synthetic Darshan logs, each with the text and the JSON of its counters beside it.

${rows.map(({ file, about }) => `${file}: ${about}`).join("\n")}
`;
}
