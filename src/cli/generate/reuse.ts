/** `plimsoll generate reuse`: a synthetic centre with the file reuse of a published study, and its true answers. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { damagePack } from "../../generate/damage/index.ts";
import {
  type AnswerSheet,
  AnswerSheetBuilder,
  CALIBRATED_SCALE,
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
import { replaceFolder } from "../../node/output-folder.ts";
import {
  comparedTable,
  fillStore,
  isMarked,
  OUTPUT,
  outsideCount,
  promiseText,
  requiredOutput,
  SEED,
  writeAnswers,
} from "./answers.ts";
import { makeFolder } from "../../node/folders.ts";
import { writeFile } from "../../node/write-file.ts";
import { option } from "../option.ts";

/** First line of README.txt; only a folder with it is replaced. */
const MARK = "A synthetic HPC centre made by plimsoll generate reuse";
/** More logs than this in one tree are a case for --tables. */
const LOGS_MAX = 20_000_000;
const isOurs = (folder: string) => isMarked(folder, MARK);

export default defineCommand({
  name: "generate reuse",
  description:
    "Generates Darshan logs of a centre with file reuse as in a published four-month study of a large system, and answers.json with the true result of every analysis next to the published one. --scale sets the number of files that the study selects (1 means 8,500 files with about 47 runs each), --background the rest (1 means 52 million files and 84 million logs); published shares and means hold from --scale 0.1. With --tables the rows go directly into a store, for large sizes. The same options give the same bytes; all output is labelled as synthetic.",
  options: {
    output: OUTPUT,
    scale: option.number(
      "scale factor of the selected set: 1 is 8,500 files and 400,000 logs (0.0001 gives 50 to 150 logs)",
      { min: 0, max: 1000, default: 0.1 },
    ),
    background: option.number("scale factor of the rest: 1 is 52 million files and 84 million logs", {
      min: 0,
      max: 100,
      default: 0.0001,
    }),
    seed: SEED,
    "inter-arrival": option.choice(
      INTER_ARRIVALS,
      "gaps between runs of a file: widely spread, or 50 h and more for 80 % of the files",
      { default: "spread" },
    ),
    "files-per-run": option.whole(
      "merge runs of one user and program that start within 10 minutes, up to N selected files per run",
      { min: 1, max: 1000, default: 1 },
    ),
    tables: option.flag("write a store (DIR/store) instead of logs (DIR/logs)"),
    damage: option.flag("also write DIR/damage: broken logs with the expected outcome of each"),
  },
  examples: {
    "plimsoll generate reuse --output centre": "850 files in about 49,000 logs, and answers.json",
    "plimsoll generate reuse --output centre --scale 0.001 --background 0.000001":
      "a few hundred logs for a first look",
    "plimsoll generate reuse --output centre --scale 1 --background 0.01 --tables": "full size, as a store",
  },
  async run({ options }, context) {
    const { seed, scale, background } = options;
    const out = requiredOutput(options.output);
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
        `about ${expectedRuns(population).toLocaleString("en")} logs are too many files; add --tables, or choose a smaller --scale or --background`,
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
      writeAnswers(join(work, "answers.json"), sheet);
      writeFile(join(work, "README.txt"), readme(sheet, options.tables, damaged));
    });
    const answers = join(folder, "answers.json");
    const { items, comparison } = sheet as AnswerSheet;
    const outside = outsideCount(comparison);
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
    await context.yieldToEvents();
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
      writeFile(path, logOf(run, population, nodeEncoders));
      await context.yieldToEvents();
    }
  });
}

function writeTables(work: string, population: Population, context: Context): Promise<AnswerSheet> {
  return fillStore(join(work, "store"), "plimsoll generate reuse", async (batch) => {
    const emitter = new TableEmitter(population, batch);
    const sheet = await generate(population, context, (group) => emitter.add(group));
    await emitter.end();
    return sheet;
  });
}

function writeDamage(folder: string): number {
  mkdirSync(folder);
  const pack = damagePack(nodeEncoders);
  for (const { name, bytes } of pack) writeFile(join(folder, name), bytes);
  const expected = { files: pack.map(({ bytes: _, ...file }) => file) };
  writeAnswers(join(folder, "expected.json"), expected);
  return pack.length;
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
  const promise = promiseText(comparison, options.scale, CALIBRATED_SCALE, "files");
  const next = tables
    ? `plimsoll study reuse --store ${made}`
    : `plimsoll ingest ${made} --store ${made}-store`;
  return `Made a synthetic centre in ${made}${damaged > 0 ? ` and ${damaged} damaged logs beside it` : ""}.

${comparedTable([{ label: "item" }, { label: "key", min: 23 }], comparison, ({ item, key }) => [item, key])}

${promise} The answers are in ${answers}. Look further:
  ${next}
`;
}
