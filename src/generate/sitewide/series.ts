/** Jobs whose minutes servers have seen: who they are, day by day, and what each does. */
import { Random } from "../../base/prng.ts";
import { logNormal, zipf } from "../reuse/index.ts";
import { LocalClock, LocalDay } from "./calendar.ts";
import { JobBlock } from "./job-block.ts";
import { HOURS, PROGRAMS } from "./jobs.ts";
import { CONTINUOUS, PERIODIC, type Plan, SINGLE } from "./plan.ts";
import { BetaQuantiles } from "./quota.ts";
import { CLOSES, GB, hourWeight, JOBS, MB, QUARTZ, SERIES } from "./scenario.ts";
import { type Kind, SeriesQuotas } from "./series-quotas.ts";
import { type Site, STREAM } from "./site.ts";

/** Draws of families have numbers beyond those of jobs. */
const FAMILIES = 2 ** 40;

export class SeriesJobs {
  readonly users: number;
  readonly #site: Site;
  readonly #quotas: SeriesQuotas;
  readonly #popularity;
  readonly #long = new BetaQuantiles(1, SERIES.longBeta);
  readonly #duty = new BetaQuantiles(5, 1.1);
  readonly #closes = new BetaQuantiles(CLOSES.a, CLOSES.b);
  readonly #clock = new LocalClock();
  readonly #random = new Random(0);
  /** By how much the shares of minutes so far are above their targets, summed over jobs. */
  #writeExcess = 0;
  #readExcess = 0;

  constructor(site: Site) {
    this.#site = site;
    this.#quotas = new SeriesQuotas(site.seriesJobs, site.options.seed);
    this.users = site.usersOf(QUARTZ);
    this.#popularity = zipf(this.users, JOBS.zipf);
  }

  /** The jobs of each local day in the order of their starts, without counters of clients. The block is used again. */
  *days(): Generator<JobBlock> {
    const { seriesDays, seriesFrom, seriesJobs } = this.#site;
    const block = new JobBlock(QUARTZ, Math.ceil(seriesJobs / seriesDays) + 2);
    block.hasCounters = false;
    let member = 0;
    for (let i = 0; i < seriesDays; i++) {
      const to = Math.round((seriesJobs * (i + 1)) / seriesDays);
      const numbered = SERIES.firstJob + member;
      const day = new LocalDay(seriesFrom + i);
      block.day = seriesFrom + i;
      block.place = i;
      block.days = seriesDays;
      block.count = 0;
      for (; member < to; member++) this.#drawFacts(block, day, member);
      block.sort(numbered);
      yield block;
    }
  }

