/** Time range and targets from the parameters of an address, with limits. */
import {
  answerable,
  chosenZone,
  chooseTargets,
  parseLength,
  parseTime,
  storedTargetNames,
  storedTime,
  targetCondition,
  type TargetName,
  type Window,
} from "../analyze/load/index.ts";
import { commandLine } from "../base/command-line.ts";
import { UsageError } from "../base/errors.ts";
import type { Provenance } from "../model/index.ts";
import { type OriginTable, provenanceOf } from "../store/index.ts";
import { type Ask, NotFound } from "./site.ts";

export interface StoreFacts {
  readonly stored: Window;
  readonly targets: readonly TargetName[];
  readonly zone: string;
}

/** What every load page needs from the store. */
export const storeFacts = (ask: Ask): Promise<StoreFacts> =>
  ask.answer("facts", async (db) => ({
    stored: await storedTime(db),
    targets: await storedTargetNames(db),
    zone: (await chosenZone(db, "")).zone,
  }));

export const originOf = (ask: Ask, ...tables: readonly OriginTable[]): Promise<Provenance> =>
  ask.answer(`origin ${tables.join()}`, (db) => provenanceOf(db, tables));

export interface RequestedTime {
  readonly window: Window;
  readonly span: string;
  /** Step of a series in minutes, for about 200 steps at most. */
  readonly stepMinutes: number;
  /** Command line arguments for the same time range. */
  readonly words: readonly string[];
}

const STEPS_MAX = 200;
const STEPS = [1, 2, 5, 10, 15, 30, 60, 120, 180, 360, 720, 1440];

/** The last `span` before the end of the store, or before `to`. */
export async function requestedTime(
  ask: Ask,
  choices: readonly string[],
  usual: string,
): Promise<RequestedTime & StoreFacts> {
  const facts = await storeFacts(ask);
  const { stored, zone } = facts;
  const span = ask.param("span") ?? usual;
  if (!choices.includes(span)) throw new UsageError(`span ${span}: choose one of ${choices.join(", ")}`);
  const minutes = parseLength("span", span) / 60;
  const toText = ask.param("to");
  const clock = { zone, nowUnix: ask.nowUnix, stored };
  const to = toText === undefined ? stored.to : Math.ceil(parseTime("to", toText, clock) / 60);
  const window = { from: to - minutes, to };
  if (window.from >= stored.to || window.to <= stored.from)
    throw new UsageError(
      `to ${toText}: the store covers ${isoMinute(stored.from)} to ${isoMinute(stored.to)}`,
    );
  const stepMinutes = STEPS.find((step) => minutes / step <= STEPS_MAX) ?? 1440;
  const words =
    toText === undefined
      ? ["--from", `end-${span}`]
      : ["--from", isoMinute(window.from), "--to", isoMinute(to)];
  const [name, asked] = [
    `window ${window.from} ${window.to}`,
    { ...window, grain: Math.min(60, stepMinutes) },
  ];
  const known = await ask.answer(name, (db) => answerable(db, asked, stored));
  const grain = Math.max(known.grain ?? 1, 1);
  return {
    ...facts,
    window: { from: window.from, to: window.to, grain: grain === 1 && minutes > 1920 ? 60 : grain },
    ...{ span, words },
    stepMinutes: Math.max(stepMinutes, grain),
  };
}

export const isoMinute = (minute: number): string =>
  `${new Date(minute * 60_000).toISOString().slice(0, 16)}Z`;

/** The command for values that only `plimsoll sql` prints. */
export const sqlCommand = ({ store }: Ask, sql: string): string =>
  commandLine(["plimsoll", "sql", "--store", store, sql]);

/** The target that a name in an address refers to. */
export async function requestedTarget(
  ask: Ask,
  name: string,
): Promise<StoreFacts & { readonly target: TargetName; readonly condition: string }> {
  const facts = await storeFacts(ask);
  const exact = name.replace(/[*?,]/g, "\0");
  const { targets } = chooseTargets(facts.targets, [exact]);
  const [target] = targets;
  if (target === undefined || name === "") throw new NotFound(`the store has no target ${name}`);
  return { ...facts, target, condition: targetCondition(facts.targets, [target]) };
}
