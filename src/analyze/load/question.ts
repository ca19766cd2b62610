/** Resolves the options of a load query to a time zone, targets and minutes of the store. */
import { didYouMean } from "../../base/choice.ts";
import { UsageError } from "../../base/errors.ts";
import type { Queryable } from "../../model/index.ts";
import { chosenZone } from "../study/common/stored-zone.ts";
import { answerable } from "./levels.ts";
import {
  chooseTargets,
  fullName,
  storedTargetNames,
  targetCondition,
  type TargetName,
  targetsText,
} from "./targets.ts";
import { resolveWindow, checkZone, clientsTime, storedTime, type Window } from "./window.ts";

export interface LoadQuery {
  readonly window: Window;
  readonly condition: string;
  readonly targets: readonly TargetName[];
  readonly targetsText: string;
}

/** The options with the time zone: as requested, else that of the store. */
export async function zoned<Options extends { readonly zone?: string | undefined }>(
  db: Queryable,
  options: Options,
): Promise<Options & { readonly zone: string }> {
  const asked = options.zone ?? "";
  if (asked !== "") checkZone(asked);
  return { ...options, zone: (await chosenZone(db, asked)).zone };
}

interface LoadValues {
  readonly target: readonly string[];
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly zone: string;
}

/** The selected targets, and the time range of the store. */
export async function askedTargets(db: Queryable, target: readonly string[]) {
  if (target.length > 0 && target.every((one) => /^[\s,]*$/.test(one)))
    throw new UsageError(
      "--target is empty: expected a name such as OST0007, or 'OST*'; omit it for all targets",
    );
  const stored = await storedTime(db);
  const all = await storedTargetNames(db);
  const { targets, unknown } = chooseTargets(all, target);
  if (unknown.length > 0) throw unknownTarget(unknown[0] as string, all);
  return {
    stored,
    targets,
    condition: targetCondition(all, targets),
    targetsText: targetsText(all, targets),
  };
}

/** The selected targets and minutes; the error for an unknown name lists the existing ones. */
export async function askedOf(
  db: Queryable,
  { target, from, to, zone }: LoadValues,
  nowUnix: number,
): Promise<LoadQuery> {
  checkZone(zone);
  const { stored, ...asked } = await askedTargets(db, target);
  const window = resolveWindow({ from, to, zone, nowUnix }, stored);
  return { ...asked, window: await answerable(db, window, stored) };
}

function unknownTarget(word: string, all: readonly TargetName[]): UsageError {
  const names = all.map(({ target }) => target);
  const shown = names.slice(0, 3).join(", ");
  const guess = didYouMean(word, [...names, ...all.map(fullName)]);
  const count = names.length > 3 ? `, … ${names.at(-1)} (${names.length} in total)` : "";
  return new UsageError(`--target ${word}: the store has no such target${guess}; it has ${shown}${count}`);
}

/** If all targets are MDTs, they are compared by operations, otherwise by bytes. */
export const usualMeasure = (targets: readonly TargetName[]): "bytes" | "metadata" =>
  targets.length > 0 && targets.every(({ target }) => /^MDT/i.test(target)) ? "metadata" : "bytes";

type ClientQuery = Omit<LoadQuery, "window"> & { readonly window: LoadQuery["window"] | undefined };

/** For client counters, which have no targets; without a time range, all jobs. */
export async function askedOfClients(
  db: Queryable,
  { from, to, zone }: Omit<LoadValues, "target">,
  nowUnix: number,
): Promise<ClientQuery> {
  const stored = await clientsTime(db);
  checkZone(zone);
  const isAll = from === undefined && to === undefined;
  const window = isAll ? undefined : resolveWindow({ from, to, zone, nowUnix }, stored);
  return { window, condition: "true", targets: [], targetsText: "all file systems" };
}
