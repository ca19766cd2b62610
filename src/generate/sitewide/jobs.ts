/** The jobs of a cluster, day by day. */
import { Random } from "../../base/prng.ts";
import { logNormal, Weighted } from "../reuse/index.ts";
import { dayNumber, LocalDay } from "./calendar.ts";
import { ClusterDraws, NOTHING, ONLY_METADATA, ONLY_READS, WRITES } from "./draws.ts";
import { JobBlock } from "./job-block.ts";
import { BetaQuantiles } from "./quota.ts";
import { type ClusterModel, CLOSES, GB, hourWeight, JOBS, LONG_SECONDS, QUARTZ } from "./scenario.ts";
import { type Site, STREAM } from "./site.ts";
import { callsOf, plantUserShares } from "./user-calls.ts";

/** Start hours by the profile of the day. */
export const HOURS = hourProfile();
function hourProfile(): { readonly draw: Weighted; readonly share: Float64Array } {
  const weights = Float64Array.from({ length: 24 }, (_, hour) => hourWeight(hour));
  const sum = weights.reduce((all, weight) => all + weight, 0);
  return { draw: new Weighted(weights), share: weights.map((weight) => weight / sum) };
}

export class ClusterJobs {
  readonly model: ClusterModel;
  readonly draws: ClusterDraws;
  /** Beside the jobs of the study: those of 24 h and more. */
  readonly longJobs: number;
  /** Node-hours of long jobs that make their share. */
  readonly #longWanted: number;
  readonly #site: Site;
  readonly #random = new Random(0);
  readonly #closes = new BetaQuantiles(CLOSES.a, CLOSES.b);
  readonly #hourBytes = new Float64Array(24);
  #allBytes = 0;
  #longNodeHours = 0;

  constructor(site: Site, model: ClusterModel) {
    this.#site = site;
    this.model = model;
    this.draws = new ClusterDraws(model, site.usersOf(model), site.options.scale, site.options.seed);
    this.#longWanted = (this.#nodeHours() * model.longShare) / (1 - model.longShare);
    this.longJobs = Math.max(1, Math.round(this.#longWanted / LONG_TYPICAL));
  }

  /** Of all other jobs: counted where they are few, for then one wide and long one matters. */
  #nodeHours(): number {
    const { draws, model } = this;
    if (draws.jobs > COUNTED_MAX) return draws.jobs * model.nodeHoursMean;
    let sum = model === QUARTZ ? this.#site.seriesJobs * SERIES_NODE_HOURS : 0;
    for (let job = 0; job < draws.jobs; job++) {
      draws.kind(job);
      sum += draws.hours() * draws.nodes(job);
    }
    return sum;
  }

  /** Every local day of the cluster's period with its jobs in the order of their starts. The block is used again. */
  *days(): Generator<JobBlock> {
    const { from, months, firstJob } = this.model;
    const first = dayNumber(from[0], from[1], 1) + this.#site.shiftDays;
    const days = dayNumber(from[0], from[1] + months, 1) + this.#site.shiftDays - first;
    const weights = Float64Array.from({ length: days }, (_, i) =>
      isWeekend(first + i) ? this.#site.options.weekend : 1,
    );
    const ends = this.#dayEnds(weights);
    this.#plantUsers(ends);
    let block = new JobBlock(this.model, 64);
    let job = 0;
    let long = 0;
    for (let i = 0; i < days; i++) {
      const to = ends[i] as number;
      const longTo = Math.round((this.longJobs * (i + 1)) / days);
      const count = to - job + longTo - long;
      if (count > block.capacity) block = new JobBlock(this.model, 2 * count);
      const numbered = firstJob + job + long;
      block.day = first + i;
      block.place = i;
      block.days = days;
      block.count = 0;
      const day = new LocalDay(first + i);
      for (; job < to; job++) this.#draw(block, day, job, i / days);
      for (; long < longTo; long++) this.#drawLong(block, day, long);
      block.sort(numbered);
      yield block;
    }
  }

  /** Behind the last job of each day. */
  #dayEnds(weights: Float64Array): number[] {
    const sum = weights.reduce((all, weight) => all + weight, 0);
    let cumulative = 0;
    return Array.from(weights, (weight, i) => {
      cumulative += weight;
      return i === weights.length - 1 ? this.draws.jobs : Math.round((this.draws.jobs * cumulative) / sum);
    });
  }

