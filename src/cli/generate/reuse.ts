/** `plimsoll generate reuse`: a synthetic centre with the file reuse of a published study, and its true answers. */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { damagePack } from "../../generate/damage/index.ts";
import {
  type AnswerSheet,
  AnswerSheetBuilder,
  CALIBRATED_SCALE,
  type Comparison,
  centre,
  expectedRuns,
  type Group,
  INTER_ARRIVALS,
  type InterArrival,
  LogNames,
  logOf,
  Population,
  SCENARIO,
  TableEmitter,
} from "../../generate/reuse/index.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { replaceFolder } from "../output-folder.ts";
import { makeFolder } from "../../node/folders.ts";

/** First line of README.txt; only a folder with it is replaced. */
const MARK = "A synthetic HPC centre made by plimsoll generate reuse";
/** More logs than this in one tree are a case for --tables. */
const LOGS_MAX = 20_000_000;

export default defineCommand({
  name: "generate reuse",
  summary: "make a synthetic centre with known file reuse: logs or a store, and the true answers",
  description:
    "Makes the Darshan logs of a centre whose files are reused as in a published study of four months on a large system, and answers.json with the true result of every analysis beside the published one. There are two knobs of size: --scale for the files that the study selects (8,500 of them, about 47 runs each, at 1), and --background for everything else (52 million files and 84 million logs at 1); the published shares and means hold from --scale 0.1 on. With --tables the rows go straight into a store, which is the way to large sizes. The same options give the same bytes; everything says that it is synthetic.",
  options: {
    out: {
      kind: "string",
      short: "o",
      valueName: "DIR",
      help: "folder to write; an earlier one of this command is replaced",
    },
    scale: {
      kind: "number",
      min: 0,
      max: 1000,
      default: 0.1,
      help: "size of the selected set: 8,500 files and 400,000 logs times this (0.0001 makes 50 to 150 logs)",
    },
    background: {
      kind: "number",
      min: 0,
      max: 100,
      default: 0.0001,
      help: "size of the rest: 52 million files and 84 million logs times this",
    },
    seed: {
      kind: "number",
      integer: true,
      min: 0,
      max: 2 ** 32 - 1,
      default: 1,
      help: "seed of the random numbers",
    },
    "inter-arrival": {
      kind: "choice",
      choices: INTER_ARRIVALS,
      default: "spread",
      help: "gaps between the runs of a file: widely spread, or literally 50 h and more for 80 % of the files",
    },
    "files-per-run": {
      kind: "number",
      integer: true,
      min: 1,
      max: 1000,
      default: 1,
      help: "runs of one user and program that start within 10 minutes become one, with up to so many selected files",
    },
    tables: { kind: "boolean", help: "write a store (DIR/store) instead of logs (DIR/logs)" },
    damage: { kind: "boolean", help: "also write DIR/damage: broken logs, and what must become of each" },
  },
  examples: [
    {
      command: "plimsoll generate reuse --out centre",
      does: "850 files in about 49,000 logs, and answers.json",
    },
    {
      command: "plimsoll generate reuse --out centre --scale 0.001 --background 0.000001",
      does: "a few hundred logs, for a first look",
    },
    {
      command: "plimsoll generate reuse --out centre --scale 1 --background 0.01 --tables",
      does: "a whole study as a store",
    },
  ],
  async run({ options }, context) {
    const { out, seed, scale, background } = options;
    if (out === undefined || out === "") throw new UsageError("--out is missing: name a folder");
    const interArrival = options.interArrival as InterArrival;
    const population = new Population({
      seed,
      scale,
      background,
      interArrival,
      filesPerRun: options.filesPerRun,
    });
    if (!options.tables && expectedRuns(population) > LOGS_MAX) {
      throw new UsageError(
        `about ${expectedRuns(population).toLocaleString("en")} logs are too many files; add --tables or choose smaller --scale and --background`,
      );
    }
    let sheet: AnswerSheet | undefined;
    let damaged = 0;
    const output = { path: out, what: "synthetic centre", isOurs };
    const folder = await replaceFolder(output, context, async (work) => {
      sheet = options.tables
        ? await writeTables(work, population, context)
        : await writeLogs(work, population, context);
      if (options.damage) damaged = writeDamage(join(work, "damage"));
      writeFileSync(join(work, "answers.json"), `${JSON.stringify(sheet, exactNumbers, 2)}\n`);
      writeFileSync(join(work, "README.txt"), readme(sheet, options.tables, damaged));
    });
    const answers = join(folder, "answers.json");
    const { items, comparison } = sheet as AnswerSheet;
    const outside = comparison.filter(({ within }) => within === false).length;
    const made = join(folder, options.tables ? "store" : "logs");
    if (context.json) {
      const planted = items.A01?.planted;
      context.printJson({
        answers,
        [options.tables ? "store" : "logs"]: made,
        census: planted,
        damaged,
        outside,
      });
    } else context.out.write(summary(sheet as AnswerSheet, made, answers, options.tables, damaged));
  },
});

