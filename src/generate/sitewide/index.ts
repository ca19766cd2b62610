/** The scenario `sitewide`: clusters with the job I/O of a published study, as rows, texts or a live tree. */
import { createHash } from "node:crypto";
import type { RowSink } from "../../model/index.ts";
import { ClusterAnswers } from "./answers-jobs.ts";
import { SeriesAnswers } from "./answers-series.ts";
import type { Values } from "./answers-writes.ts";
import { LocalDay } from "./calendar.ts";
import type { JobBlock } from "./job-block.ts";
import { JobRows } from "./job-rows.ts";
import { ClusterJobs } from "./jobs.ts";
import { MonitorAnswers } from "./answers-monitor.ts";
import { appendReadings, MinuteRows, RELEASE_MINUTES, TargetRows } from "./minute-rows.ts";
import { BINS_MAX, Plan } from "./plan.ts";
import { type Comparison, compare } from "./published.ts";
import { FILE_SYSTEM, LONG_SECONDS, QUARTZ, SERIES, ZONE } from "./scenario.ts";
import { SeriesJobs } from "./series.ts";
import { type Share, WHOLE } from "./share.ts";
import type { Site, SiteOptions } from "./site.ts";
import { type MinuteSink, Spread } from "./spread.ts";
import { SiteStates } from "./state-rows.ts";
import { TargetSums } from "./target-cells.ts";
import { LoadAnswers, TargetLoads } from "./target-times.ts";

export { CLUSTER_CHOICES, type ClusterChoice, ZONE } from "./scenario.ts";
export { CALIBRATED_SCALE } from "./published.ts";
export { NOTHING, shareOf } from "./share.ts";
export { DEFAULT_CONTENTION, DEFAULT_START, Site, type SiteOptions } from "./site.ts";

export const SCENARIO = "sitewide";
/** Changes when the output for the same seed changes. */
const SCENARIO_VERSION = 4;

/** Takes the jobs of days and what they did in minutes; a session of generating calls its parts in this order. */
export interface SiteTaker {
  /** The jobs of a cluster that start on a day; the block is used again. */
  jobs?(block: JobBlock): void | Promise<void>;
  /** Wants times of servers; called once with the loads of a first pass. */
  loads?(loads: TargetLoads): void;
  /** A job with minutes begins; then come its rows, then its end. */
  begin?(plan: Plan): void;
  minutes?: MinuteSink;
  end?(plan: Plan): void | Promise<void>;
  /** No later job touches a minute before this one. */
  before?(minute: number): void | Promise<void>;
}

/** First minute of the series, and the minute after the last that any job of it can reach. */
export function seriesMinutes(site: Site): readonly [from: number, to: number] {
  const from = new LocalDay(site.seriesFrom).at(0) / 60;
  return [from, new LocalDay(site.seriesFrom + site.seriesDays).at(0) / 60 + BINS_MAX];
}

/** Makes the whole site; `each` is called after every day with the number of jobs in it. */
export async function generateSite(
  site: Site,
  takers: readonly SiteTaker[],
  each: (jobs: number) => void | Promise<void> = () => {},
): Promise<void> {
  for (const model of site.clusters) {
    for (const block of new ClusterJobs(site, model).days()) {
      for (const taker of takers) await taker.jobs?.(block);
      await each(block.count);
    }
  }
  if (site.hasSeries) await generateSeries(site, takers, each);
}

/** Only the jobs with minutes. */
export async function generateSeries(
  site: Site,
  takers: readonly SiteTaker[],
  each: (jobs: number) => void | Promise<void> = () => {},
): Promise<void> {
  const series = new SeriesJobs(site);
  const plan = new Plan();
  const spread = new Spread(site, loadsFor(site, takers));
  const sinks = takers.flatMap(({ minutes }) => (minutes === undefined ? [] : [minutes]));
  const sink = sinks.length === 1 ? (sinks[0] as MinuteSink) : fanOut(sinks);
  for (const block of series.days()) {
    for (const taker of takers) await taker.jobs?.(block);
    for (let row = 0; row < block.count; row++) {
      series.plan(block, row, plan);
      for (const taker of takers) {
        await taker.before?.(plan.firstMinute);
        taker.begin?.(plan);
      }
      spread.emit(plan, sink);
      for (const taker of takers) await taker.end?.(plan);
    }
    await each(block.count);
  }
  for (const taker of takers) await taker.before?.(seriesMinutes(site)[1]);
}

