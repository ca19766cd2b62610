/**
 * Light jobs beside heavy users: what the jobs of a site would have met, had jobs that move much changed places with waiting
 * jobs that move little while a heavy user's jobs run. Nothing but times, nodes, users and bytes; a job's load is even over
 * its run.
 */

/** The jobs of one cluster as columns. */
export interface QueuedJobs {
  /** Seconds since 1970; `submit` is NaN where it is not known. */
  readonly submit: Float64Array;
  readonly start: Float64Array;
  readonly end: Float64Array;
  readonly nodes: Float64Array;
  readonly user: Uint32Array;
  /** Read and written. */
  readonly bytes: Float64Array;
  /** Local day of the start. */
  readonly day: Int32Array;
}

/** Bytes of a day: those of others beside heavy users, and what exchanges take away from there. */
interface ScheduledDay {
  readonly beside: number;
  readonly moved: number;
}

interface ExchangeResult {
  readonly exchanges: number;
  readonly movedBytes: number;
  readonly delaySeconds: number;
  readonly days: ReadonlyMap<number, number>;
}

export interface Scheduling {
  readonly jobs: number;
  readonly withSubmit: number;
  readonly bytes: number;
  /** Heavy jobs of others that start while heavy jobs of the day's top user run. */
  readonly besideJobs: number;
  readonly besideBytes: number;
  /** Jobs whose last job before tells that they are light, and how many of these are; how many are light of all. */
  readonly saidLight: number;
  readonly rightlyLight: number;
  readonly light: number;
  /** By what was known when a job was submitted, and with the future known. */
  readonly forecast: ExchangeResult;
  readonly best: ExchangeResult;
  readonly days: readonly ScheduledDay[];
}

/** With the future known an exchange delays a job by an hour at most; by forecast it waits for its partner's turn. */
const BEST_WITHIN = 3600;
const FORECAST_WITHIN = 86_400;

export function schedulingOf(jobs: QueuedJobs): Scheduling {
  const { bytes, user, day, start } = jobs;
  const count = bytes.length;
  const total = bytes.reduce((sum, one) => sum + one, 0);
  const limit = total / count;
  const isHeavy = (job: number) => (bytes[job] as number) > limit;
  const topUsers = topUsersOf(jobs);
  const isTop = (job: number) => topUsers.get(day[job] as number) === user[job];
  const busy = spanOf(jobs, (job) => isHeavy(job) && isTop(job));
  const besides = (job: number, from: number) => {
    const length = (jobs.end[job] as number) - (start[job] as number);
    const own = bytes[job] as number;
    return length > 0
      ? (own * busy.overlap(from, from + length)) / length
      : own * Number(busy.overlap(from, from + 1) > 0);
  };
  const beside = new Map<number, number>();
  let [besideJobs, besideBytes, light, saidLight, rightlyLight, withSubmit] = [0, 0, 0, 0, 0, 0];
  const last = lastJobs(jobs, isHeavy);
  for (let job = 0; job < count; job++) {
    if (!Number.isNaN(jobs.submit[job])) withSubmit++;
    if (!isHeavy(job)) light++;
    if (last[job] === SAID_LIGHT) {
      saidLight++;
      if (!isHeavy(job)) rightlyLight++;
    }
    if (!isHeavy(job) || isTop(job)) continue;
    const own = besides(job, start[job] as number);
    besideBytes += own;
    if (own > 0) beside.set(day[job] as number, (beside.get(day[job] as number) ?? 0) + own);
    if (busy.overlap(start[job] as number, (start[job] as number) + 1) > 0) besideJobs++;
  }
  const best = exchange(jobs, {
    busy,
    isHeavy: (job) => isHeavy(job) && !isTop(job),
    isLight: (job) => !isHeavy(job) && !isTop(job),
    within: BEST_WITHIN,
    besides,
    choose: "gain",
  });
  const topBefore = daysBefore(topUsers);
  const wasTop = (job: number) => topBefore.get(day[job] as number) === user[job];
  const forecast = exchange(jobs, {
    busy: spanOf(jobs, (job) => last[job] === SAID_HEAVY && wasTop(job)),
    isHeavy: (job) => last[job] === SAID_HEAVY && !wasTop(job),
    isLight: (job) => last[job] === SAID_LIGHT && !wasTop(job),
    within: FORECAST_WITHIN,
    besides,
    choose: "queue",
  });
  const days = [...new Set([...beside.keys(), ...forecast.days.keys()])].sort((a, b) => a - b);
  return {
    ...{ jobs: count, withSubmit, bytes: total, besideJobs, besideBytes },
    ...{ saidLight, rightlyLight, light, forecast, best },
    days: days.map((one) => ({ beside: beside.get(one) ?? 0, moved: forecast.days.get(one) ?? 0 })),
  };
}

