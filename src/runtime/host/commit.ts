/** From pieces to a dataset: the index is written, the decision made, and carried out. */
import { rm } from "node:fs/promises";
import { type BpFile, readBp, slabsBetween } from "../../formats/bp/index.ts";
import { withFile } from "../../node/file-source.ts";
import { encodeParts, indexOfPieces, joinParts, partsOf } from "../dataset/build-index.ts";
import { carryOut, type Decision, decide } from "../dataset/decision.ts";
import { writeDurably } from "../dataset/folders.ts";
import { type DatasetNames, indexDraft } from "../dataset/names.ts";
import type { PieceEntry } from "../piece/piece-info.ts";
import type { Stage } from "../stage/stage.ts";
import type { CommitSetting } from "./setting.ts";

export interface CommitRequest {
  readonly names: DatasetNames;
  readonly attempt: string;
  /** Tells those apart that propose in the same attempt. */
  readonly who: number;
  readonly stage: Stage;
  readonly setting: CommitSetting;
}

/** Gives what was decided. */
export async function commitPieces(request: CommitRequest, pieces: readonly PieceEntry[]): Promise<Decision> {
  const { names, attempt, who, stage, setting } = request;
  const { keeps, firstSubfile, replaced, append } = setting;
  const all = [...setting.kept, ...pieces].filter(({ from, to }) => to > from);
  const blocks = all.reduce((sum, { from, to }) => sum + slabsBetween(stage.slabs, from, to).length, 0);
  const complete = { outcome: "complete", reason: "", blocks, attempt } as const;
  if (!keeps) return settle(request, { ...complete, subfiles: [], replaced: [] });
  const paths = [...new Set(all.toSorted((a, b) => a.target - b.target).map(({ path }) => path))];
  const numbers = new Map(paths.map((path, i) => [path, firstSubfile + i]));
  const parts = indexOfPieces(stage, all, ({ path }) => numbers.get(path) as number);
  const earlier = append ? readIndex(names.index) : undefined;
  const joined = earlier === undefined ? parts : joinParts(partsOf(earlier, names.index), parts);
  const draft = indexDraft(names, attempt, who);
  await writeDurably(draft, encodeParts(joined, { start: 0, global: true }, earlier?.attributes));
  const subfiles = paths.map((path) => ({ k: numbers.get(path) as number, path }));
  const decided = await settle(request, { ...complete, draft, subfiles, replaced });
  if (decided.draft !== draft) await rm(draft, { force: true });
  return decided;
}

export const proposeAbort = (request: CommitRequest, reason: string): Promise<Decision> =>
  settle(request, { outcome: "aborted", reason, subfiles: [], replaced: [], attempt: request.attempt });

async function settle({ names, attempt, who }: CommitRequest, proposal: Decision): Promise<Decision> {
  const decided = await decide(names, proposal, `${attempt}-${who}`);
  await carryOut(names, decided);
  return decided;
}

export const readIndex = (path: string): BpFile => withFile(path, (source) => readBp(source));
