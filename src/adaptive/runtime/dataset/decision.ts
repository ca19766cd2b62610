/**
 * The outcome of a dataset. The first process to link the file `decision` decides, for good; all others read it. Carrying it
 * out (names of subfiles, then the index under its name) can be done by any process, repeatedly.
 */
import { assert } from "../../../base/assert.ts";
import { link, lstat, readFile, readlink, realpath, rename, rm, symlink } from "node:fs/promises";
import { dirname, isAbsolute, join, relative } from "node:path";
import type { Outcome } from "../../protocol/index.ts";
import { fileWritten, folderSynced } from "../../../node/durable.ts";
import { inodeAt, isCode } from "./folders.ts";
import { CommitRefused } from "./check-names.ts";
import { type DatasetNames, subfilePath } from "./names.ts";

export interface Decision {
  readonly outcome: Outcome;
  readonly reason: string;
  /** The index, complete and durable, under its temporary name. */
  readonly draft?: string;
  /** Inode of the draft. It stays the same under the final name, and so identifies the index there. */
  readonly draftInode?: string;
  readonly subfiles: readonly { readonly k: number; readonly path: string }[];
  /** Blocks of the step, as readers count them. */
  readonly blocks?: number;
  /** Files of the dataset that this one replaces. */
  readonly replaced: readonly string[];
  /** The attempt that decided. */
  readonly attempt: string;
}

const decisionPath = ({ notes }: DatasetNames) => join(notes, "decision");

/** Proposes; returns the decision, which may differ from the proposal. */
export async function decide(names: DatasetNames, proposal: Decision, who: string): Promise<Decision> {
  assert(
    (proposal.draft === undefined) === (proposal.draftInode === undefined),
    "a draft is known by its inode",
  );
  assert(proposal.outcome === "complete" || proposal.subfiles.length === 0, "aborted datasets have no files");
  const own = `${decisionPath(names)}.${who}`;
  await fileWritten(own, JSON.stringify(proposal));
  try {
    await link(own, decisionPath(names));
    await folderSynced(names.notes);
    return proposal;
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
    const decided = await readDecision(names);
    assert(decided !== undefined, "later proposals find the first decision");
    return decided;
  } finally {
    await rm(own, { force: true });
  }
}

export async function readDecision(names: DatasetNames): Promise<Decision | undefined> {
  try {
    return JSON.parse(await readFile(decisionPath(names), "utf8")) as Decision;
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
}

export async function forgetDecision(names: DatasetNames): Promise<void> {
  await rm(decisionPath(names), { force: true });
}

/** Carries out a decision. Several processes may do so at once. */
export async function carryOut(names: DatasetNames, decision: Decision): Promise<void> {
  const { outcome, draft, subfiles } = decision;
  if (outcome !== "complete" || draft === undefined) return;
  assert(
    new Set(subfiles.map(({ k }) => k)).size === subfiles.length,
    "every subfile has a number of its own",
  );
  for (const { k, path } of subfiles) await nameSubfile(names, k, path);
  await folderSynced(names.folder);
  try {
    await rename(draft, names.index);
  } catch (error) {
    if (!isCode(error, "ENOENT")) throw error;
    await requireInPlace(names, decision);
  }
  await folderSynced(dirname(names.index));
}

/** Another process was faster; or the draft is lost, and an index under that name belongs to an earlier dataset. */
async function requireInPlace({ index }: DatasetNames, { draft, draftInode }: Decision): Promise<void> {
  const found = await inodeAt(index);
  if (found === undefined || (draftInode !== undefined && found !== draftInode))
    throw new CommitRefused(`the new index ${draft} was removed before it could become ${index}`);
}

/** A file in the dataset's own folder takes its name; one elsewhere gets a link. */
async function nameSubfile(names: DatasetNames, k: number, path: string): Promise<void> {
  const name = subfilePath(names, k);
  const folder = await realpath(names.folder);
  const home = await realpath(dirname(path));
  if (home === folder) {
    try {
      await rename(path, name);
    } catch (error) {
      if (!isCode(error, "ENOENT")) throw error;
      await lstat(name);
    }
    return;
  }
  const real = join(home, path.slice(dirname(path).length + 1));
  // Files beside the dataset move together with it; files elsewhere stay there.
  const beside = relative(dirname(folder), real);
  const text = beside.startsWith("..") || isAbsolute(beside) ? real : relative(folder, real);
  try {
    await symlink(text, name);
  } catch (error) {
    if (!isCode(error, "EEXIST")) throw error;
    if ((await readlink(name).catch(() => "")) === text) return;
    await rm(name);
    await symlink(text, name);
  }
}