/** A first pass over the same jobs, when anybody wants times. */
function loadsFor(site: Site, takers: readonly SiteTaker[]): TargetLoads | undefined {
  if (takers.every(({ loads }) => loads === undefined)) return undefined;
  const found = new TargetLoads(site, seriesMinutes(site));
  const series = new SeriesJobs(site);
  const plan = new Plan();
  const spread = new Spread(site);
  for (const block of series.days())
    for (let row = 0; row < block.count; row++) {
      series.plan(block, row, plan);
      spread.emit(plan, found);
    }
  for (const taker of takers) taker.loads?.(found);
  return found;
}

function fanOut(sinks: readonly MinuteSink[]): MinuteSink {
  return {
    ost: (...row) => {
      for (const sink of sinks) sink.ost(...row);
    },
    mdt: (...row) => {
      for (const sink of sinks) sink.mdt(...row);
    },
  };
}

/** Rows of `jobs`, `minutes`, `targets`, `target_states` and `servers` into a store: all of them are counted, a share is written. */
export class SiteTables implements SiteTaker {
  readonly #jobs: JobRows;
  readonly #minutes: MinuteRows;
  readonly #sums: TargetSums;
  readonly #targets: TargetRows;
  readonly #states: SiteStates;
  readonly #monitor: MonitorAnswers;
  readonly minutes: MinuteSink;
  readonly #site: Site;
  readonly #sink: RowSink;
  readonly #share: Share;
  #released: number;

