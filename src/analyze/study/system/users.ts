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
  const column = () => new Float64Array(jobs.users);
  const [count, read, written, writes, ratios, withIo, withWrites] = [
    column(),
    column(),
    column(),
    column(),
    column(),
    column(),
    column(),
  ] as const;
  for (const job of counted) {
    const user = jobs.user[job] as number;
    if (user === NO_USER) continue;
    const [r, w, calls] = [jobs.read[job] as number, jobs.written[job] as number, jobs.writes[job] as number];
    count[user]!++;
    read[user]! += r;
    written[user]! += w;
    if (r + w > 0) withIo[user]!++;
    if (!(calls > 0)) continue;
    writes[user]! += calls;
    ratios[user]! += w / calls;
    withWrites[user]!++;
  }
  const list: UserTotals[] = [];
  for (let user = 0; user < jobs.users; user++)
    if ((count[user] as number) > 0)
      list.push({
        user,
        jobs: count[user] as number,
        read: read[user] as number,
        written: written[user] as number,
        writes: writes[user] as number,
        ratios: ratios[user] as number,
        withIo: withIo[user] as number,
        withWrites: withWrites[user] as number,
      });
  return list;
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