/** The user who moves most of what starts on a day; the smaller number of two. */
function topUsersOf({ day, user, bytes }: QueuedJobs): ReadonlyMap<number, number> {
  const sums = new Map<number, Map<number, number>>();
  for (let job = 0; job < bytes.length; job++) {
    const one = sums.get(day[job] as number) ?? new Map<number, number>();
    one.set(user[job] as number, (one.get(user[job] as number) ?? 0) + (bytes[job] as number));
    sums.set(day[job] as number, one);
  }
  return new Map(
    [...sums].map(([one, users]) => {
      let [top, most] = [-1, 0];
      for (const [who, moved] of users)
        if (moved > most || (moved === most && moved > 0 && who < top)) [top, most] = [who, moved];
      return [one, top] as const;
    }),
  );
}

/** For each day the top user of the day with data before it. */
function daysBefore(topUsers: ReadonlyMap<number, number>): ReadonlyMap<number, number> {
  const days = [...topUsers].sort(([a], [b]) => a - b);
  return new Map(days.flatMap(([day], i) => (i === 0 ? [] : [[day, days[i - 1]?.[1] ?? -1] as const])));
}

/** Times at which any of some jobs runs. */
class Span {
  readonly #starts: Float64Array;
  readonly #ends: Float64Array;
  /** Seconds of all stretches before each. */
  readonly #before: Float64Array;

