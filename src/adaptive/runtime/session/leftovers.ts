/** What earlier writes of the dataset left: finished ones to clear up after, unfinished ones to continue or to remove. */
import { assert } from "../../../base/assert.ts";
import { existsSync, readdirSync, rmSync } from "node:fs";
import { readlink } from "node:fs/promises";
import { basename, dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { UsageError } from "../../../base/errors.ts";
import type { BpFile } from "../../../formats/bp/index.ts";
import { carryOut, type Decision, forgetDecision, readDecision } from "../dataset/decision.ts";
import { makeFolders } from "../dataset/folders.ts";
import { CommitRefused } from "../dataset/names-lead.ts";
import { attemptOf, type DatasetNames, isDataPath, subfilePath } from "../dataset/names.ts";
import { journalNames } from "../keep/journal.ts";
import { livingProcesses } from "../keep/lock.ts";
import { forgetPlan, keepPlan, loadPlan, type SavedPlan } from "../keep/plan-file.ts";

/** Processes of a writer that was killed end when they notice; a blocked write can hold them up. */
const WAIT_MS = 30_000;

export async function waitForTheDead({ notes, index }: DatasetNames): Promise<void> {
  const until = Date.now() + WAIT_MS;
  for (let wait = 5; livingProcesses(notes).length > 0; wait = Math.min(200, 2 * wait)) {
    if (Date.now() > until)
      throw new UsageError(
        `${index}: processes ${livingProcesses(notes).join(", ")} of an earlier write have not ended; stop them first`,
      );
    await sleep(wait);
  }
  rmSync(join(notes, "processes"), { force: true });
}

/** Ends what was decided and not carried out. Gives the plan of an interrupted write. */
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

/** False when its files are gone: it cannot be made true any more, and the write was interrupted after all. */
async function isCarriedOut(names: DatasetNames, decision: Decision): Promise<boolean> {
  try {
    await carryOut(names, decision);
    return true;
  } catch (error) {
    if (error instanceof CommitRefused) return false;
    throw error;
  }
}

/** A write is over: nothing of it needs to be known any more. */
function clearNotes(names: DatasetNames): void {
  forgetPlan(names);
  for (const name of readdirSync(names.notes))
    if (name.startsWith("journal.") || name.startsWith("decision"))
      rmSync(join(names.notes, name), { force: true });
  removeDrafts(names);
}

/** A dataset is in place: what it replaced goes, and so do files that it does not use. */
export function clearAfter(names: DatasetNames, decision: Decision, targets: readonly string[]): void {
  assert(decision.outcome === "complete", "nothing is replaced by what is not complete");
  for (const path of decision.replaced) rmSync(path, { force: true });
  const used = new Set(decision.subfiles.map(({ path }) => path));
  removeData(names, targets, (path) => !used.has(path));
  if (decision.draft !== undefined) keepPlan(names);
  clearNotes(names);
}

/** Removes all that an unfinished write put on targets. */
export function discard(names: DatasetNames, { targets }: SavedPlan): void {
  removeData(names, targets, () => true);
  clearNotes(names);
}

/** Of data files of the tries that the journals name. */
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

/** Subfiles of a dataset, and the files that they are links to. */
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

/** Number of the first subfile that no name is taken for. */
export function nextSubfile({ folder, base }: DatasetNames): number {
  if (!existsSync(folder)) return 0;
  const numbers = readdirSync(folder).flatMap((name) => {
    const rest = name.startsWith(`${base}.`) ? name.slice(base.length + 1) : "";
    return /^\d+$/.test(rest) ? [Number(rest)] : [];
  });
  return numbers.reduce((most, one) => Math.max(most, one + 1), 0);
}