  constructor(site: Site, sink: RowSink, share: Share = WHOLE) {
    this.#site = site;
    this.#sink = sink;
    this.#share = share;
    const [from, to] = seriesMinutes(site);
    this.#jobs = new JobRows(sink);
    this.#minutes = new MinuteRows(site, sink);
    this.#sums = new TargetSums(site, from);
    this.#targets = new TargetRows(site, sink, this.#sums);
    this.#states = new SiteStates(site, sink);
    this.#monitor = new MonitorAnswers(site, [from, to]);
    this.#released = from;
    this.minutes = fanOut([this.#minutes, this.#sums]);
  }

  get rows() {
    const { rows } = this.#states;
    return { jobs: this.#jobs.rows, minutes: this.#minutes.rows, targets: this.#targets.rows, ...rows };
  }

  /** What these rows say of targets, for answers.json. */
  get monitoring(): object {
    return { ...this.#monitor.answers(), states: this.#states.planted };
  }

  loads(): void {}

  jobs(block: JobBlock): Promise<void> {
    return this.#jobs.add(block, this.#share(block.place, block.days));
  }

  begin(plan: Plan): void {
    this.#minutes.begin(plan.job, this.#share(plan.job - SERIES.firstJob, this.#site.seriesJobs));
  }

  end(): Promise<void> {
    return this.#minutes.settle();
  }

  async before(minute: number): Promise<void> {
    const [from, to] = seriesMinutes(this.#site);
    const isKept = (at: number) => this.#share(at - from, to - from);
    while (this.#released < minute) {
      this.#released = Math.min(minute, this.#released + RELEASE_MINUTES);
      await this.#targets.release(this.#released, isKept, (at, target, cells, cell) => {
        this.#monitor.add(at, target, cells, cell);
        this.#states.add(at, target, cells, cell, isKept(at));
      });
      await this.#states.flush();
    }
  }

  async finish(): Promise<void> {
    await this.#jobs.end();
    await this.#minutes.settle(true);
    if (this.#site.hasSeries && this.#share(0, 1))
      await appendReadings(this.#site, this.#sink, seriesMinutes(this.#site));
  }
}

export interface AnswerItem {
  /** By cluster, and `series` for jobs with minutes. */
  readonly planted: Readonly<Record<string, Values>>;
  readonly published: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly tolerance: Readonly<Record<string, Readonly<Record<string, { low: number; high: number }>>>>;
}

/** What answers.json holds. */
export interface AnswerSheet {
  readonly scenario: string;
  readonly version: number;
  readonly seed: number;
  readonly options: SiteOptions & Readonly<Record<string, unknown>>;
  readonly definitions: readonly string[];
  readonly items: Readonly<Record<string, AnswerItem>>;
  readonly comparison: readonly Comparison[];
  readonly ids: Readonly<Record<string, unknown>>;
  /** Times of servers: the planted slope and rate of an OST, and what the rows of `minutes` come to. */
  readonly load?: Readonly<Record<string, number>>;
  /** What targets did and how full they are, where there are rows of them. */
  readonly monitoring?: object;
  /** Which items the tests compare with, by check. */
  readonly checks: Readonly<Record<string, readonly string[]>>;
  /** What must become of the inputs in damage/, where they were asked for. */
  readonly damage?: readonly object[];
}

const DEFINITIONS = [
  "shares are fractions; planted values are by cluster, and under `series` for the jobs with minutes",
  "B02: jobs below 24 h; jobsWithCounters: of these, jobs with client readings (jobs with minutes have none)",
  "B03: compute time is nodes times seconds; jobs of 24 h or longer are in no other item",
  "B04: all jobs below 24 h, including those with minutes; medians interpolate",
  "B05: users with bytes; mostlyRead above 0.8 read, mostlyWritten below 0.2; exact sums of bytes of all jobs",
  "B06: population.perCall.class counts jobs; the mean of bytes is over the population, ratios are of jobs with write calls; `median` takes medians of bytes and of ratios for limits",
  "B06: users.way.class: totals of users; a user's ratio is the sum of the ratios of the jobs, or bytes over calls; users without writes count with 0",
  "B07: Pearson's r of log10(1 + calls) with log10(1 + bytes written) over jobs that wrote; AllJobs: over all jobs with counters; sum: of all listed calls",
  "B08: sums over job minutes on MDTs, without the background that only rows of targets have",
  "B09 to B11: bytes read and written by local start day, all days of the period; B10: of jobs of equal length the one with the lowest number",
  "B12: minutes from floor(start / 60) to floor(end / 60); ioShareOfJobs: jobs with counters and bytes; means over jobs with bytes in their minutes",
  "B13: planned write pattern: periodic, continuous (over the whole run), single (one burst within it)",
  "B14: largest burst over node memory times nodes, all jobs with minutes; writersBelow5: of those with writes",
  "B15, B16: write minutes by the size of their burst, all jobs together; zero: minutes with reads only; mostly: jobs with more than half (small) or 90 % (medium) of their I/O minutes",
  "B17: share of bytes by local start hour; percentOfMost: groups of five or more jobs with minutes with the same user, nodes and whole binary logarithms of bytes read and written (-1 for none)",
  "load: read_usecs and write_usecs of a row of minutes are bytes over ostBytesPerSecond × (1 + slope × others), others being the bytes of all other jobs on that OST in that minute over 60 × ostBytesPerSecond",
  "monitoring: sums of columns of targets, including load outside jobs, by local day, and by target in windows (minutes since 1970): an hour at noon of the last day with new jobs, all before it, and the last 1,440 minutes; states.atEnd: use of targets at the last state",
  "ids.periodicJobs: SHA-256 of lines `job period` in the order of starts; ids.jobs: SHA-256 of lines `cluster job` in the order of rows",
];

export class SiteAnswers implements SiteTaker {
  readonly #site: Site;
  readonly #clusters: ReadonlyMap<string, ClusterAnswers>;
  readonly #series: SeriesAnswers;
  readonly #load = new LoadAnswers();
  #busiest = 0;
  readonly #jobs = createHash("sha256");

  constructor(site: Site) {
    this.#site = site;
    this.#clusters = new Map(
      site.clusters.map((model) => [model.name, new ClusterAnswers(model, site.usersOf(model))]),
    );
    this.#series = new SeriesAnswers(site);
  }

  get minutes(): MinuteSink {
    const load = this.#load;
    const times: MinuteSink = {
      ost(_target, _minute, read, written, _reads, _writes, _begun, readUsecs, writeUsecs, others) {
        load.add(read + written, readUsecs + writeUsecs, others);
      },
      mdt() {},
    };
    return fanOut([this.#series, times]);
  }

  loads(loads: TargetLoads): void {
    this.#busiest = loads.most;
  }

  jobs(block: JobBlock): void {
    this.#clusters.get(block.cluster.name)?.add(block);
    let lines = "";
    for (let row = 0; row < block.count; row++) lines += `${block.cluster.name} ${block.facts.job[row]}\n`;
    this.#jobs.update(lines);
  }

  begin(plan: Plan): void {
    this.#series.begin(plan);
  }

  end(plan: Plan): void {
    this.#series.end(plan);
  }

  finish(more: Readonly<Record<string, AnswerItem>> = {}, monitoring?: object): AnswerSheet {
    const site = this.#site;
    const byPart: Record<string, Readonly<Record<string, Values>>> = {};
    for (const [name, cluster] of this.#clusters) byPart[name] = cluster.answers();
    if (site.hasSeries) byPart.series = this.#series.answers();
    const comparison = compare(byPart, site);
    const items: Record<string, AnswerItem> = {};
    const names = new Set(Object.values(byPart).flatMap((part) => Object.keys(part)));
    for (const item of [...names].sort()) {
      const own = comparison.filter((line) => line.item === item);
      items[item] = {
        planted: Object.fromEntries(
          Object.entries(byPart).flatMap(([of, part]) =>
            part[item] === undefined ? [] : [[of, part[item]]],
          ),
        ),
        published: grouped(own, ({ published }) => published),
        tolerance: grouped(
          own.filter(({ within }) => within !== undefined),
          ({ low = 0, high = 0 }) => ({ low, high }),
        ),
      };
    }
    const { options } = site;
    return {
      scenario: SCENARIO,
      version: SCENARIO_VERSION,
      seed: options.seed,
      options: {
        ...options,
        zone: ZONE,
        longSeconds: LONG_SECONDS,
        nodeMemoryBytes: QUARTZ.nodeMemoryBytes,
        fileSystem: FILE_SYSTEM,
        osts: site.osts,
        mdts: site.mdtWeights.length,
        seriesDays: site.seriesDays,
      },
      definitions: DEFINITIONS,
      items: { ...items, ...more },
      comparison,
      ...(site.hasSeries && { load: this.#load.answers(options.contention, this.#busiest) }),
      ...(site.hasSeries && monitoring !== undefined && { monitoring }),
      ids: {
        jobs: this.#jobs.copy().digest("hex"),
        periodicJobs: this.#series.periodicSha256,
      },
      checks: { V10: ["V10"], V11: ["B04"], V12: ["B06"], V13: ["B12"], V14: ["B14", "B15", "B16"] },
    };
  }
}

function grouped<Value>(
  lines: readonly Comparison[],
  value: (line: Comparison) => Value,
): Record<string, Record<string, Value>> {
  const found: Record<string, Record<string, Value>> = {};
  for (const line of lines) (found[line.of] ??= {})[line.key] = value(line);
  return found;
}
export { clientReadings } from "./client-readings.ts";
export { damagePack } from "./damage.ts";
export type { Release } from "./entry.ts";
export type { JobBlock } from "./job-block.ts";
export { FolderFiles } from "./live-files.ts";
export type { LiveJob } from "./live-jobs.ts";
export { LiveSite } from "./live.ts";
export { SACCT_HEADER, sacctLines } from "./sacct.ts";
export { Samples } from "./samples.ts";