  constructor(stretches: readonly (readonly [start: number, end: number])[]) {
    const merged: [number, number][] = [];
    for (const [start, end] of [...stretches].sort(([a], [b]) => a - b)) {
      const top = merged.at(-1);
      if (top !== undefined && start <= top[1]) top[1] = Math.max(top[1], end);
      else merged.push([start, end]);
    }
    this.#starts = Float64Array.from(merged, ([start]) => start);
    this.#ends = Float64Array.from(merged, ([, end]) => end);
    this.#before = new Float64Array(merged.length);
    for (let i = 1; i < merged.length; i++)
      this.#before[i] =
        (this.#before[i - 1] as number) + (this.#ends[i - 1] as number) - (this.#starts[i - 1] as number);
  }

  overlap(from: number, to: number): number {
    return this.#until(to) - this.#until(from);
  }

  /** Seconds until `time`. */
  #until(time: number): number {
    const at = firstBeyond(this.#starts, time) - 1;
    if (at < 0) return 0;
    const into = Math.min(time, this.#ends[at] as number) - (this.#starts[at] as number);
    return (this.#before[at] as number) + into;
  }
}

const spanOf = ({ start, end }: QueuedJobs, isIn: (job: number) => boolean): Span => {
  const stretches: [number, number][] = [];
  for (let job = 0; job < start.length; job++)
    if (isIn(job)) stretches.push([start[job] as number, end[job] as number]);
  return new Span(stretches);
};

/** The first place of rising values with more than `value`. */
function firstBeyond(values: Float64Array, value: number): number {
  let [low, high] = [0, values.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) <= value) low = middle + 1;
    else high = middle;
  }
  return low;
}

const NOT_SAID = 0;
const SAID_LIGHT = 1;
const SAID_HEAVY = 2;

/** What the last job of the same user on as many nodes, ended before a job was submitted, says of it. */
function lastJobs({ user, nodes, end, submit }: QueuedJobs, isHeavy: (job: number) => boolean): Uint8Array {
  const groups = new Map<number, Map<number, number[]>>();
  for (let job = 0; job < user.length; job++) {
    const own = groups.get(user[job] as number) ?? new Map<number, number[]>();
    groups.set(user[job] as number, own);
    const group = own.get(nodes[job] as number) ?? [];
    own.set(nodes[job] as number, group);
    group.push(job);
  }
  const said = new Uint8Array(user.length).fill(NOT_SAID);
  for (const own of groups.values())
    for (const group of own.values()) {
      // Whole seconds, so the class of a job fits behind its end.
      const ends = Float64Array.from(
        group,
        (job) => 2 * Math.ceil(end[job] as number) + Number(isHeavy(job)),
      ).sort();
      for (const job of group) {
        if (Number.isNaN(submit[job])) continue;
        const at = firstBeyond(ends, 2 * Math.floor(submit[job] as number) + 1) - 1;
        if (at >= 0) said[job] = (ends[at] as number) % 2 === 1 ? SAID_HEAVY : SAID_LIGHT;
      }
    }
  return said;
}

interface Policy {
  /** When heavy users' jobs run, as far as it is known. */
  readonly busy: Span;
  isHeavy(job: number): boolean;
  isLight(job: number): boolean;
  readonly within: number;
  /** Bytes beside heavy users of a job that starts then. */
  besides(job: number, start: number): number;
  /** The partner: that which gains most, or the first in the queue. */
  readonly choose: "gain" | "queue";
}

/** A heavy job that would start beside a heavy user and a light job that waits then, on as many nodes, take each other's start. */
function exchange(jobs: QueuedJobs, policy: Policy): ExchangeResult {
  const { submit, start, nodes, day } = jobs;
  const waiting = new Map<number, { starts: Float64Array; places: Uint32Array }>();
  const heavy: number[] = [];
  const byNodes = new Map<number, number[]>();
  for (let job = 0; job < start.length; job++) {
    const at = start[job] as number;
    if (policy.isLight(job)) {
      if (!((submit[job] as number) < at)) continue;
      const group = byNodes.get(nodes[job] as number);
      if (group === undefined) byNodes.set(nodes[job] as number, [job]);
      else group.push(job);
    } else if (policy.isHeavy(job) && policy.busy.overlap(at, at + 1) > 0) heavy.push(job);
  }
  const rising = (a: number, b: number) => (start[a] as number) - (start[b] as number) || a - b;
  for (const [count, group] of byNodes) {
    const places = Uint32Array.from(group.sort(rising));
    waiting.set(count, { places, starts: Float64Array.from(places, (job) => start[job] as number) });
  }
  const used = new Uint8Array(start.length);
  const days = new Map<number, number>();
  let [exchanges, movedBytes, delaySeconds] = [0, 0, 0];
  for (const job of heavy.sort(rising)) {
    const at = start[job] as number;
    const queue = waiting.get(nodes[job] as number);
    if (queue === undefined) continue;
    const now = policy.besides(job, at);
    let [partner, best] = [-1, policy.choose === "gain" ? 0 : Number.NEGATIVE_INFINITY];
    let gain = 0;
    for (let i = firstBeyond(queue.starts, at); i < queue.places.length; i++) {
      const other = queue.places[i] as number;
      const then = start[other] as number;
      if (then > at + policy.within) break;
      if (used[other] === 1 || (submit[other] as number) > at) continue;
      const own = now + policy.besides(other, then) - policy.besides(job, then) - policy.besides(other, at);
      const worth = policy.choose === "gain" ? own : -(submit[other] as number);
      if (worth > best) [partner, best, gain] = [other, worth, own];
    }
    if (partner === -1) continue;
    used[partner] = 1;
    exchanges++;
    movedBytes += gain;
    delaySeconds += (start[partner] as number) - at;
    days.set(day[job] as number, (days.get(day[job] as number) ?? 0) + gain);
  }
  return { exchanges, movedBytes, delaySeconds, days };
}
