/** Hours of contention: the advice of the study and `quiet-hours` name the same ones. */
import type { Queryable } from "../../../model/index.ts";
import { judgedFinding, keyedNumbers } from "../common/judge.ts";
import { chosenZone } from "../common/stored-zone.ts";
import { StudySteps } from "../common/study.ts";
import { b17 } from "./b17-hours.ts";
import { busyHours, hoursOf, shareByHour } from "./contention.ts";
import { contentionDraft } from "./observations/series.ts";
import { type SystemOptions, systemOptions } from "./options.ts";
import { type Prepared, prepare } from "./prepare.ts";

/** Local hours in which jobs start that move more than those of the mean hour and take longer for the same I/O. */
export function contentionHoursOf(prepared: Prepared): {
  readonly hours: number[];
  readonly load: Float64Array;
} {
  const { bytes } = hoursOf(prepared);
  const similar = prepared.similar();
  // Where clients were not read, bytes of the minutes tell which hours are busy.
  const load = bytes.some((one) => one > 0) ? bytes : similar.bytes;
  return { hours: busyHours(load, shareByHour(similar).shares), load };
}

interface Contention {
  readonly zone: string;
  /** None where it does not hold, or cannot be judged. */
  readonly hours: readonly number[];
  /** Whether busy hours are slow at all (O15), and why. */
  readonly verdict: "confirmed" | "refuted" | "insufficient";
  readonly reason: string;
}

/** Of more rows a study takes longer than a question may; a job takes as long as some 20 minutes (10 µs). */
const ROWS_MAX = 2e6;
const ROWS_OF_JOB = 20;

/** The hours of contention, where the store is small enough for a quick answer; else null, and the study has them. */
export async function quickContention(
  db: Queryable,
  given: Parameters<typeof contentionOf>[1],
): Promise<Contention | null> {
  const [rows] = await db.rows(
    `select (select count(*) from minutes) + ${ROWS_OF_JOB} * (select count(*) from jobs) as n`,
  );
  return Number(rows?.n) > ROWS_MAX ? null : contentionOf(db, given);
}

/** The hours of contention of a store, without the rest of the study. */
async function contentionOf(
  db: Queryable,
  given: Pick<Partial<SystemOptions>, "zone" | "from" | "to">,
): Promise<Contention> {
  const { zone } = await chosenZone(db, given.zone ?? "");
  const prepared = await prepare(db, systemOptions({ ...given, zone }), new StudySteps(0, {}));
  const numbers = keyedNumbers({ B17: await b17.run(prepared, false) }, () => undefined);
  const { verdict, reason } = judgedFinding(contentionDraft(prepared, numbers.value), numbers);
  return { zone, verdict, reason, hours: verdict === "confirmed" ? contentionHoursOf(prepared).hours : [] };
}
