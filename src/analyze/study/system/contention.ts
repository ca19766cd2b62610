/** Hours of the day: how much is moved, and how long similar jobs take. */
import { mean, spearman } from "../../../base/statistics.ts";
import { NO_USER } from "./jobs.ts";
import type { Prepared } from "./prepare.ts";
import { similarRuns } from "./similar-runs.ts";

interface Hours {
  /** Bytes of counted jobs by the local hour of their start. */
  readonly bytes: Float64Array;
  readonly jobs: Float64Array;
}

export function hoursOf({ jobs, counted, clock }: Prepared): Hours {
  const [bytes, count] = [new Float64Array(24), new Float64Array(24)];
  for (const job of counted) {
    const hour = clock.hour(jobs.start[job] as number);
    bytes[hour]! += (jobs.read[job] as number) + (jobs.written[job] as number);
    count[hour]!++;
  }
  return { bytes, jobs: count };
}

/** The two highest hours that are higher than both hours beside them, in order of the day; NaN where there is none. */
export function peaksOf(bytes: Float64Array): readonly [number, number] {
  const peaks = Array.from(bytes, (value, hour) => ({ value, hour }))
    .filter(
      ({ value, hour }) =>
        value > (bytes[(hour + 23) % 24] as number) && value > (bytes[(hour + 1) % 24] as number),
    )
    .sort((a, b) => b.value - a.value || a.hour - b.hour)
    .slice(0, 2)
    .map(({ hour }) => hour)
    .sort((a, b) => a - b);
  return [peaks[0] ?? Number.NaN, peaks[1] ?? Number.NaN];
}

/** I/O time of jobs (minutes, or seconds of runs) over the most among similar ones. */
export interface Similar {
  readonly groups: number;
  /** Of each job: its group, the hour of its start, and its share. */
  readonly group: Uint32Array;
  readonly hour: Uint8Array;
  readonly share: Float64Array;
  /** Bytes by hour of the same jobs. */
  readonly bytes: Float64Array;
}

export function similarJobs({ jobs, series, clock, sides, options }: Prepared): Similar {
  if (options.similarity === "cluster") return similarRuns(sides, clock, options);
  const groups = new Map<string, number[]>();
  const log = (bytes: number, base: number) => (bytes === 0 ? -1 : exactLog(bytes, base));
  for (let i = 0; i < series.count; i++) {
    const job = series.job[i] as number;
    // Jobs of whom nobody knows may be of different users.
    if (job < 0 || jobs.user[job] === NO_USER || series.ioMinutes[i] === 0) continue;
    const [read, written] = [series.read[i] as number, series.written[i] as number];
    const own =
      options.similarity === "bins"
        ? `${log(read, 2)} ${log(written, 2)}`
        : `${jobs.program[job]} ${log(written, 10)}`;
    const key = `${jobs.user[job]} ${jobs.nodes[job]} ${own}`;
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [i]);
    else group.push(i);
  }
  const [number, hour, share]: [number[], number[], number[]] = [[], [], []];
  const bytes = new Float64Array(24);
  let used = 0;
  for (const group of groups.values()) {
    if (group.length < options.groupJobs) continue;
    used++;
    const most = group.reduce((high, i) => Math.max(high, series.ioMinutes[i] as number), 0);
    for (const i of group) {
      const at = clock.hour(jobs.start[series.job[i] as number] as number);
      number.push(used - 1);
      hour.push(at);
      share.push((series.ioMinutes[i] as number) / most);
      bytes[at]! += (series.read[i] as number) + (series.written[i] as number);
    }
  }
  return {
    groups: used,
    group: Uint32Array.from(number),
    hour: Uint8Array.from(hour),
    share: Float64Array.from(share),
    bytes,
  };
}

/** Whole part of the logarithm; powers of the base are exact. */
function exactLog(value: number, base: number): number {
  let log = Math.floor(Math.log(value) / Math.log(base));
  if (base ** (log + 1) <= value) log++;
  if (base ** log > value) log--;
  return log;
}

/** Mean share per hour; NaN without jobs. */
export function shareByHour({ hour, share }: Pick<Similar, "hour" | "share">): {
  shares: Float64Array;
  jobs: Float64Array;
} {
  const [sums, jobs] = [new Float64Array(24), new Float64Array(24)];
  hour.forEach((at, i) => {
    sums[at]! += share[i] as number;
    jobs[at]!++;
  });
  return { shares: sums.map((sum, at) => (jobs[at] === 0 ? Number.NaN : sum / (jobs[at] as number))), jobs };
}

/** Busy and slow: more bytes and longer I/O than the mean hour. */
export function busyHours(bytes: Float64Array, shares: Float64Array): number[] {
  const known = shares.filter((one) => !Number.isNaN(one));
  const [much, long] = [mean(bytes), mean(known)];
  return Array.from(bytes.keys()).filter(
    (hour) => (bytes[hour] as number) > much && (shares[hour] as number) > long,
  );
}

/** Over the hours that have both; NaN for fewer than six. */
export function hourCorrelation(bytes: Float64Array, shares: Float64Array): number {
  const hours = Array.from(shares.keys()).filter((hour) => !Number.isNaN(shares[hour]));
  if (hours.length < 6) return Number.NaN;
  return spearman(
    hours.map((hour) => bytes[hour] as number),
    hours.map((hour) => shares[hour] as number),
  );
}