  /** Goes through all writes once before they are made: who is heavy is known only then. */
  #plantUsers(ends: readonly number[]): void {
    const { draws, model } = this;
    const { seed } = this.#site.options;
    const count = draws.heavyJobs;
    const heavy = {
      user: new Int32Array(count),
      bytes: new Float64Array(count),
      perCall: new Float64Array(count),
    };
    const users = {
      bytes: new Float64Array(draws.users),
      calls: new Float64Array(draws.users),
      seen: new Uint8Array(draws.users),
    };
    for (let job = 0, day = 0; job < draws.jobs; job++) {
      while (job >= (ends[day] as number)) day++;
      const random = this.#random.restart(seed, STREAM.jobs, model.firstJob + job);
      const written = draws.kind(job) === WRITES ? draws.written() : 0;
      const user = this.#userOf(job, written, day / ends.length, random);
      users.seen[user] = 1;
      if (written === 0) continue;
      const perCall = draws.perCall();
      users.bytes[user]! += written;
      users.calls[user]! += callsOf(written, perCall);
      const place = draws.heavyPlace;
      if (place < 0) continue;
      heavy.user[place] = user;
      heavy.bytes[place] = written;
      heavy.perCall[place] = perCall;
    }
    const random = Random.stream(seed, STREAM.users, model.firstUser);
    plantUserShares({ ...heavy, fixed: count - 1 }, users, model.usersEfficient, random);
    draws.keepHeavyCalls(heavy.perCall);
  }

  #draw(block: JobBlock, day: LocalDay, job: number, progress: number): void {
    const { draws } = this;
    const random = this.#random.restart(this.#site.options.seed, STREAM.jobs, this.model.firstJob + job);
    const row = block.count++;
    const kind = draws.kind(job);
    const seconds = Math.min(SHORTER, Math.max(1, Math.round(draws.hours() * 3600)));
    const written = kind === WRITES ? draws.written() : 0;
    const user = this.#userOf(job, written, progress, random);
    this.#counters(block, row, kind, user, written, random);
    const { bytes_read, bytes_written } = block.counters;
    const hour = this.#hour((bytes_read[row] as number) + (bytes_written[row] as number), random);
    this.#facts(block, row, user, draws.nodes(job), day, hour, seconds, random);
  }

  #drawLong(block: JobBlock, day: LocalDay, long: number): void {
    const { nodesMin, nodesMax } = this.model;
    const random = this.#random.restart(
      this.#site.options.seed,
      STREAM.jobs,
      this.model.firstJob + 1e9 + long,
    );
    const row = block.count++;
    const seconds = LONG_SECONDS + Math.round(random.unit() * 86_400);
    const wanted = (this.#longWanted * (long + 1)) / this.longJobs - this.#longNodeHours;
    const nodes = Math.min(nodesMax, Math.max(nodesMin, Math.round(wanted / (seconds / 3600))));
    this.#longNodeHours += (nodes * seconds) / 3600;
    const user = random.below(this.draws.users);
    const written = Math.round(logNormal(random.unit(), GB, 2));
    this.draws.kind(0);
    this.#counters(block, row, ONLY_READS, user, 0, random);
    block.counters.bytes_written[row] = written;
    block.counters.writes[row] = Math.max(1, Math.round(written / 1e6));
    this.#facts(block, row, user, nodes, day, random.below(24), seconds, random);
  }

  /** In a campaign, large jobs are its user's. */
  #userOf(job: number, written: number, progress: number, random: Random): number {
    const { draws } = this;
    const chance = random.unit();
    if (written > 5 * this.model.written.mean && chance < JOBS.campaignShare) {
      const length = JOBS.campaignDays / (30.4 * this.model.months);
      for (let i = 0; i < JOBS.campaigns; i++) {
        const from = (i + 0.6) / (JOBS.campaigns + 0.5);
        if (progress >= from && progress < from + length) return (7 + 11 * i) % draws.users;
      }
    }
    return draws.user(job);
  }

  #counters(block: JobBlock, row: number, kind: number, user: number, written: number, random: Random): void {
    const { draws } = this;
    const c = block.counters;
    for (const name in c) (c[name as keyof typeof c] as Float64Array)[row] = 0;
    if (kind === NOTHING) return;
    let read = 0;
    if (kind === WRITES) {
      c.bytes_written[row] = written;
      c.writes[row] = callsOf(written, draws.perCall());
      if (random.unit() < JOBS.reads) {
        const share = draws.readShare(user);
        const wanted = ((written * share) / (1 - share)) * logNormal(random.unit(), 1 / JOBS.reads, 0.3);
        read = Math.round(Math.min(draws.writtenMax, wanted));
      }
      c.opens[row] = 1 + draws.metadata(0, written);
      c.mkdirs[row] = draws.metadata(1, written);
      c.mknods[row] = draws.metadata(2, written);
      c.unlinks[row] = draws.metadata(3, written);
      c.rmdirs[row] = draws.metadata(4, written);
      c.renames[row] = draws.metadata(5, written);
    } else {
      c.opens[row] = 1 + random.below(40);
      if (kind === ONLY_READS)
        read = Math.max(1, Math.round(logNormal(random.unit(), 200e6, 2) * draws.readShare(user)));
    }
    const opens = c.opens[row] as number;
    c.bytes_read[row] = read;
    const { median, sigma } = JOBS.readPerCall;
    if (read > 0) c.reads[row] = Math.max(1, Math.round(read / logNormal(random.unit(), median, sigma)));
    c.closes[row] = Math.round(opens * this.#closes.at(random.unit()));
    c.links[row] = random.unit() < 0.02 ? 1 + random.below(5) : 0;
    c.getattrs[row] = Math.round(opens * (1 + 3 * random.unit()));
    c.setattrs[row] = kind === ONLY_METADATA ? random.below(3) : Math.round(opens * random.unit());
    c.lnet_sent_bytes[row] = Math.round(written * 1.02) + 400 * opens;
    c.lnet_received_bytes[row] = Math.round(read * 1.02) + 400 * opens;
  }

  /** Large jobs go where the day's profile lacks bytes, the largest to its peaks: one would make a peak of its own. */
  #hour(bytes: number, random: Random): number {
    const have = this.#hourBytes;
    const drawn = HOURS.draw.pick(random.unit());
    let best = drawn;
    if (bytes > 0.05 * this.model.written.mean) {
      let most = Number.NEGATIVE_INFINITY;
      const isHuge = bytes > HUGE * this.draws.jobs * this.model.written.mean;
      for (let hour = 0; hour < 24; hour++) {
        if (isHuge && !PEAKS.includes(hour)) continue;
        const lack = (HOURS.share[hour] as number) * (this.#allBytes + bytes) - (have[hour] as number);
        if (lack > most) {
          most = lack;
          best = hour;
        }
      }
    }
    have[best] = (have[best] as number) + bytes;
    this.#allBytes += bytes;
    return best;
  }

  #facts(
    block: JobBlock,
    row: number,
    user: number,
    nodes: number,
    day: LocalDay,
    hour: number,
    seconds: number,
    random: Random,
  ): void {
    const { facts } = block;
    const start = day.at(hour) + random.below(3600);
    facts.user[row] = user;
    facts.nodes[row] = nodes;
    facts.start[row] = start;
    facts.end[row] = start + seconds;
    facts.submit[row] = start - 1 - Math.floor(random.exponential(600));
    facts.state[row] = STATES.pick(random.unit());
    facts.program[row] = (user * 7 + random.below(4)) % PROGRAMS.length;
  }
}

const STATES = new Weighted(JOBS.states.map(([, weight]) => weight));
export const PROGRAMS = [
  "hydro",
  "lattice",
  "md-run",
  "solver",
  "mesh",
  "post",
  "train",
  "sweep",
  "qc",
  "climate",
];
/** Hours of the two bumps, and the part of all bytes beyond which a job starts at one of them. */
const PEAKS = [5, 11];
const HUGE = 0.008;
/** The longest job of the study: 23.9 h. */
const SHORTER = 23.9 * 3600;
/** Jobs that are counted before they are made. */
const COUNTED_MAX = 300_000;
/** Node-hours of a job with minutes, and of a long job. */
const SERIES_NODE_HOURS = 53;
const LONG_TYPICAL = 36 * 20;

function isWeekend(day: number): boolean {
  const weekday = (day + 4) % 7;
  return weekday === 0 || weekday === 6;
}
