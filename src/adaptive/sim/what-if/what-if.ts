/** Answers a question about recorded runs: reads them, fits the model, and replays. */
import { UsageError } from "../../../base/errors.ts";
import type { Queryable } from "../../../model/index.ts";
import { type Answer, withoutRun, withoutTarget } from "./answer.ts";
import { type Fit, fitStorage, HOURS_TRANSFERS_MOST, nearestRuns } from "./fit.ts";
import { type PolicyAnswer, underPolicies } from "./policy.ts";
import { readRuns } from "./recorded.ts";
import { reproduction } from "./reproduced.ts";
import {
  type Centre,
  findCentre,
  findRun,
  findTarget,
  fitWindow,
  requireTargets,
  type Suggest,
  targetNumber,
  windowOf,
} from "./select.ts";

export type { RunChange, TargetChange } from "./answer.ts";
export type { PolicyAnswer } from "./policy.ts";

export type WhatIfData = Awaited<ReturnType<typeof whatIf>>;

export interface Question {
  /** Path of the store, for messages. */
  readonly store: string;
  readonly removeRun?: string | undefined;
  readonly removeTarget?: string | undefined;
  readonly policies?: readonly string[] | undefined;
  /** A run or a time. */
  readonly around?: string | undefined;
  /** Length of the window before and after the centre. */
  readonly hours: number;
}

/** Replays the runs around a point in time without and with one change. `suggest` completes "no such run". */
export async function whatIf(db: Queryable, asked: Question, suggest: Suggest) {
  await requireTargets(db, asked.store);
  const target = asked.removeTarget === undefined ? undefined : targetNumber(asked.removeTarget);
  const centre = await centreOf(db, asked, target, suggest);
  const window = await windowOf(db, centre, asked.hours);
  const { runs, leftOut } = await readRuns(db, window);
  const { runs: wide } = await readRuns(db, await fitWindow(db, window));
  if (runs.length === 0)
    throw new UsageError(`no run with OSTs, bytes and times lies in the window; widen it with --hours`);
  const subject = asked.removeRun ?? (asked.policies === undefined ? undefined : centre.run);
  if (subject !== undefined && !runs.some(({ id }) => id === subject))
    throw new UsageError(
      `run ${subject} has no accesses with OSTs, bytes and times, so it cannot be replayed`,
    );
  const middle = (window.from + window.to) / 2;
  const fit = fitStorage(nearestRuns(wide, middle), nearestRuns(wide, middle, HOURS_TRANSFERS_MOST));
  const answers = answerOf(asked, target, subject, runs, fit);
  return {
    store: asked.store,
    question: questionOf(asked, target, subject),
    ...window,
    runs: runs.length,
    leftOut,
    fit: fitFacts(fit),
    ...reproduction(fit.error.median, answers),
    ...answers,
  };
}

async function centreOf(
  db: Queryable,
  asked: Question,
  target: number | undefined,
  suggest: Suggest,
): Promise<Centre> {
  // An unknown run or target is reported first, regardless of the window.
  const own =
    asked.removeRun !== undefined
      ? await findRun(db, asked.removeRun, suggest)
      : target !== undefined
        ? await findTarget(db, target)
        : undefined;
  if (asked.around === undefined) {
    if (own === undefined) throw new UsageError("--policy needs --around RUN: the run to rewrite");
    return own;
  }
  const centre = await findCentre(db, asked.around, suggest);
  if (asked.policies !== undefined && centre.run === undefined)
    throw new UsageError("--policy needs --around RUN: the run to rewrite, not a time");
  return centre;
}

function questionOf(asked: Question, target: number | undefined, subject: string | undefined): string {
  if (asked.policies !== undefined) return `run ${subject} under ${asked.policies.join(", ")}`;
  return target === undefined ? `without run ${subject}` : `without target ${target}`;
}

function answerOf(
  asked: Question,
  target: number | undefined,
  subject: string | undefined,
  runs: Parameters<typeof withoutRun>[0],
  { storage }: Fit,
): { answer?: Answer; policy?: PolicyAnswer } {
  if (asked.policies !== undefined)
    return { policy: underPolicies(runs, subject as string, asked.policies, storage) };
  if (target !== undefined) return { answer: withoutTarget(runs, target, storage) };
  return { answer: withoutRun(runs, subject as string, storage) };
}

const fitFacts = ({ storage, error, runs, transfers }: Fit) => ({
  error,
  runs,
  transfers,
  targets: storage.targets.length,
  usualRate: storage.usualRate,
  lossPerStream: storage.lossPerStream,
  limitQuantile: storage.limitQuantile,
  /** Whether hours have separate loads, and the cost per byte per second of others on the same target. */
  loadByHour: storage.loadAt !== undefined,
  slope: storage.slope ?? 0,
});
