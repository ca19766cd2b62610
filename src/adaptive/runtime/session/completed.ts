/** `--resume` of a complete write: nothing to do if it is the same, an error if it is a different one. */
import { existsSync } from "node:fs";
import { UsageError } from "../../../base/errors.ts";
import { type BpFile, dataBytes } from "../../../formats/bp/index.ts";
import type { DatasetNames } from "../dataset/names.ts";
import { readIndex } from "../host/commit.ts";
import { differenceOf, loadWritten } from "../keep/plan-file.ts";
import { makeStage, type Stage } from "../stage/stage.ts";
import { filesOf } from "./leftovers.ts";
import { WriteFailure } from "./outcome.ts";
import type { StepInput } from "./step-input.ts";

/** The last step of a dataset. */
export interface Completed {
  /** From 1. */
  readonly step: number;
  readonly bytes: number;
  readonly blocks: number;
  /** 0 (unknown) if the dataset has no record of them. */
  readonly sources: number;
}

/**
 * The last step, if it is in place and the requested one; without an input any step is. Undefined when there is no dataset yet,
 * or `append` requests another step. Throws in all other cases.
 */
export async function completedStep(
  names: DatasetNames,
  input: StepInput | undefined,
  append: boolean,
): Promise<Completed | undefined> {
  if (!existsSync(names.index)) return undefined;
  const index = readIndex(names.index);
  const last = lastStep(index);
  const written = loadWritten(names)?.stage;
  // A dataset that replaced ours has no record, or one that does not match.
  const known = written?.step === last.step && written.bytes === last.bytes ? written : undefined;
  if (input !== undefined) {
    const difference = known === undefined ? NO_RECORD : differenceFrom(known, input);
    if (difference !== undefined && append) return undefined;
    if (difference !== undefined)
      throw new UsageError(
        `${names.index} is complete, but cannot be matched to this write: ${difference}; add a step with --append, replace it with --force, or choose another name`,
      );
  }
  const gone = (await filesOf(names, index)).find((path) => !existsSync(path));
  if (gone !== undefined)
    throw new WriteFailure(
      `${names.index} was completed, but its data file ${gone} is gone; write it again with --force`,
    );
  return { ...last, sources: known?.sources.length ?? 0 };
}

const NO_RECORD = "it keeps no record of its sources";

function differenceFrom(written: Stage, { plan, data }: StepInput): string | undefined {
  const asked = makeStage(plan, { step: written.step, ids: written.variables.map(({ id }) => id), data });
  const difference = differenceOf(written, asked);
  if (difference !== undefined) return difference;
  const memory = asked.sources.find((source) => source.data.kind === "memory");
  return memory === undefined ? undefined : `${memory.path} cannot be compared with what was written`;
}

function lastStep({ variables }: BpFile): Omit<Completed, "sources"> {
  let [step, bytes, blocks] = [0, 0, 0];
  for (const variable of variables)
    for (const block of variable.blocks) {
      if (block.step < step) continue;
      if (block.step > step) [step, bytes, blocks] = [block.step, 0, 0];
      bytes += dataBytes(variable, block);
      blocks++;
    }
  return { step, bytes, blocks };
}
