/** Names and numbers that logs and rows have in common. */
import { atHour, localDate, localDay, PERIOD_DAYS } from "./calendar.ts";
import { padded, type Population } from "./population.ts";
import type { FileTruth, RunTruth } from "./truth.ts";

export const LIBRARY_VERSION = "3.4.4";
export const MOUNTS = [
  { type: "lustre", path: "/global/cscratch1" },
  { type: "gpfs", path: "/global/homes" },
  { type: "rootfs", path: "/" },
] as const;

export function mountOf({ osts }: FileTruth): (typeof MOUNTS)[number] {
  return osts.length > 0 ? MOUNTS[0] : MOUNTS[1];
}

export const STRIPE_BYTES = 1048576;

export function userId(user: number): number {
  return 20_000 + user;
}

/** Unique among all runs. */
export function jobId({ kind, number }: RunTruth): number {
  return kind * 1e12 + number;
}

/** Where the log of a run lies, as Darshan names it: by local day, user, program, job and time. */
export function logPath(run: RunTruth, { applications }: Population): string {
  const day = localDay(run.start);
  const seconds = run.start - atHour(day, 0, false);
  const { folder, infix } = DAYS[day] as (typeof DAYS)[number];
  const name = applications[run.application]?.name as string;
  // A join makes one flat string where a sum keeps all its parts.
  return [folder, padded(run.user, 5), "_", name, "_id", jobId(run), infix, seconds, "-1_1.darshan"].join("");
}

/** What paths of logs have in common on a day. */
const DAYS = Array.from({ length: PERIOD_DAYS }, (_, index) => {
  const { year, month, day } = localDate(atHour(index, 0, false));
  return { folder: `logs/${year}/${month}/${day}/user`, infix: `_${month}-${day}-` };
});
