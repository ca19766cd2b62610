/** A synthetic centre as logs or as a store, with its answers. */
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Listener } from "../../base/listener.ts";
import type { RowSink } from "../../model/index.ts";
import { makeFolder } from "../../node/folders.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { replaceFolder } from "../../node/output-folder.ts";
import { writeFile } from "../../node/write-file.ts";
import { damagePack } from "../damage/index.ts";
import {
  type AnswerSheet,
  AnswerSheetBuilder,
  centre,
  centreSlice,
  Contention,
  expectedRuns,
  type Group,
  JoinedLoad,
  type Load,
  LogNames,
  logOf,
  type Population,
  SCENARIO,
  SelectedSlice,
  type Slice,
  TableEmitter,
} from "../reuse/index.ts";
import { fillStore, isMarked, readAnswers, writeAnswers } from "./answers.ts";
import { SliceTimesFiles, writeSliceTimes } from "./slice-times.ts";
import { joinParts, writePart } from "./slices.ts";

const WRITER = "plimsoll generate reuse";
/** First line of README.txt; only a folder with it is replaced. */
const MARK = "A synthetic HPC centre made by plimsoll generate reuse";

/** What is made of a centre: logs, or a store, its rows by buckets where given. */
interface Made {
  readonly tables: boolean;
  readonly buckets?: number | undefined;
}

/** Logs or a store, answers.json and a README in a folder that is there whole or not at all. */
export async function writeCentre(
  path: string,
  population: Population,
  { tables, buckets, damage }: Made & { readonly damage: boolean },
  listener: Listener,
): Promise<{ readonly folder: string; readonly sheet: AnswerSheet; readonly damaged: number }> {
  const output = { path, what: "synthetic centre", isOurs: (folder: string) => isMarked(folder, MARK) };
  const { folder, result } = await replaceFolder(output, listener, async (work) => {
    const sheet = await (tables
      ? writeTables(work, population, listener, buckets)
      : writeLogs(work, population, listener));
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
  load: Load,
  listener: Listener,
  take: (group: Group) => void | Promise<void>,
): Promise<AnswerSheet> {
  const answers = new AnswerSheetBuilder(population, load);
  await eachGroup(centre(population, load), expectedRuns(population), listener, (group) => {
    answers.add(group);
    return take(group);
  });
  return answers.finish();
}

async function eachGroup(
  groups: Iterable<Group>,
  runs: number,
  listener: Listener,
  take: (group: Group) => void | Promise<void>,
): Promise<void> {
  const progress = listener.progress?.({ label: "generate", total: Math.ceil(runs), unit: "runs" });
  for (const group of groups) {
    await take(group);
    progress?.add(group.runs.length);
    await listener.yieldToEvents?.();
  }
  progress?.end();
}

/** One slice of a centre. Logs go to where they belong below `path`, each with its own name; rows into a store of this slice. */
export async function writeSlice(
  path: string,
  population: Population,
  { tables, buckets, slice }: Made & { readonly slice: Slice },
  listener: Listener,
): Promise<{ readonly part: string }> {
  return writePart(path, slice, listener, async (work) => {
    const selected = isInStretches(population) ? new SelectedSlice(population, slice) : undefined;
    if (selected !== undefined) writeSliceTimes(work, selected.times);
    const groups = centreSlice(population, slice, selected);
    const runs = expectedRuns(population) / slice.of;
    if (!tables) return eachGroup(groups, runs, listener, logWriter(path, population, listener));
    const fill = async (sinks: readonly RowSink[]) => {
      const emitter = new TableEmitter(population, sinks);
      await eachGroup(groups, runs, listener, (group) => emitter.add(group));
      await emitter.end();
    };
    await fillStore(join(work, "store"), WRITER, fill, buckets);
  });
}

/** Whether each slice plays the runs of its own OSTs, and the join reads their times. */
const isInStretches = ({ options }: Population): boolean => (options.filesPerRun ?? 1) === 1;

/** Makes one centre of `of` slices; for the answers all groups are drawn once more. */
export async function joinSlices(
  path: string,
  population: Population,
  { tables, of }: { readonly tables: boolean; readonly of: number },
  listener: Listener,
): Promise<{ readonly folder: string; readonly sheet: AnswerSheet }> {
  // A join that was stopped behind its answers has slices no more, and nothing left to do.
  const answers = join(path, "answers.json");
  if (existsSync(answers)) {
    rmSync(join(path, "parts"), { recursive: true, force: true });
    return { folder: path, sheet: readAnswers(answers) as AnswerSheet };
  }
  const sheet = await joinParts(path, { tables, of }, async (parts) => {
    const files = isInStretches(population) ? parts.map((part) => new SliceTimesFiles(part)) : [];
    const load = files.length > 0 ? new JoinedLoad(population, files) : new Contention(population);
    const result = await generate(population, load, listener, () => {});
    for (const file of files) file.close();
    const write = () => {
      writeFile(join(path, "README.txt"), readme(result, tables, 0));
      writeAnswers(answers, result);
    };
    return { result, write };
  });
  return { folder: path, sheet };
}

/** Every run as a Darshan log, in folders by date. */
function writeLogs(work: string, population: Population, listener: Listener): Promise<AnswerSheet> {
  return generate(population, new Contention(population), listener, logWriter(work, population, listener));
}

function logWriter(work: string, population: Population, listener: Listener) {
  const folders = new Set<string>();
  const names = new LogNames(population);
  return async ({ runs }: Group): Promise<void> => {
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
  };
}

/** All runs as rows of a store. */
function writeTables(
  work: string,
  population: Population,
  listener: Listener,
  buckets: number | undefined,
): Promise<AnswerSheet> {
  const fill = async (sinks: readonly RowSink[]) => {
    const emitter = new TableEmitter(population, sinks);
    const sheet = await generate(population, new Contention(population), listener, (group) =>
      emitter.add(group),
    );
    await emitter.end();
    return sheet;
  };
  return fillStore(join(work, "store"), WRITER, fill, buckets);
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
