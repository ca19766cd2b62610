/**
 * Which calls the heavy jobs of a cluster make, so that the published share of its heavy users writes efficiently. Drawn
 * for each job by itself, that share would be what chance makes of a few hundred users. Sizes of calls only change
 * places among heavy jobs, so that what jobs write per call stays as it was drawn.
 */
import type { Random } from "../../base/prng.ts";
import { mean } from "./sums.ts";

/** Jobs that write more than the mean, in columns. `perCall` is changed. */
interface HeavyJobs {
  readonly user: Int32Array;
  readonly bytes: Float64Array;
  readonly perCall: Float64Array;
  /** Of the largest job; it keeps its own. */
  readonly fixed: number;
}

/** By user: all that its jobs write. */
interface UserWrites {
  readonly bytes: Float64Array;
  readonly calls: Float64Array;
  /** 1 for users with a job. */
  readonly seen: Uint8Array;
}

/** Users stay this factor off the limit per call, which moves a little while places are changed. */
const MARGIN = 1.4;
const ROUNDS = 60;
const TRIES = 400;

export const callsOf = (bytes: number, perCall: number): number =>
  Math.max(1, Math.round(bytes / Math.max(1, perCall)));

export function plantUserShares(jobs: HeavyJobs, users: UserWrites, share: number, random: Random): void {
  const { bytes, calls, seen } = users;
  const known = Array.from(seen.keys()).filter((user) => seen[user] === 1);
  const limit = mean(known.map((user) => bytes[user] as number));
  const ratio = (user: number) => (bytes[user] as number) / Math.max(1, calls[user] as number);
  const heavy = known.filter((user) => (bytes[user] as number) > limit);
  // Those who write in the largest calls by chance are the efficient ones, so that few places change.
  const ranked = heavy.toSorted((a, b) => ratio(b) - ratio(a) || a - b);
  const side = new Int8Array(bytes.length);
  ranked.forEach((user, place) => {
    side[user] = place < Math.round(share * heavy.length) ? 1 : -1;
  });
  const own = jobsByUser(jobs);
  for (let round = 0; round < ROUNDS; round++) {
    const perCall = mean(known.map((user) => ((calls[user] as number) === 0 ? 0 : ratio(user))));
    const isWrong = (user: number) =>
      side[user] === 1 ? ratio(user) < perCall * MARGIN : side[user] === -1 && ratio(user) > perCall / MARGIN;
    const wrong = heavy.filter(isWrong);
    if (wrong.length === 0) return;
    for (const user of wrong)
      for (const job of order(jobs, own.get(user) ?? [], side[user] as number)) {
        if (!isWrong(user)) break;
        exchange(jobs, users, job, side[user] as number, isWrong, random);
      }
  }
}

function jobsByUser({ user, fixed }: HeavyJobs): Map<number, number[]> {
  const own = new Map<number, number[]>();
  user.forEach((one, job) => {
    if (job === fixed) return;
    const jobs = own.get(one);
    if (jobs === undefined) own.set(one, [job]);
    else jobs.push(job);
  });
  return own;
}

/** First the jobs that tell most: with most calls for who should have fewer, with most bytes for who should have more. */
function order({ bytes, perCall }: HeavyJobs, own: readonly number[], side: number): number[] {
  const weight = (job: number) =>
    side === 1 ? callsOf(bytes[job] as number, perCall[job] as number) : (bytes[job] as number);
  return own.toSorted((a, b) => weight(b) - weight(a) || a - b);
}

/** Takes calls of another job that are at least twice as large (or small), unless its user would be wrong then. */
function exchange(
  jobs: HeavyJobs,
  users: UserWrites,
  job: number,
  side: number,
  isWrong: (user: number) => boolean,
  random: Random,
): void {
  const { user, bytes, perCall, fixed } = jobs;
  const { calls } = users;
  const put = (one: number, value: number) => {
    const of = user[one] as number;
    const before = callsOf(bytes[one] as number, perCall[one] as number);
    calls[of] = (calls[of] as number) - before + callsOf(bytes[one] as number, value);
    perCall[one] = value;
  };
  for (let tries = 0; tries < TRIES; tries++) {
    const other = random.below(user.length);
    const [mine, theirs] = [perCall[job] as number, perCall[other] as number];
    const isBetter = side === 1 ? theirs > 2 * mine : 2 * theirs < mine;
    if (!isBetter || other === fixed || user[other] === user[job]) continue;
    const wasWrong = isWrong(user[other] as number);
    put(job, theirs);
    put(other, mine);
    if (wasWrong || !isWrong(user[other] as number)) return;
    put(other, theirs);
    put(job, mine);
  }
}
