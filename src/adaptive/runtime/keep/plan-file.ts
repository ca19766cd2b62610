/**
 * The plan of a write in progress, kept next to it: a resumed write must use the same plan. After completion the plan stays as
 * a record of the sources of the last step.
 */
import { assert } from "../../../base/assert.ts";
import { readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../../base/errors.ts";
import { formatMany } from "../../../base/units.ts";
import { type BpType, bpTypeOfName, fullName } from "../../../formats/bp/index.ts";
import { wholeWritten } from "../../../node/durable.ts";
import { isCode } from "../dataset/folders.ts";
import type { DatasetNames } from "../dataset/names.ts";
import type { PlannedVariable } from "../plan/dataset-plan.ts";
import { changeBetween } from "../stage/file-stamp.ts";
import type { Stage, StagedSource } from "../stage/stage.ts";

export interface SavedPlan {
  readonly version: 1;
  readonly stage: Stage;
  readonly targets: readonly string[];
  /** Earlier steps stay: the index of the dataset is extended. */
  readonly append: boolean;
  /** Number of the first new subfile. */
  readonly firstSubfile: number;
  /** Files of a dataset that is replaced. */
  readonly replaced: readonly string[];
}

const planPath = ({ notes }: DatasetNames) => join(notes, "plan.json");
const writtenPath = ({ notes }: DatasetNames) => join(notes, "written.json");

export async function savePlan(names: DatasetNames, plan: SavedPlan): Promise<void> {
  const { stage } = plan;
  assert(plan.targets.length > 0 && plan.firstSubfile >= 0, "a plan names its targets");
  const variables = stage.variables.map((one) => ({ ...one, type: one.type.name }));
  // Bytes in memory are lost with the process; a resumed write must provide them again.
  const sources = stage.sources.map((one) =>
    one.data.kind === "memory" ? { ...one, data: { kind: "memory" } } : one,
  );
  await wholeWritten(planPath(names), JSON.stringify({ ...plan, stage: { ...stage, variables, sources } }));
}

/** Of a write that is not complete. */
export const loadPlan = (names: DatasetNames): SavedPlan | undefined => load(planPath(names));

/** Of the last step of a dataset that is complete. */
export const loadWritten = (names: DatasetNames): SavedPlan | undefined => load(writtenPath(names));

function load(path: string): SavedPlan | undefined {
  let text: string;
  try {
    text = readFileSync(path, "utf8");
  } catch (error) {
    if (isCode(error, "ENOENT", "ENOTDIR")) return undefined;
    throw error;
  }
  let plan: SavedPlan;
  try {
    plan = JSON.parse(text) as SavedPlan;
  } catch {
    // Damaged: its write is unknown.
    return undefined;
  }
  const variables = plan.stage.variables.map((one) => ({
    ...one,
    type: bpTypeOfName(one.type as unknown as string) as BpType,
  }));
  // Plans of versions before 0.2 have no stamps: their sources count as changed.
  const sources = plan.stage.sources.map((one) =>
    one.data.kind === "file" && one.data.stamp === undefined
      ? { ...one, data: { kind: "file", stamp: { ...NO_STAMP, bytes: one.bytes } } as const }
      : one,
  );
  return { ...plan, stage: { ...plan.stage, variables, sources } };
}

const NO_STAMP = { inode: "unknown", modifiedNs: "0", changedNs: "0" };

/** Keeps the plan of a completed step. */
export function keepPlan(names: DatasetNames): void {
  try {
    renameSync(planPath(names), writtenPath(names));
  } catch (error) {
    // An earlier attempt to finish this write had already moved it.
    if (!isCode(error, "ENOENT")) throw error;
  }
}

export const forgetPlan = (names: DatasetNames): void => rmSync(planPath(names), { force: true });

/** Refuses to continue with a different write. */
export function requireSame(saved: SavedPlan, asked: SavedPlan, what: string): void {
  const difference =
    saved.stage.step === asked.stage.step
      ? differenceOf(saved.stage, asked.stage)
      : `this is step ${asked.stage.step - 1} instead of ${saved.stage.step - 1}`;
  if (difference !== undefined)
    throw new UsageError(
      `${what}: the interrupted write was a different one: ${difference}; give the same sources and arrays, or start over with --force`,
    );
}

/** The first difference between the request and the earlier plan; undefined for none. */
export function differenceOf(was: Stage, now: Stage): string | undefined {
  if (was.sources.length !== now.sources.length)
    return `${formatMany(now.sources.length, "source")} instead of ${was.sources.length}`;
  for (const [i, source] of now.sources.entries()) {
    const difference = sourceDifference(was.sources[i] as StagedSource, source);
    if (difference !== undefined) return difference;
  }
  const [before, after] = [was, now].map(({ variables }) => variables.map(describe));
  const v = after?.findIndex((text, i) => text !== before?.[i]) as number;
  if (v >= 0) return `variable ${after?.[v]} instead of ${before?.[v] ?? "none"}`;
  if (was.variables.length > now.variables.length) return `no variable ${before?.[now.variables.length]}`;
  // Plain data, unchanged by saving and loading.
  return JSON.stringify(was.slabs) === JSON.stringify(now.slabs)
    ? undefined
    : "the sources hold different blocks of the variables";
}

function sourceDifference(was: StagedSource, now: StagedSource): string | undefined {
  if (was.path !== now.path || was.data.kind !== now.data.kind)
    return `source ${now.path} instead of ${was.path}`;
  if (was.data.kind === "file" && now.data.kind === "file") {
    const how = changeBetween(was.data.stamp, now.data.stamp);
    if (how !== undefined) return `source ${now.path} changed: ${how}`;
  }
  if (was.bytes === now.bytes) return undefined;
  return `source ${now.path} changed: ${now.bytes} bytes instead of ${was.bytes}`;
}

const describe = (one: PlannedVariable): string => `${fullName(one)}:${one.type.name}:${one.shape.join(",")}`;
