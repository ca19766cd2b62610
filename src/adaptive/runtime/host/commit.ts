/** From pieces to a dataset: writes the index, decides, and carries out the decision. */
import { assert } from "../../../base/assert.ts";
import { rm } from "node:fs/promises";
import { dirname } from "node:path";
import type { Backend } from "../../backend/index.ts";
import { type BpFile, readBp, slabsBetween } from "../../../formats/bp/index.ts";
import { withFile } from "../../../node/file-source.ts";
import { encodeParts, indexOfPieces, joinParts, partsOf } from "../dataset/build-index.ts";
import { carryOut, type Decision, decide } from "../dataset/decision.ts";
import { fileWritten, folderSynced } from "../../../node/durable.ts";
import { requireDataFiles, requireDraft } from "../dataset/check-names.ts";
import { type DatasetNames, indexDraft } from "../dataset/names.ts";
import type { PieceEntry } from "../piece/piece-info.ts";
import { requireUnchanged } from "../stage/sources.ts";
import type { Stage } from "../stage/stage.ts";
import type { CommitSetting } from "./setting.ts";

/** The process that proposes the outcome of a dataset. */
interface Proposer {
  readonly names: DatasetNames;
  readonly attempt: string;
  /** Distinguishes proposers of the same attempt. */
  readonly who: number;
}

export interface CommitRequest extends Proposer {
  readonly stage: Stage;
  readonly setting: CommitSetting;
  readonly backend: Backend;
}

/**
 * Returns the decision. Fails, and proposes nothing, when a source has changed or a data file has moved: all data has been read
 * and synced by now, so later changes cannot affect it.
 */
export async function commitPieces(request: CommitRequest, pieces: readonly PieceEntry[]): Promise<Decision> {
  const { names, attempt, who, stage, setting, backend } = request;
  const { keeps, firstSubfile, replaced, append } = setting;
  const all = [...setting.kept, ...pieces].filter(({ from, to }) => to > from);
  checkCover(stage, all);
  const blocks = all.reduce((sum, { from, to }) => sum + slabsBetween(stage.slabs, from, to).length, 0);
  const complete = { outcome: "complete", reason: "", blocks, attempt } as const;
  await requireUnchanged(stage);
  if (!keeps) return settle(request, { ...complete, subfiles: [], replaced: [] });
  const paths = [...new Set(all.toSorted((a, b) => a.target - b.target).map(({ path }) => path))];
  const numbers = new Map(paths.map((path, i) => [path, firstSubfile + i]));
  const parts = indexOfPieces(stage, all, ({ path }) => numbers.get(path) as number);
  const earlier = append ? readIndex(names.index) : undefined;
  const joined = earlier === undefined ? parts : joinParts(partsOf(earlier, names.index), parts);
  const draft = indexDraft(names, attempt, who);
  const index = encodeParts(joined, { start: 0, global: true }, earlier?.attributes);
  const subfiles = paths.map((path) => ({ k: numbers.get(path) as number, path }));
  const draftInode = await fileWritten(draft, index);
  // Once decided, the draft must be found even after a crash of the machine.
  await folderSynced(dirname(draft));
  try {
    await requireDataFiles(all, backend);
    await requireDraft(draft, draftInode);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
  const decided = await settle(request, { ...complete, draft, draftInode, subfiles, replaced });
  if (decided.draft !== draft) await rm(draft, { force: true });
  return decided;
}

/** A dataset has every byte of the step exactly once. */
function checkCover({ bytes }: Stage, pieces: readonly PieceEntry[]): void {
  let end = 0;
  for (const { from, to } of pieces.toSorted((a, b) => a.from - b.from)) {
    assert(from === end, "pieces follow each other without a gap or an overlap");
    end = to;
  }
  assert(end === bytes, "pieces reach to the end of the data");
}

export const proposeAbort = (request: Proposer, reason: string): Promise<Decision> =>
  settle(request, { outcome: "aborted", reason, subfiles: [], replaced: [], attempt: request.attempt });

async function settle({ names, attempt, who }: Proposer, proposal: Decision): Promise<Decision> {
  const decided = await decide(names, proposal, `${attempt}-${who}`);
  await carryOut(names, decided);
  return decided;
}

export const readIndex = (path: string): BpFile => withFile(path, (source) => readBp(source));
