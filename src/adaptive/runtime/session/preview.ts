/** Preview of a write. */
import { assert } from "../../../base/assert.ts";
import { groupOfTarget } from "../../protocol/index.ts";
import { type CommitSetting, setupOf } from "../host/setting.ts";
import { cutBlocks } from "../stage/blocks.ts";
import { makeStage, type Range, type StagedVariable } from "../stage/stage.ts";
import { checkOptions, type WriterOptions } from "./options.ts";
import type { StepInput } from "./step-input.ts";

export interface Preview {
  readonly bytes: number;
  readonly sources: number;
  readonly variables: readonly StagedVariable[];
  readonly blocks: number;
  readonly writers: number;
  readonly policy: string;
  readonly targets: readonly string[];
  /** Initial assignment; slow targets give work away later. */
  readonly groups: readonly { readonly targets: number[]; readonly blocks: number; readonly bytes: number }[];
}

export function previewStep(options: WriterOptions, input: StepInput): Preview {
  const checked = checkOptions(options);
  const { targets, writers, policy } = checked;
  const ids = input.plan.variables.map((_, v) => v + 1);
  const stage = makeStage(input.plan, { step: 1, ids, data: input.data });
  const blocks = cutBlocks(stage, Math.max(writers, targets.length));
  const commit: CommitSetting = { kept: [], append: false, firstSubfile: 0, replaced: [], keeps: true };
  const nothing = { priorRates: undefined, priorSlots: undefined, attempt: "", commit, beganSeconds: 0 };
  const hosts = Math.min(writers, blocks.length);
  const { layout } = setupOf({ ...checked, ...nothing, stage, blocks, hosts });
  const groups = Array.from({ length: layout.groups }, (_, g) => {
    const own = blocks.slice(layout.firstRank[g], layout.firstRank[g + 1]);
    return {
      targets: targets.flatMap((_, target) => (groupOfTarget(layout, target) === g ? [target] : [])),
      blocks: own.length,
      bytes: own.reduce((sum: number, { from, to }: Range) => sum + to - from, 0),
    };
  });
  const placed = groups.reduce((sum, group) => sum + group.blocks, 0);
  assert(placed === blocks.length, "every block starts in one group");
  return {
    bytes: stage.bytes,
    sources: stage.sources.length,
    variables: stage.variables,
    blocks: blocks.length,
    writers: hosts,
    policy,
    targets,
    groups,
  };
}