  #drawFacts(block: JobBlock, day: LocalDay, member: number): void {
    const kind = this.#quotas.kind(member);
    const own = this.#random.restart(this.#site.options.seed, STREAM.series, member);
    const start = day.at(HOURS.draw.pick(own.unit())) + own.below(3600);
    const waited = 1 + Math.floor(own.exponential(600));
    const random = kind === "family" ? this.#familyRandom() : own;
    const isShort = kind === "metadata" || kind === "read" ? random.unit() < 0.25 : this.#isShortWriter(kind);
    const row = block.count++;
    const { facts } = block;
    facts.member[row] = member;
    facts.user[row] = this.#popularity.pick(random.unit());
    facts.nodes[row] = nodesOf(random.unit());
    facts.start[row] = start;
    facts.submit[row] = start - waited;
    facts.end[row] = start + this.#seconds(kind, isShort, random);
    facts.state[row] = 0;
    facts.program[row] = random.below(PROGRAMS.length);
  }

  #isShortWriter(kind: Kind): boolean {
    return kind !== "family" && kind !== "checkpoint" && this.#quotas.pattern === -CONTINUOUS;
  }

  #familyRandom(): Random {
    return this.#random.restart(this.#site.options.seed, STREAM.series, FAMILIES + this.#quotas.family);
  }

  #seconds(kind: Kind, isShort: boolean, random: Random): number {
    if (isShort) return 5 + random.below(140);
    // A family takes whole minutes, so that its runs touch as many of them within one.
    if (kind === "family") return 60 * (90 + random.below(150));
    const { median, sigma, least } = SERIES.mid;
    const hours =
      random.unit() < SERIES.longShare
        ? JOBS.long.least + JOBS.long.span * this.#long.at(random.unit())
        : Math.max(least, logNormal(random.unit(), median, sigma));
    return Math.round(Math.min(23.9, hours) * 3600);
  }

  /** Fills `plan` with what the job of a row does. Jobs are to be asked for in the order of `days`. */
  plan(block: JobBlock, row: number, plan: Plan): void {
    const { facts } = block;
    plan.member = facts.member[row] as number;
    plan.job = facts.job[row] as number;
    plan.user = facts.user[row] as number;
    plan.nodes = facts.nodes[row] as number;
    plan.clear(facts.start[row] as number, facts.end[row] as number);
    const kind = this.#quotas.kind(plan.member);
    const seed = this.#site.options.seed;
    const random = this.#random.restart(
      seed,
      STREAM.series,
      FAMILIES / 2 + (kind === "family" ? FAMILIES + this.#quotas.family : plan.member),
    );
    this.#place(plan, random);
    if (kind === "metadata") this.#metadataOnly(plan, random);
    else if (kind === "read") this.#readOnly(plan, random);
    else this.#writes(plan, kind, random);
    this.#opens(plan, random);
  }

  #place(plan: Plan, random: Random): void {
    const { osts } = this.#site;
    const { median, sigma } = SERIES.ostsPerNode;
    plan.osts = Math.min(osts, Math.max(1, Math.round(plan.nodes * logNormal(random.unit(), median, sigma))));
    plan.firstOst = random.below(osts);
    plan.mdt = this.#site.mdts.pick(random.unit());
    plan.closing = this.#closes.at(random.unit());
  }

  #metadataOnly(plan: Plan, random: Random): void {
    const every = 1 + random.below(6);
    const opens = 1 + Math.floor(logNormal(random.unit(), 20, 1.5));
    for (let bin = 0; bin < plan.bins; bin += every) plan.opens[bin] = opens;
  }

  #readOnly(plan: Plan, random: Random): void {
    const { bins } = plan;
    const wanted = Math.min(
      1,
      Math.max(0.05, 0.55 + 0.6 * (random.unit() - 0.5) - bounded(this.#readExcess)),
    );
    const minutes = Math.max(1, Math.round(wanted * bins));
    const bytes = this.#readBytes(random);
    // Evenly over the run: minute b is one of them when b·minutes/bins passes a whole number.
    for (let bin = 0; bin < bins; bin++)
      if (Math.floor(((bin + 1) * minutes) / bins) > Math.floor((bin * minutes) / bins))
        plan.read[bin] = varied(bytes, random);
    this.#readExcess += minutes / bins - SERIES.readShare;
  }

  #writes(plan: Plan, kind: Kind, random: Random): void {
    const pattern = kind === "family" || kind === "checkpoint" ? PERIODIC : this.#quotas.pattern;
    plan.pattern = Math.abs(pattern);
    if (pattern === PERIODIC) this.#periodic(plan, kind, random);
    else if (pattern === SINGLE) {
      const share = Math.max(0.1, Math.min(0.8, 0.2 + 0.4 * random.unit() - bounded(this.#writeExcess)));
      const minutes = Math.max(1, Math.round(share * plan.bins));
      const from = random.below(plan.bins - minutes + 1);
      plan.putBurst(from, from + minutes, this.#burstBytes(plan, kind, minutes, random), 1);
    } else plan.putBurst(0, plan.bins, this.#burstBytes(plan, kind, plan.bins, random), 1);
    this.#writeExcess += plan.writeMinutes / plan.bins - SERIES.writeShare;
    if (random.unit() >= SERIES.reading) return;
    const bytes = this.#readBytes(random);
    // Runs of a family are alike to the byte, whatever their minutes.
    const total = kind === "family" ? bytes * Math.ceil(plan.bins / plan.period) : undefined;
    const each = total === undefined ? bytes : Math.ceil(total / plan.writeMinutes);
    for (let bin = 0; bin < plan.bins; bin++)
      if ((plan.written[bin] as number) > 0)
        plan.read[bin] = total === undefined ? varied(bytes, random) : each;
  }

  #periodic(plan: Plan, kind: Kind, random: Random): void {
    const { least, most } = SERIES.period;
    const repeats = kind === "family" || kind === "checkpoint" ? 4 : 3;
    const longest = Math.max(least, Math.min(most, Math.floor(plan.bins / repeats)));
    plan.period =
      kind === "family" ? 10 + random.below(12) : Math.round(least * (longest / least) ** random.unit());
    const { duty } = SERIES;
    const drawn = this.#duty.at(random.unit());
    const wanted =
      kind === "family"
        ? 0.72 + 0.13 * (hourWeight(this.#clock.hour(plan.start)) - 1)
        : duty.least + (duty.most - duty.least) * drawn - bounded(this.#writeExcess);
    const clipped = Math.max(duty.least, Math.min(duty.most, wanted));
    const on = Math.max(1, Math.min(plan.period - 1, Math.round(clipped * plan.period)));
    const largest = this.#burstBytes(plan, kind === "checkpoint" ? "small" : kind, on, random);
    const bursts = Math.ceil(plan.bins / plan.period);
    for (let i = 0; i < bursts; i++) {
      const from = i * plan.period;
      const to = Math.min(plan.bins, from + on);
      const bytes = kind === "family" || i === 0 ? largest : this.#smaller(kind, largest, on, random);
      plan.putBurst(from, to, Math.max(bytes, to - from), i + 1);
    }
    if (kind === "checkpoint")
      plan.putBurst(0, Math.min(on, plan.bins), this.#burstBytes(plan, kind, on, random), 1);
  }

  /** Other bursts of a job are up to a fifth smaller, and in the same class. */
  #smaller(kind: Kind, largest: number, minutes: number, random: Random): number {
    const least = kind === "tiny" ? minutes : kind === "medium" ? MB : Math.max(1000, minutes);
    return Math.max(least, Math.round(largest * (0.8 + 0.2 * random.unit())));
  }

  #burstBytes(plan: Plan, kind: Kind, minutes: number, random: Random): number {
    const u = random.unit();
    switch (kind) {
      case "large":
      case "checkpoint": {
        const [low, high] = this.#quotas.memoryShare(kind);
        const share = low * 1.02 * ((high * 0.98) / (low * 1.02)) ** u;
        return Math.round(share * QUARTZ.nodeMemoryBytes * plan.nodes);
      }
      case "medium":
        return Math.round(Math.min(0.98 * GB, Math.max(1.3 * MB, logNormal(u, 40 * MB, 1.6))));
      case "tiny":
        return Math.max(minutes, Math.round(100 + 850 * u));
      default:
        return Math.round(Math.min(950e3, Math.max(1300, 2 * minutes, logNormal(u, 30e3, 1.6))));
    }
  }

  #readBytes(random: Random): number {
    const { median, sigma } = SERIES.readPerMinute;
    return Math.max(1, Math.round(logNormal(random.unit(), median, sigma)));
  }

  /** Files are opened at the beginning of each burst, and at the beginning of the run. */
  #opens(plan: Plan, random: Random): void {
    const each = 1 + Math.floor(logNormal(random.unit(), 12, 1.2));
    let last = -1;
    for (let bin = 0; bin < plan.bins; bin++) {
      const isActive = (plan.written[bin] as number) + (plan.read[bin] as number) > 0;
      const burst = plan.burst[bin] as number;
      if (isActive && burst !== last) {
        plan.opens[bin] = each;
        last = burst;
      }
    }
  }
}

function nodesOf(u: number): number {
  const nodes = Math.round(logNormal(u, JOBS.nodes.median, JOBS.nodes.sigma));
  return Math.min(QUARTZ.nodesMax, Math.max(QUARTZ.nodesMin, nodes));
}

/** How much one job makes up for. */
function bounded(excess: number): number {
  return Math.max(-0.5, Math.min(0.5, excess));
}

/** A third more or less. */
function varied(bytes: number, random: Random): number {
  return Math.max(1, Math.round(bytes * (0.67 + 0.66 * random.unit())));
}
