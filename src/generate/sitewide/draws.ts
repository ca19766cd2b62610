/** What the jobs of a cluster do, drawn from quotas over the whole cluster. */
import { normalQuantile } from "../../base/normal.ts";
import { logNormal, type Weighted, zipf } from "../reuse/index.ts";
import { BetaQuantiles, medianForMean, quotas, Shuffle } from "./quota.ts";
import { type ClusterModel, JOBS, METADATA } from "./scenario.ts";
import { scaled } from "./site.ts";

type MetadataName = keyof typeof METADATA;
const METADATA_NAMES = Object.keys(METADATA) as MetadataName[];

/** Kinds of jobs, in the order of their quotas. */
export const NOTHING = 0;
export const ONLY_METADATA = 1;
export const ONLY_READS = 2;
export const WRITES = 3;

/** Places of the jobs of one kind, and where short, mid and long ones end. */
interface Durations {
  readonly shuffle: Shuffle;
  readonly ends: readonly number[];
}

interface Noise {
  readonly shuffle: Shuffle;
  readonly deviation: number;
}

export class ClusterDraws {
  readonly model: ClusterModel;
  readonly jobs: number;
  readonly users: number;
  readonly writers: number;
  /** Median bytes of jobs that write, and the most that one writes. */
  readonly #writtenMedian: number;
  readonly writtenMax: number;
  /** From this place on, jobs write more than the mean of all jobs. */
  readonly #heavyFrom: number;
  readonly #perCallMax: number;
  readonly #heavyPerCall: number;
  readonly #lightPerCall: number;
  readonly #ends: readonly number[];
  readonly #kinds: Shuffle;
  readonly #nodes: Shuffle;
  readonly #users: Shuffle;
  readonly #popularity: Weighted;
  readonly #durations: readonly Durations[];
  readonly #long: BetaQuantiles;
  readonly #written: Shuffle;
  readonly #heavyCalls: Shuffle;
  readonly #lightCalls: Shuffle;
  readonly #noise: readonly Noise[];
  readonly #readShares: Float64Array;
  #keptCalls: Float64Array | undefined;
  /** Set by `kind`: its place among the jobs of its kind. */
  #kind = NOTHING;
  #member = 0;
  /** Set by `written`. */
  #place = 0;

