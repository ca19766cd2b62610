/** Leftovers of earlier writes of the dataset: of finished ones to clean up, of unfinished ones to continue or remove. */
import { assert } from "../../../base/assert.ts";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { readlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "../../../base/errors.ts";
import type { BpFile } from "../../../formats/bp/index.ts";
import { carryOut, type Decision, forgetDecision, readDecision } from "../dataset/decision.ts";
import { PART } from "../../../node/durable.ts";
import { makeFolders } from "../dataset/folders.ts";
import { CommitRefused } from "../dataset/check-names.ts";
import { attemptOf, type DatasetNames, isDataPath, subfilePath } from "../dataset/names.ts";
import { journalNames } from "../keep/journal.ts";
import { livingProcesses } from "../keep/lock.ts";
import { forgetPlan, keepPlan, loadPlan, type SavedPlan } from "../keep/plan-file.ts";

/** Processes of a killed writer end when they notice; a blocked write can delay them. */
const WAIT_MS = 30_000;

export async function waitForTheDead({ notes, index }: DatasetNames): Promise<void> {
  const until = Date.now() + WAIT_MS;
  for (let wait = 5; livingProcesses(notes).length > 0; wait = Math.min(200, 2 * wait)) {
    if (Date.now() > until)
      throw new UsageError(
        `${index}: processes ${livingProcesses(notes).join(", ")} of an earlier write are still running; stop them first`,
      );
    await sleep(wait);
  }
  rmSync(join(notes, "processes"), { force: true });
}

/** Carries out a pending decision. Returns the plan of an interrupted write. */
export async function tidyUp(names: DatasetNames): Promise<SavedPlan | undefined> {
  makeFolders(names.folder, names.notes);
  const decision = await readDecision(names);
  if (decision?.outcome === "complete" && (await isCarriedOut(names, decision))) {
    clearAfter(names, decision, loadPlan(names)?.targets ?? []);
    return undefined;
  }
  if (decision !== undefined) await forgetDecision(names);
  return loadPlan(names);
}

/** False when its files are gone: it cannot be carried out any more, so the write counts as interrupted. */
async function isCarriedOut(names: DatasetNames, decision: Decision): Promise<boolean> {
  try {
    await carryOut(names, decision);
    return true;
  } catch (error) {
    if (error instanceof CommitRefused) return false;
    throw error;
  }
}

/** Removes the state of a finished write. */
function clearNotes(names: DatasetNames): void {
  forgetPlan(names);
  for (const name of readdirSync(names.notes))
    if (name.startsWith("journal.") || name.startsWith("decision") || PART.test(name))
      rmSync(join(names.notes, name), { force: true });
  removeDrafts(names);
}

/** After a dataset is in place: removes the replaced one, and unused files. */
export function clearAfter(names: DatasetNames, decision: Decision, targets: readonly string[]): void {
  assert(decision.outcome === "complete", "only a complete dataset replaces files");
  for (const path of decision.replaced) rmSync(path, { force: true });
  const used = new Set(decision.subfiles.map(({ path }) => path));
  removeData(names, targets, (path) => !used.has(path));
  if (decision.draft !== undefined) keepPlan(names);
  clearNotes(names);
}

/** Removes all files of an unfinished write from targets. */
export function discard(names: DatasetNames, { targets }: SavedPlan): void {
  removeData(names, targets, () => true);
  clearNotes(names);
}

/** Removes data files of the attempts in the journals. */
function removeData(names: DatasetNames, targets: readonly string[], which: (path: string) => boolean): void {
  const attempts = new Set(journalNames(names.notes).map((name) => name.split(".")[1] as string));
  for (const target of new Set(targets)) {
    if (!existsSync(target)) continue;
    for (const name of readdirSync(target)) {
      const path = join(target, name);
      if (isDataPath(path, names.base) && attempts.has(attemptOf(path)) && which(path))
        rmSync(path, { force: true });
    }
  }
}

function removeDrafts({ index }: DatasetNames): void {
  const folder = dirname(resolve(index));
  for (const name of readdirSync(folder))
    if (name.startsWith(`${basename(index)}.part-`)) rmSync(join(folder, name), { force: true });
}

/** Subfiles of a dataset, and the files they link to. */
export async function filesOf(names: DatasetNames, { variables }: BpFile): Promise<string[]> {
  const numbers = new Set(variables.flatMap(({ blocks }) => blocks.flatMap(({ subfile }) => subfile ?? [])));
  const files: string[] = [];
  for (const k of numbers) {
    const path = resolve(subfilePath(names, k));
    files.push(path);
    const linked = await readlink(path).catch(() => undefined);
    if (linked === undefined) continue;
    const real = resolve(dirname(path), linked);
    if (isDataPath(real, names.base)) files.push(real);
  }
  return files;
}

/** The first free subfile number. */
export function nextSubfile({ folder, base }: DatasetNames): number {
  if (!existsSync(folder)) return 0;
  const numbers = readdirSync(folder).flatMap((name) => {
    const rest = name.startsWith(`${base}.`) ? name.slice(base.length + 1) : "";
    return /^\d+$/.test(rest) ? [Number(rest)] : [];
  });
  return numbers.reduce((most, one) => Math.max(most, one + 1), 0);
}
