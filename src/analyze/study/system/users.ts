/** What users read and wrote, summed over their jobs with counters. */
import { NO_USER } from "./jobs.ts";
import type { Prepared } from "./prepare.ts";

export interface UserTotals {
  readonly user: number;
  readonly jobs: number;
  readonly read: number;
  readonly written: number;
  /** Write calls, and the sum over jobs of bytes over calls. */
  readonly writes: number;
  readonly ratios: number;
  /** Jobs that moved bytes, and those with write calls. */
  readonly withIo: number;
  readonly withWrites: number;
}

/** Totals of all users with counted jobs, by number of the user. */
export function userTotals({ jobs, counted }: Prepared): readonly UserTotals[] {
  const none = { jobs: 0, read: 0, written: 0, writes: 0, ratios: 0, withIo: 0, withWrites: 0 };
  const totals = new Array<(typeof none & { user: number }) | undefined>(jobs.users).fill(undefined);
  for (const job of counted) {
    const user = jobs.user[job] as number;
    if (user === NO_USER) continue;
    const [r, w, calls] = [jobs.read[job] as number, jobs.written[job] as number, jobs.writes[job] as number];
    let one = totals[user];
    if (one === undefined) totals[user] = one = { user, ...none };
    one.jobs++;
    one.read += r;
    one.written += w;
    if (r + w > 0) one.withIo++;
    if (!(calls > 0)) continue;
    one.writes += calls;
    one.ratios += w / calls;
    one.withWrites++;
  }
  return totals.filter((one) => one !== undefined);
}

export function jobsWithoutUser({ jobs, counted }: Prepared): number {
  let count = 0;
  for (const job of counted) if (jobs.user[job] === NO_USER) count++;
  return count;
}

/** Share of reads in what a user moved, rising. */
export const readShares = (prepared: Prepared): Float64Array =>
  Float64Array.from(
    prepared.users().filter(({ read, written }) => read + written > 0),
    ({ read, written }) => read / (read + written),
  ).sort();