  constructor(model: ClusterModel, users: number, scale: number, seed: number) {
    this.model = model;
    this.jobs = scaled(model.jobs, scale, 20);
    this.users = users;
    const { withIo, readOnly, metadataOnly } = JOBS;
    const shares = [
      (1 - withIo) * (1 - metadataOnly),
      (1 - withIo) * metadataOnly,
      withIo * readOnly,
      withIo * (1 - readOnly),
    ];
    this.#ends = quotas(this.jobs, shares);
    this.writers = this.jobs - (this.#ends[ONLY_READS] as number);
    let kind = model.firstUser;
    const shuffle = (size: number) => new Shuffle(Math.max(1, size), seed, kind++);
    this.#kinds = shuffle(this.jobs);
    this.#nodes = shuffle(this.jobs);
    this.#users = shuffle(this.jobs);
    this.#popularity = zipf(this.users, JOBS.zipf);
    this.#durations = this.#durationQuotas(shuffle);
    this.#long = new BetaQuantiles(1, model.duration.longBeta);

    const meanOfWriters = (model.written.mean * this.jobs) / this.writers;
    this.writtenMax = Math.max(
      model.written.max * Math.min(1, scale),
      Math.min(model.written.max, JOBS.writtenMaxOverMean * meanOfWriters),
    );
    this.#writtenMedian = medianForMean(
      this.writers,
      JOBS.writtenSigma,
      meanOfWriters,
      model.written.min,
      this.writtenMax,
    );
    this.#written = shuffle(this.writers);
    this.#heavyFrom = this.#firstBeyond(model.written.mean);
    const heavy = this.writers - this.#heavyFrom;
    this.#heavyCalls = shuffle(heavy);
    this.#lightCalls = shuffle(this.#heavyFrom);
    const { mean } = model.perCall;
    this.#perCallMax = model.perCall.max * Math.min(1, scale);
    const widening = Math.exp(JOBS.perCallSigma ** 2 / 2);
    this.#heavyPerCall = mean * Math.exp(-JOBS.perCallSigma * normalQuantile(model.inefficient));
    // The others make up for what heavy jobs have more, and for calls that cannot be larger than the whole.
    const ofHeavy = (heavy * this.#heavyPerCall * widening) / this.writers;
    this.#lightPerCall = ((PER_CALL_LOSS * mean - ofHeavy) * this.writers) / (this.#heavyFrom * widening);

    const deviation = this.#deviationOfLog();
    this.#noise = METADATA_NAMES.map((name) => {
      const { b, r } = METADATA[name];
      return { shuffle: shuffle(this.writers), deviation: b * deviation * Math.sqrt(1 / r ** 2 - 1) };
    });
    const beta = new BetaQuantiles(JOBS.readShare.a, JOBS.readShare.a);
    const { least } = JOBS.readShare;
    const places = shuffle(this.users);
    this.#readShares = Float64Array.from({ length: this.users }, (_, user) =>
      Math.min(1 - least, Math.max(least, beta.at(places.unit(user)))),
    );
  }

  #durationQuotas(shuffle: (size: number) => Shuffle) {
    const { shares, sharesWithIo } = this.model.duration;
    const others = shares.map(
      (share, i) => (share - JOBS.withIo * (sharesWithIo[i] as number)) / (1 - JOBS.withIo),
    );
    return this.#ends.map((end, kind) => {
      const size = end - (this.#ends[kind - 1] ?? 0);
      return { shuffle: shuffle(size), ends: quotas(size, kind >= ONLY_READS ? sharesWithIo : others) };
    });
  }

  /** NOTHING to WRITES; `hours` and `written` are of the job that was asked for last. */
  kind(job: number): number {
    const place = this.#kinds.at(job);
    let kind = NOTHING;
    while (place >= (this.#ends[kind] as number)) kind++;
    this.#kind = kind;
    this.#member = place - (this.#ends[kind - 1] ?? 0);
    return kind;
  }

  hours(): number {
    const { shuffle, ends } = this.#durations[this.#kind] as Durations;
    const place = shuffle.at(this.#member);
    const [short = 0, mid = 0, all = 0] = ends;
    if (place < short)
      return logNormal((place + 0.5) / short, this.model.duration.shortMedian, JOBS.shortSigma);
    if (place < mid) return this.#midHours((place - short + 0.5) / (mid - short));
    return JOBS.long.least + JOBS.long.span * this.#long.at((place - mid + 0.5) / (all - mid));
  }

  /** Quantiles of the part below two hours. */
  #midHours(u: number): number {
    return logNormal(u * MID_PART, JOBS.mid.median, JOBS.mid.sigma);
  }

  nodes(job: number): number {
    const { nodesMin, nodesMax } = this.model;
    const nodes = Math.round(logNormal(this.#nodes.unit(job), JOBS.nodes.median, JOBS.nodes.sigma));
    return Math.min(nodesMax, Math.max(nodesMin, nodes));
  }

  user(job: number): number {
    return this.#popularity.pick(this.#users.unit(job));
  }

  readShare(user: number): number {
    return this.#readShares[user] as number;
  }

  written(): number {
    this.#place = this.#written.at(this.#member);
    return this.#place === 0 ? this.model.written.min : this.#writtenAt(this.#place);
  }

  #writtenAt(place: number): number {
    const bytes = logNormal((place + 0.5) / this.writers, this.#writtenMedian, JOBS.writtenSigma);
    return Math.round(Math.min(this.writtenMax, Math.max(this.model.written.min, bytes)));
  }

  #firstBeyond(bytes: number): number {
    let low = 0;
    for (let high = this.writers; low < high; ) {
      const middle = (low + high) >>> 1;
      if (this.#writtenAt(middle) > bytes) high = middle;
      else low = middle + 1;
    }
    return Math.min(low, this.writers - 1);
  }

  /** Jobs that write more than the mean of all, and the place among them of the one asked for last; below 0 for others. */
  get heavyJobs(): number {
    return this.writers - this.#heavyFrom;
  }
  get heavyPlace(): number {
    return this.#place - this.#heavyFrom;
  }

  /** From now on heavy jobs have these bytes per call, by place. */
  keepHeavyCalls(perCall: Float64Array): void {
    this.#keptCalls = perCall;
  }

  /** Bytes per call of the job whose bytes were asked for last. */
  perCall(): number {
    const heavy = this.heavyPlace;
    if (this.#place === this.writers - 1) return Math.min(this.#perCallMax, this.writtenMax);
    if (heavy >= 0)
      return (
        this.#keptCalls?.[heavy] ??
        logNormal(this.#heavyCalls.unit(heavy), this.#heavyPerCall, JOBS.perCallSigma)
      );
    return logNormal(this.#lightCalls.unit(this.#place), this.#lightPerCall, JOBS.perCallSigma);
  }

  /** Calls of one kind for this many bytes, by the job that was asked for last. */
  metadata(which: number, bytes: number): number {
    const { a, b } = METADATA[METADATA_NAMES[which] as MetadataName];
    const { shuffle, deviation } = this.#noise[which] as Noise;
    const logarithm = a + b * Math.log10(1 + bytes) + deviation * normalQuantile(shuffle.unit(this.#member));
    return Math.max(0, Math.round(10 ** logarithm - 1));
  }

  #deviationOfLog(): number {
    let sum = 0;
    let squares = 0;
    const step = Math.max(1, Math.floor(this.writers / 20_000));
    let count = 0;
    for (let place = 0; place < this.writers; place += step, count++) {
      const x = Math.log10(1 + this.#writtenAt(place));
      sum += x;
      squares += x * x;
    }
    return Math.sqrt(squares / count - (sum / count) ** 2);
  }
}

/** Part of the mid-length distribution that is below two hours: Φ(ln(2 / 0.25) / 0.9). */
const MID_PART = 0.98957;
/** Calibrated: some calls are cut to the bytes of their job. */
const PER_CALL_LOSS = 1.015;
