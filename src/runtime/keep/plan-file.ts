/** The plan of a write that is under way, kept beside it: a later try must go on with the same. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { type BpType, bpTypeOfName, type SourceSlab } from "../../formats/bp/index.ts";
import { isCode, writeDurably } from "../dataset/folders.ts";
import type { DatasetNames } from "../dataset/names.ts";
import type { Stage } from "../stage/stage.ts";

export interface SavedPlan {
  readonly version: 1;
  readonly stage: Stage;
  readonly targets: readonly string[];
  /** Steps before this one stay: the index of the dataset is added to. */
  readonly append: boolean;
  /** Number of the first new subfile. */
  readonly firstSubfile: number;
  /** Files of a dataset that is replaced. */
  readonly replaced: readonly string[];
}

const planPath = ({ notes }: DatasetNames) => join(notes, "plan.json");

export async function savePlan(names: DatasetNames, plan: SavedPlan): Promise<void> {
  const { stage } = plan;
  const variables = stage.variables.map((one) => ({ ...one, type: one.type.name }));
  // Bytes in memory are gone with the process; a later try must bring them again.
  const sources = stage.sources.map((one) =>
    one.data.kind === "memory" ? { ...one, data: { kind: "memory" } } : one,
  );
  await writeDurably(planPath(names), JSON.stringify({ ...plan, stage: { ...stage, variables, sources } }));
}

export function loadPlan(names: DatasetNames): SavedPlan | undefined {
  let text: string;
  try {
    text = readFileSync(planPath(names), "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
  let plan: SavedPlan;
  try {
    plan = JSON.parse(text) as SavedPlan;
  } catch {
    // Killed while it was saved: nothing had been written by then.
    return undefined;
  }
  const variables = plan.stage.variables.map((one) => ({
    ...one,
    type: bpTypeOfName(one.type as unknown as string) as BpType,
  }));
  return { ...plan, stage: { ...plan.stage, variables } };
}

export const forgetPlan = (names: DatasetNames): void => rmSync(planPath(names), { force: true });

/** Refuses to go on when what is asked for is not what was begun. */
export function requireSame(saved: SavedPlan, asked: SavedPlan, what: string): void {
  const differ = (detail: string): never => {
    throw new UsageError(
      `${what}: ${detail} than in the write that was cut short; give the same, or begin anew with --force`,
    );
  };
  if (saved.stage.step !== asked.stage.step) differ(`step ${asked.stage.step - 1} is another`);
  const [was, now] = [saved.stage.sources, asked.stage.sources];
  if (was.length !== now.length) differ(`${now.length} sources, not ${was.length}, are others`);
  now.forEach((source, i) => {
    const before = was[i] as (typeof was)[number];
    if (before.path !== source.path) differ(`source ${source.path} is another`);
    if (before.bytes !== source.bytes)
      differ(`source ${source.path} has other bytes (${source.bytes}, not ${before.bytes})`);
    if (
      before.data.kind === "file" &&
      source.data.kind === "file" &&
      before.data.changedMs !== source.data.changedMs
    )
      differ(`source ${source.path} was changed and is another`);
    if (before.data.kind !== source.data.kind) differ(`source ${source.path} is another`);
  });
  const variables = ({ variables: all }: Stage) =>
    JSON.stringify(all.map(({ path, name, type, shape }) => [path, name, type.name, shape]));
  if (variables(saved.stage) !== variables(asked.stage)) differ("the arrays are others");
  const boxes = (slabs: readonly SourceSlab[]) => JSON.stringify(slabs);
  if (boxes(saved.stage.slabs) !== boxes(asked.stage.slabs)) differ("the decomposition is another");
}