/** All groups pass the answer book; `take` does the rest. */
async function generate(
  population: Population,
  context: Context,
  take: (group: Group) => void | Promise<void>,
): Promise<AnswerSheet> {
  const answers = new AnswerSheetBuilder(population);
  const progress = context.progress({ label: "generate", total: expectedRuns(population), unit: "runs" });
  for (const group of centre(population)) {
    answers.add(group);
    await take(group);
    progress.add(group.runs.length);
    await context.breathe();
  }
  progress.end();
  return answers.finish();
}

async function writeLogs(work: string, population: Population, context: Context): Promise<AnswerSheet> {
  const folders = new Set<string>();
  const names = new LogNames(population);
  return generate(population, context, async ({ runs }) => {
    for (const run of runs) {
      const path = join(work, names.path(run));
      const folder = dirname(path);
      if (!folders.has(folder)) {
        makeFolder(folder);
        folders.add(folder);
      }
      writeFileSync(path, logOf(run, population, nodeEncoders));
      await context.breathe();
    }
  });
}

async function writeTables(work: string, population: Population, context: Context): Promise<AnswerSheet> {
  const { Store } = await import("../../store/index.ts");
  const store = await Store.create(join(work, "store"));
  try {
    const batch = store.beginBatch({ writer: "plimsoll generate reuse" });
    try {
      const emitter = new TableEmitter(population, batch);
      const sheet = await generate(population, context, (group) => emitter.add(group));
      await emitter.end();
      await batch.commit();
      return sheet;
    } catch (error) {
      await batch.abort();
      throw error;
    }
  } finally {
    await store.close();
  }
}

function writeDamage(folder: string): number {
  mkdirSync(folder);
  const pack = damagePack(nodeEncoders);
  for (const { name, bytes } of pack) writeFileSync(join(folder, name), bytes);
  const expected = { files: pack.map(({ bytes: _, ...file }) => file) };
  writeFileSync(join(folder, "expected.json"), `${JSON.stringify(expected, exactNumbers, 2)}\n`);
  return pack.length;
}

/** A bigint as a number as long as that is exact. */
function exactNumbers(_: string, value: unknown): unknown {
  if (typeof value !== "bigint") return value;
  return value <= BigInt(Number.MAX_SAFE_INTEGER) ? Number(value) : String(value);
}

function isOurs(folder: string): boolean {
  try {
    return readFileSync(join(folder, "README.txt"), "utf8").startsWith(MARK);
  } catch {
    return false;
  }
}

function readme({ seed, options, items }: AnswerSheet, tables: boolean, damaged: number): string {
  const logs = items.A01?.planted.logs;
  return `${MARK}
Nothing here was recorded on a real system.

scenario ${SCENARIO}, seed ${seed}, scale ${options.scale}, background ${options.background}, inter-arrival ${options.interArrival}, files per run ${options.filesPerRun}
${tables ? "store/        rows of" : "logs/         "}${tables ? ` ${logs} runs, without their logs` : `${logs} Darshan logs by year, month and day in ${options.zone}`}
answers.json  the true result of every analysis, and the published one
${damaged > 0 ? `damage/       ${damaged} broken or odd logs; expected.json says what must become of each\n` : ""}`;
}

function summary(
  { comparison, options }: AnswerSheet,
  made: string,
  answers: string,
  tables: boolean,
  damaged: number,
): string {
  const lines = comparison.map((line) =>
    [
      line.item.padEnd(4),
      line.key.padEnd(23),
      number(line.published).padStart(10),
      number(line.expected).padStart(10),
      number(line.planted).padStart(10),
      `  ${accepted(line)}`,
    ]
      .join(" ")
      .trimEnd(),
  );
  const outside = comparison.filter(({ within }) => within === false).length;
  const promise =
    options.scale < CALIBRATED_SCALE
      ? `Below --scale ${CALIBRATED_SCALE} there are too few files for the published shares and means to hold.`
      : outside === 0
        ? "All planted values are within the tolerances."
        : `${outside} of the planted values ${outside === 1 ? "is" : "are"} outside the tolerances (docs/generate.md says which may be).`;
  const next = tables
    ? `plimsoll study reuse --store ${made}`
    : `plimsoll ingest ${made} --store ${made}-store`;
  return `Made a synthetic centre in ${made}${damaged > 0 ? ` and ${damaged} damaged logs beside it` : ""}.

item key                      published  at scale    planted  accepted
${lines.join("\n")}

${promise} The answers are in ${answers}. Look further:
  ${next}
`;
}

function accepted({ low, high, within }: Comparison): string {
  if (low === undefined || high === undefined) return "";
  return `${number(low)} to ${number(high)}${within === false ? "  outside" : ""}`;
}

function number(value: number): string {
  const size = Math.abs(value);
  if (Number.isNaN(value)) return "-";
  if (size >= 1e15) return `${(value / 1e15).toFixed(2)} P`;
  if (size >= 1e12) return `${(value / 1e12).toFixed(1)} T`;
  if (size >= 1e9) return `${(value / 1e9).toFixed(1)} G`;
  if (size >= 10_000) return Math.round(value).toLocaleString("en");
  if (Number.isInteger(value)) return String(value);
  return size >= 100 ? value.toFixed(0) : size >= 10 ? value.toFixed(1) : value.toFixed(3);
}
