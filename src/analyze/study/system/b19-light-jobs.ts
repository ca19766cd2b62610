import { defineItem, share } from "./item.ts";
import { NO_USER } from "./jobs.ts";
import type { Prepared } from "./prepare.ts";
import { type QueuedJobs, type Scheduling, schedulingOf } from "./scheduling.ts";
import { around, type DrawnInterval, intervalsOf } from "../common/intervals.ts";
import { MINIMUM } from "../common/judge.ts";

/** Less than this share of the bytes beside heavy users is no help; ours. */
const WORTH = 0.05;

interface LightJobs {
  readonly parts: readonly Scheduling[];
  readonly movedShare: number;
  readonly interval: DrawnInterval;
  /** "helps", "does not help" or "not enough data". */
  readonly verdict: string;
}

const summed = (parts: readonly Scheduling[], of: (part: Scheduling) => number): number =>
  parts.reduce((sum, part) => sum + of(part), 0);

/** Each cluster for itself: jobs change places only with jobs of their own queue. */
export function lightJobs({ jobs, counted, clock, options }: Prepared): LightJobs {
  const owned = counted.filter((job) => jobs.user[job] !== NO_USER && !Number.isNaN(jobs.nodes[job]));
  const clusters = [...new Set(owned.map((job) => jobs.cluster[job] as number))].sort((a, b) => a - b);
  const parts = clusters.map((cluster) => {
    const places = owned.filter((job) => jobs.cluster[job] === cluster);
    const column = (values: Float64Array) => Float64Array.from(places, (job) => values[job] as number);
    const queue: QueuedJobs = {
      ...{ submit: column(jobs.submit), start: column(jobs.start), nodes: column(jobs.nodes) },
      end: Float64Array.from(places, (job) => (jobs.start[job] as number) + (jobs.duration[job] as number)),
      user: Uint32Array.from(places, (job) => jobs.user[job] as number),
      bytes: Float64Array.from(places, (job) => (jobs.read[job] as number) + (jobs.written[job] as number)),
      day: Int32Array.from(places, (job) => clock.day(jobs.start[job] as number)),
    };
    return schedulingOf(queue);
  });
  const days = parts.flatMap((part) => part.days);
  const movedShare = share(
    summed(parts, ({ forecast }) => forecast.movedBytes),
    summed(parts, ({ besideBytes }) => besideBytes),
  );
  const { moved } = intervalsOf(options, days.length, days.length, ["moved"] as const, (weights) => {
    let [away, all] = [0, 0];
    days.forEach((one, i) => {
      away += (weights[i] as number) * one.moved;
      all += (weights[i] as number) * one.beside;
    });
    return [share(away, all)];
  });
  const interval = around(movedShare, moved);
  const enough =
    summed(parts, ({ besideJobs }) => besideJobs) >= MINIMUM &&
    summed(parts, ({ withSubmit }) => withSubmit) >= summed(parts, ({ jobs: all }) => all) / 2;
  const verdict = !enough
    ? "not enough data"
    : interval.low > WORTH
      ? "helps"
      : interval.high < WORTH
        ? "does not help"
        : "not enough data";
  return { parts, movedShare, interval, verdict };
}

export const b19 = defineItem({
  id: "B19",
  definition: "B19@1",
  title: "Light jobs beside heavy users",
  place: "section IV-F",
  section: "calendar",
  about:
    "The paper suggests that schedulers run jobs with little or no I/O beside the users who move the most. Tested on the jobs of this system, cluster by cluster: heavy moves more than the mean; a heavy user is the top user of the day (B11). If another user's heavy job starts while a heavy user's heavy jobs run, it changes places with a waiting light job that was submitted earlier for the same number of nodes. By forecast: heavy users are those of the previous day, a job gets the class of its user's last job on the same number of nodes that had ended at its submission, and the first partner in the queue is taken. With the future known: actual classes, and the partner with the largest gain within an hour. Bytes beside heavy users are those of other heavy jobs, spread evenly over their run, while heavy users' jobs run.",
  reading:
    "It helps if the interval (resampled days) of the share moved away by forecast exchanges lies above 5 % (our limit), and does not if it lies below. ExchangeResult jobs have different run times, which can shift others; this is not counted. Counters do not show how much faster I/O becomes.",
  options: ["seed", "replicates", "level"],
  values: {
    verdict: ["none", "light jobs beside heavy users, by forecast"],
    besideJobs: ["count", "other heavy jobs that start beside heavy users"],
    besideShare: ["share", "bytes of other heavy jobs beside heavy users, of all"],
    exchanges: ["count", "exchanges by forecast"],
    movedShare: ["share", "of the bytes beside, moved away by forecast"],
    movedLow: ["share", "of the bytes beside, moved away by forecast, low"],
    movedHigh: ["share", "of the bytes beside, moved away by forecast, high"],
    bestShare: ["share", "of the bytes beside, moved away with the future known"],
    delayMinutes: ["minutes", "mean delay of a heavy job, by forecast"],
    saidLight: ["count", "jobs called light by the job before"],
    rightlyLight: ["share", "of those, light"],
    lightShare: ["share", "light jobs, of all"],
    submitShare: ["share", "jobs with a time of submission"],
  },
  narrative: ({ text }) =>
    `Other heavy jobs move ${text("besideShare")} of all bytes while jobs of the heaviest users run. Had they changed places with waiting light jobs, ${text("movedShare")} of that would have moved away by forecast, ${text("bestShare")} with the future known. Verdict of this test: ${text("verdict")}.`,
  measure(prepared) {
    const { parts, movedShare, interval, verdict } = prepared.lightJobs();
    const all = summed(parts, ({ jobs }) => jobs);
    const exchanges = summed(parts, ({ forecast }) => forecast.exchanges);
    const besideBytes = summed(parts, (part) => part.besideBytes);
    return {
      n: all,
      unit: "jobs",
      dropped: {
        "jobs without counters": prepared.studied.length - prepared.counted.length,
        "jobs without a user or nodes": prepared.counted.length - all,
      },
      values: {
        verdict,
        besideJobs: summed(parts, (part) => part.besideJobs),
        besideShare: share(
          besideBytes,
          summed(parts, ({ bytes }) => bytes),
        ),
        exchanges,
        movedShare,
        movedLow: interval.low,
        movedHigh: interval.high,
        bestShare: share(
          summed(parts, ({ best }) => best.movedBytes),
          besideBytes,
        ),
        delayMinutes: share(
          summed(parts, ({ forecast }) => forecast.delaySeconds),
          60 * exchanges,
        ),
        saidLight: summed(parts, (part) => part.saidLight),
        rightlyLight: share(
          summed(parts, (part) => part.rightlyLight),
          summed(parts, (part) => part.saidLight),
        ),
        lightShare: share(
          summed(parts, ({ light }) => light),
          all,
        ),
        submitShare: share(
          summed(parts, ({ withSubmit }) => withSubmit),
          all,
        ),
      },
    };
  },
});
