/** Readers open files by name. Before the decision each name must lead to the file that was written and synced. */
import type { Backend } from "../../backend/index.ts";
import type { PieceEntry } from "../piece/piece-info.ts";
import { inodeAt } from "./folders.ts";

/** The write cannot become a dataset as its files are now. */
export class CommitRefused extends Error {
  constructor(message: string) {
    super(message);
    this.name = "CommitRefused";
  }
}

/** Fails when the data file of a piece was removed or replaced after the piece was written to it. */
export async function requireDataFiles(pieces: readonly PieceEntry[], backend: Backend): Promise<void> {
  const found = new Map<string, Promise<string | undefined>>();
  for (const { path, target } of pieces)
    if (!found.has(path)) found.set(path, backend.identityOf(path, target));
  await Promise.all(found.values());
  for (const { path, target, info } of pieces) {
    const identity = await found.get(path);
    if (identity !== info.identity) throw refused(path, target, identity === undefined);
  }
}

/** Fails when the name of a new index does not lead to what was written and synced. */
export async function requireDraft(path: string, inode: string): Promise<void> {
  if ((await inodeAt(path)) !== inode)
    throw new CommitRefused(`the new index ${path} was removed or replaced while it was written`);
}

const refused = (path: string, target: number, gone: boolean): CommitRefused =>
  new CommitRefused(
    `the data file ${path} of target ${target} was ${gone ? "removed" : "replaced by another"} while it was written`,
  );
