/** Questions with known answers: the planted removals of a generated centre, one by one. */
import { UsageError } from "../../../base/errors.ts";
import { quantileOf } from "../../../base/statistics.ts";
import type { Queryable } from "../../../model/index.ts";
import { type WhatIfData, whatIf } from "./what-if.ts";

/** As in answers.json of `generate reuse`. */
interface PlantedRemoval {
  readonly job: string;
  readonly changed: readonly { readonly job: string; readonly seconds: number; readonly without: number }[];
}

interface PlantedAnswer {
  readonly job: string;
  readonly run: string;
  readonly fitError: number;
  /** Seconds of I/O that the runs delayed by it would have saved. */
  readonly planted: number;
  /** Answer of the replay; undefined without one. */
  readonly told: number | undefined;
  /** |told / planted - 1| */
  readonly error: number | undefined;
}

export interface PlantedCheck {
  readonly store: string;
  readonly answers: readonly PlantedAnswer[];
  /** Medians over the questions; the error covers answered ones. */
  readonly fitError: number;
  readonly answerError: number;
  readonly within: number;
  readonly withinError: number;
}

const WITHIN = 0.15;

/** Reads the removals of answers.json; anything else is refused in one line. */
export function plantedRemovals(text: string, path: string): readonly PlantedRemoval[] {
  let removals: unknown;
  try {
    removals = (JSON.parse(text) as { load?: { removals?: unknown } } | null)?.load?.removals;
  } catch (cause) {
    throw new UsageError(`${path}: not JSON`, { cause });
  }
  if (!Array.isArray(removals) || !removals.every(isRemoval))
    throw new UsageError(`${path}: no load.removals; expected answers.json of plimsoll generate reuse`);
  if (removals.length === 0)
    throw new UsageError(
      `${path}: no removals are planted; generate with --scale 0.01 or more and --contention above 0`,
    );
  return removals;
}

function isRemoval(value: unknown): value is PlantedRemoval {
  const { job, changed } = (value ?? {}) as Partial<PlantedRemoval>;
  const isChange = (one: PlantedRemoval["changed"][number]) =>
    typeof one?.job === "string" && Number.isFinite(one.seconds) && Number.isFinite(one.without);
  return typeof job === "string" && Array.isArray(changed) && changed.length > 0 && changed.every(isChange);
}

/** Replays each removal and compares. `step` is called before each. */
export async function checkPlanted(
  db: Queryable,
  asked: { readonly store: string; readonly hours: number },
  removals: readonly PlantedRemoval[],
  step: () => void | Promise<void>,
): Promise<PlantedCheck> {
  const runs = await runsOf(db, removals, asked.store);
  const answers: PlantedAnswer[] = [];
  for (const removal of removals) {
    await step();
    const run = runs.get(removal.job) as string;
    const data = await whatIf(db, { ...asked, removeRun: run }, () => "");
    answers.push(compared(removal, run, runs, data));
  }
  const errors = answers.flatMap(({ error }) => (error === undefined ? [] : [error]));
  return {
    store: asked.store,
    answers,
    fitError: quantileOf(
      answers.map(({ fitError }) => fitError),
      0.5,
    ),
    answerError: quantileOf(errors, 0.5),
    within: errors.filter((error) => error <= WITHIN).length,
    withinError: WITHIN,
  };
}

function compared(
  { job, changed }: PlantedRemoval,
  run: string,
  runs: ReadonlyMap<string, string>,
  { answer, reproduced, fit }: WhatIfData,
): PlantedAnswer {
  const gains = new Map(answer?.changed.map((one) => [one.id, one.recordedSeconds - one.expected]));
  const planted = changed.reduce((sum, { seconds, without }) => sum + seconds - without, 0);
  const told = changed.reduce((sum, one) => sum + (gains.get(runs.get(one.job) as string) ?? 0), 0);
  return {
    ...{ job, run, planted, fitError: fit.error.median },
    told: reproduced ? told : undefined,
    error: reproduced ? Math.abs(told / planted - 1) : undefined,
  };
}

/** Runs by job; each has one in a generated centre. */
async function runsOf(
  db: Queryable,
  removals: readonly PlantedRemoval[],
  store: string,
): Promise<Map<string, string>> {
  const jobs = [...new Set(removals.flatMap(({ job, changed }) => [job, ...changed.map((one) => one.job)]))];
  const list = jobs.map((job) => `'${job.replaceAll("'", "''")}'`).join(", ");
  const rows = await db.rows(`select job_id, run_id::varchar as id from runs where job_id in (${list})`);
  const runs = new Map(rows.map(({ job_id, id }) => [String(job_id), String(id)]));
  const missing = jobs.find((job) => !runs.has(job));
  if (missing !== undefined)
    throw new UsageError(`${store}: no run of job ${missing}; the answers belong to a different centre`);
  return runs;
}
