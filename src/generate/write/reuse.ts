/** A synthetic centre as logs or as a store, with its answers. */
import { mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Listener } from "../../base/listener.ts";
import { makeFolder } from "../../node/folders.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { writeFile } from "../../node/write-file.ts";
import { damagePack } from "../damage/index.ts";
import {
  type AnswerSheet,
  AnswerSheetBuilder,
  centre,
  expectedRuns,
  type Group,
  LogNames,
  logOf,
  type Population,
  TableEmitter,
} from "../reuse/index.ts";
import { fillStore, writeAnswers } from "./answers.ts";

/** All groups pass the answer book; `take` does the rest. */
async function generate(
  population: Population,
  listener: Listener,
  take: (group: Group) => void | Promise<void>,
): Promise<AnswerSheet> {
  const answers = new AnswerSheetBuilder(population);
  const progress = listener.progress?.({ label: "generate", total: expectedRuns(population), unit: "runs" });
  for (const group of centre(population)) {
    answers.add(group);
    await take(group);
    progress?.add(group.runs.length);
    await listener.yieldToEvents?.();
  }
  progress?.end();
  return answers.finish();
}

/** Every run as a Darshan log, in folders by date. */
export async function writeLogs(
  work: string,
  population: Population,
  listener: Listener,
): Promise<AnswerSheet> {
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
export function writeTables(work: string, population: Population, listener: Listener): Promise<AnswerSheet> {
  return fillStore(join(work, "store"), "plimsoll generate reuse", async (batch) => {
    const emitter = new TableEmitter(population, batch);
    const sheet = await generate(population, listener, (group) => emitter.add(group));
    await emitter.end();
    return sheet;
  });
}

/** Broken logs, and what must become of each; gives their number. */
export function writeDamage(folder: string): number {
  mkdirSync(folder);
  const pack = damagePack(nodeEncoders);
  for (const { name, bytes } of pack) writeFile(join(folder, name), bytes);
  const expected = { files: pack.map(({ bytes: _, ...file }) => file) };
  writeAnswers(join(folder, "expected.json"), expected);
  return pack.length;
}
