/** The plan of the next step: its number, the ids of its variables, and the treatment of existing files. */
import { assert } from "../../../base/assert.ts";
import { existsSync } from "node:fs";
import { UsageError } from "../../../base/errors.ts";
import { type BpFile, fullName } from "../../../formats/bp/index.ts";
import type { DatasetNames } from "../dataset/names.ts";
import { readIndex } from "../host/commit.ts";
import type { SavedPlan } from "../keep/plan-file.ts";
import type { PlannedVariable } from "../plan/dataset-plan.ts";
import { makeStage } from "../stage/stage.ts";
import { filesOf, nextSubfile } from "./leftovers.ts";
import type { StepInput } from "./step-input.ts";

export async function planNext(
  names: DatasetNames,
  targets: readonly string[],
  input: StepInput,
  { append, force }: { readonly append: boolean; readonly force: boolean },
): Promise<SavedPlan> {
  const exists = existsSync(names.index);
  if (exists && !append && !force)
    throw new UsageError(`${names.index} exists; add a step with --append, or replace it with --force`);
  const earlier = exists ? readIndex(names.index) : undefined;
  if (append && earlier !== undefined) requireOurs(names.index, earlier);
  const kept = append ? earlier : undefined;
  const steps = kept?.variables.flatMap(({ blocks }) => blocks.map(({ step }) => step)) ?? [];
  const ids = idsOf(input.plan.variables, kept);
  assert(new Set(ids).size === ids.length, "every variable has a unique id");
  const stage = makeStage(input.plan, {
    step: 1 + steps.reduce((most, one) => Math.max(most, one), 0),
    ids,
    data: input.data,
  });
  return {
    version: 1,
    stage,
    targets,
    append: kept !== undefined,
    firstSubfile: nextSubfile(names),
    replaced: earlier === undefined || append ? [] : await filesOf(names, earlier),
  };
}

function requireOurs(path: string, { global, attributes, littleEndian }: BpFile): void {
  const ours = global && littleEndian && attributes.some(({ path: at }) => at === "__plimsoll__");
  if (!ours) throw new UsageError(`${path} was not written by plimsoll write, so no step can be appended`);
}

/** A variable keeps its id, type and number of dimensions. */
function idsOf(variables: readonly PlannedVariable[], earlier: BpFile | undefined): number[] {
  let next = 1 + (earlier?.variables ?? []).reduce((most, { id }) => Math.max(most, id), 0);
  const byName = new Map(earlier?.variables.map((one) => [fullName(one), one]));
  return variables.map((variable) => {
    const known = byName.get(fullName(variable));
    if (known === undefined) return next++;
    const dimensions = known.blocks[0]?.dimensions.length ?? variable.shape.length;
    if (known.type.code !== variable.type.code || dimensions !== variable.shape.length)
      throw new UsageError(
        `"${fullName(variable)}" is ${variable.type.name} with ${variable.shape.length} dimensions; in earlier steps ${known.type.name} with ${dimensions}`,
      );
    return known.id;
  });
}
