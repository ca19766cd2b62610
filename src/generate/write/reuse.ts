/** A synthetic centre as logs or as a store, with its answers. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Listener } from "../../base/listener.ts";
import { makeFolder } from "../../node/folders.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { replaceFolder } from "../../node/output-folder.ts";
import { writeFile } from "../../node/write-file.ts";
import { damagePack } from "../damage/index.ts";
import {
  type AnswerSheet,
  AnswerSheetBuilder,
  centre,
  Contention,
  expectedRuns,
  type Group,
  LogNames,
  logOf,
  type Population,
  SCENARIO,
  TableEmitter,
} from "../reuse/index.ts";
import { fillStore, isMarked, writeAnswers } from "./answers.ts";

/** First line of README.txt; only a folder with it is replaced. */
const MARK = "A synthetic HPC centre made by plimsoll generate reuse";

/** Logs or a store, answers.json and a README in a folder that is there whole or not at all. */
export async function writeCentre(
  path: string,
  population: Population,
  { tables, damage }: { readonly tables: boolean; readonly damage: boolean },
  listener: Listener,
): Promise<{ readonly folder: string; readonly sheet: AnswerSheet; readonly damaged: number }> {
  const output = { path, what: "synthetic centre", isOurs: (folder: string) => isMarked(folder, MARK) };
  const { folder, result } = await replaceFolder(output, listener, async (work) => {
    const sheet = await (tables ? writeTables : writeLogs)(work, population, listener);
    const damaged = damage ? writeDamage(join(work, "damage")) : 0;
    writeAnswers(join(work, "answers.json"), sheet);
    writeFile(join(work, "README.txt"), readme(sheet, tables, damaged));
    return { sheet, damaged };
  });
  return { folder, ...result };
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

/** All groups pass the answer book; `take` does the rest. */
async function generate(
  population: Population,
  listener: Listener,
  take: (group: Group) => void | Promise<void>,
): Promise<AnswerSheet> {
  const contention = new Contention(population);
  const answers = new AnswerSheetBuilder(population, contention);
  const progress = listener.progress?.({ label: "generate", total: expectedRuns(population), unit: "runs" });
  for (const group of centre(population, contention)) {
    answers.add(group);
    await take(group);
    progress?.add(group.runs.length);
    await listener.yieldToEvents?.();
  }
  progress?.end();
  return answers.finish();
}

/** Every run as a Darshan log, in folders by date. */
async function writeLogs(work: string, population: Population, listener: Listener): Promise<AnswerSheet> {
  const folders = new Set<string>();
  const names = new LogNames(population);
  return generate(population, listener, async ({ runs }) => {
    for (const run of runs) {
      const path = join(work, names.path(run));
      const folder = dirname(path);
      if (!folders.has(folder)) {
        makeFolder(folder);
        folders.add(folder);
      }
      writeFile(path, logOf(run, population, nodeEncoders));
      await listener.yieldToEvents?.();
    }
  });
}

/** All runs as rows of a store. */
function writeTables(work: string, population: Population, listener: Listener): Promise<AnswerSheet> {
  return fillStore(join(work, "store"), "plimsoll generate reuse", async (batch) => {
    const emitter = new TableEmitter(population, batch);
    const sheet = await generate(population, listener, (group) => emitter.add(group));
    await emitter.end();
    return sheet;
  });
}

/** Broken logs, and what must become of each; gives their number. */
function writeDamage(folder: string): number {
  mkdirSync(folder);
  const pack = damagePack(nodeEncoders);
  for (const { name, bytes } of pack) writeFile(join(folder, name), bytes);
  const expected = { files: pack.map(({ bytes: _, ...file }) => file) };
  writeAnswers(join(folder, "expected.json"), expected);
  return pack.length;
}
