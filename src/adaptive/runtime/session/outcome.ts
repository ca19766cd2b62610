/** Outcome of a run: a dataset, or one line with the reason of the failure. */
import { assert } from "../../../base/assert.ts";
import { makeBackend } from "../../backend/index.ts";
import { carryOut, type Decision, forgetDecision, readDecision } from "../dataset/decision.ts";
import { CommitRefused } from "../dataset/check-names.ts";
import type { DatasetNames } from "../dataset/names.ts";
import { commitPieces, proposeAbort } from "../host/commit.ts";
import type { HostSetting } from "../host/setting.ts";
import { readJournals } from "../keep/journal.ts";
import { requireUnchanged, SourceChanged, SourceFailure } from "../stage/sources.ts";
import type { Stage } from "../stage/stage.ts";
import type { RunEnd } from "../transport/transport.ts";

/** The write failed; the dataset is unchanged. */
export class WriteFailure extends Error {
  constructor(message: string) {
    super(message);
    this.name = "WriteFailure";
  }
}

export interface Run extends RunEnd {
  /** First error of each failed target. */
  readonly troubles: ReadonlyMap<number, string>;
  readonly died: number;
}

const NEXT_STEPS = "written data is kept: --resume continues, --force starts over";

/** Returns the decision if it is a dataset, in place. `run` is undefined if all data was already written. */
export async function outcomeOf(
  setting: HostSetting,
  run: Run | undefined,
  signal: AbortSignal | undefined,
): Promise<Decision> {
  const { names, stage } = setting;
  const found = await decidedOf(setting, run);
  if (typeof found !== "string") return found;
  if (signal?.aborted) throw new WriteFailure(`stopped; ${NEXT_STEPS}`);
  const inOrder = [...(run?.troubles ?? [])].sort(([a], [b]) => a - b);
  const where = inOrder.map(([target, text]) => `target ${target} (${setting.targets[target]}): ${text}`);
  const detail = where.length === 0 ? "" : ` (${where.join("; ")})`;
  const left = (await isResumable(names, stage)) ? `; ${NEXT_STEPS}` : "";
  throw new WriteFailure(`nothing was committed to ${names.index}: ${found}${detail}${left}`);
}

/** Whether there are finished pieces of unchanged sources. */
export async function isResumable({ notes }: DatasetNames, stage: Stage): Promise<boolean> {
  if (readJournals(notes).length === 0) return false;
  try {
    await requireUnchanged(stage);
  } catch (error) {
    return !(error instanceof SourceChanged);
  }
  return true;
}

/** The decision for a dataset, or why there is none. */
async function decidedOf(setting: HostSetting, run: Run | undefined): Promise<Decision | string> {
  assert((run === undefined) === (setting.blocks.length === 0), "there is a run if there is data to write");
  const { names } = setting;
  const proposer = { names, attempt: setting.attempt, who: setting.blocks.length };
  try {
    if (run === undefined) {
      const { stage, commit } = setting;
      const backend = makeBackend(setting.backend, { pace: async () => {} });
      return await commitPieces({ ...proposer, stage, setting: commit, backend }, []);
    }
    const aborted = run.reports.find((one) => one?.outcome === "aborted");
    const reason = run.fatal ?? aborted?.reason ?? "no process finished";
    const decided = (await readDecision(names)) ?? (await proposeAbort(proposer, reason));
    if (decided.outcome !== "complete") return decided.reason || reason;
    // The deciding process may have died before carrying it out.
    await carryOut(names, decided);
    return decided;
  } catch (error) {
    if (!(error instanceof SourceFailure) && !(error instanceof CommitRefused)) throw error;
    await forgetDecision(names);
    return error.message;
  }
}
