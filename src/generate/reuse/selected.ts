/** The files that the study selects, with all their runs: sequence, bytes, times, applications. */
import { Random } from "../../base/prng.ts";
import { atHour, localDay, localHour, PERIOD_HOURS, PERIOD_START } from "./calendar.ts";
import { betaOne, betaTwoTwo, EvenSpread, logNormal, noiseFactor, Weighted } from "./distributions.ts";
import { padded, type Population } from "./population.ts";
import { Placement } from "./placement.ts";
import { RecordIds } from "./record-ids.ts";
import {
  APPLICATIONS,
  BYTES,
  CLASS_SHARE,
  DATA_COV,
  DURATION,
  type FileClass,
  GAP,
  HOUR_SHARPNESS,
  INTERFACE,
  IO_TIME,
  load,
  MIN_BYTES,
  MIXED_SHARE,
  ONE_SIDED_BETA,
  PREFERRED_HOUR,
  RH_RUNS,
  RH_TOUCHED,
  RW,
  SECOND_USER,
  type Stratum,
  STRIPED_SHARE,
  STRIPES_MAX,
  TRIM,
  WH_RUNS,
} from "./scenario.ts";
import {
  addAccess,
  type FileTruth,
  type Group,
  type LayerCode,
  MPIIO,
  POSIX,
  type RunTruth,
  SELECTED,
  SHIFT_STREAM,
  STDIO,
} from "./truth.ts";

export const LOAD = Float64Array.from({ length: 24 }, (_, hour) => load(hour));
export const HOURS = new Weighted(LOAD.map((value) => value ** HOUR_SHARPNESS));

/** Dimensions of the even spread over files. */
const CLASS = 0;
const RUNS = 1;
const READS = 2;
const WRITES = 3;
const SIZE = 4;
const SPACING = 5;
const NOISY = 6;
const NOISE = 7;
const SHARING = 8;
const HOUR = 9;
const LAYER = 10;
const USER = 11;
const PHASES = 12;

const GOLDEN = (Math.sqrt(5) - 1) / 2;

/** What is known of a file before its runs are drawn. */
interface Plan {
  readonly index: number;
  readonly fileClass: FileClass;
  readonly stratum: Stratum;
  /** Evenly spread draws within the stratum. */
  u(dimension: number): number;
  /** 1 for each write run, 0 for each read run, in the order of time. */
  readonly writes: Uint8Array;
  readonly bytes: number;
}

export class SelectedFiles {
  readonly #population: Population;
  readonly #spread: EvenSpread;
  readonly #placement: Placement;
  readonly #random = new Random(0);
  readonly #ids = new RecordIds();
  readonly #counts: Record<string, number> = {};
  #runs = 0;

  constructor(population: Population) {
    this.#population = population;
    const { seed } = population.options;
    const shifts = Random.stream(seed, SHIFT_STREAM, 0);
    this.#spread = new EvenSpread(Array.from({ length: EvenSpread.dimensions }, () => shifts.unit()));
    this.#placement = new Placement(seed, population.osts);
  }

  /** All of them, a file at a time. Run numbers go on from file to file. */
  *groups(): Generator<Group> {
    const { selectedFiles, osts } = this.#population;
    for (let first = 0; first < selectedFiles; first += osts) {
      const count = Math.min(osts, selectedFiles - first);
      const plans = Array.from({ length: count }, (_, i) => this.#plan(first + i));
      const places = this.#placement.round(plans.map(({ bytes }) => bytes));
      for (let i = 0; i < count; i++) yield this.#group(plans[i] as Plan, places[i] as number);
    }
  }

  #plan(index: number): Plan {
    const fileClass = classOf(this.#spread.at(CLASS, index));
    const ofClass = this.#count(fileClass);
    let stratum: Stratum = fileClass === "RW" ? "phases" : fileClass;
    let within = ofClass;
    if (fileClass === "RW") {
      if (this.#spread.at(PHASES, ofClass) < RW.onePhase) stratum = "onePhase";
      within = this.#count(stratum);
    }
    const u = (dimension: number) => this.#spread.at(dimension, within);
    const writes = sequence(stratum, u);
    return { index, fileClass, stratum, u, writes, bytes: bytesOf(stratum, writes.length, u(SIZE)) };
  }

  /** How many came before. */
  #count(name: string, more = 1): number {
    const count = this.#counts[name] ?? 0;
    this.#counts[name] = count + more;
    return count;
  }

  #group({ index, fileClass, stratum, u, writes, bytes }: Plan, ost: number): Group {
    const { seed } = this.#population.options;
    const random = this.#random.restart(seed, SELECTED, index);
    const n = writes.length;
    const amounts = amountsOf(fileClass, n, bytes, u, random);
    const starts = startsOf(writes, u(SPACING), u(HOUR), random);
    const user = this.#population.selectedUser(index, u(USER));
    const applications = this.#applications(
      applicationCount(stratum, u(stratum === "phases" ? SPACING : SHARING)),
      n,
      user,
      random,
    );
    const layer = layerOf(n, u(LAYER));
    const ranks = 2 ** ranksPower(random);
    const [least, most] = IO_TIME.baseSeconds;
    const baseSeconds = least + random.unit() * (most - least);
    const secondUser = random.unit() < SECOND_USER;
    const file = this.#file(index, user, ost, random);
    const touched = fileClass === "RH" && random.unit() < RH_TOUCHED ? Math.floor(n / 2) : -1;
    const luck = new Float64Array(24).map(() => random.unit());
    const runs: RunTruth[] = [];
    for (let i = 0; i < n; i++) {
      const start = starts[i] as number;
      const amount = amounts[i] as number;
      const hour = localHour(start);
      const busy = LOAD[hour] as number;
      // Golden steps: two runs of one hour differ as much as two runs do on average, not by chance alone.
      luck[hour] = ((luck[hour] as number) + GOLDEN) % 1;
      const cov = IO_TIME.noise(busy) * IO_TIME.classFactor[fileClass];
      const seconds =
        baseSeconds *
        (amount / (bytes / n)) *
        (IO_TIME.busyFloor + IO_TIME.busyShare * busy) *
        noiseFactor(luck[hour] as number, cov);
      const run: RunTruth = {
        kind: SELECTED,
        number: this.#runs++,
        user: secondUser && i === n - 1 ? (user + 1) % this.#population.users : user,
        application: applications[i] as number,
        start,
        durationMs: durationOf(random.unit(), seconds),
        ranks,
        accesses: [],
      };
      const minor =
        fileClass === "RW" ? minorBytes(amount, random) : i === touched ? 65536 + random.below(4194304) : 0;
      const isWrite = writes[i] === 1;
      const read = isWrite ? minor : amount - minor;
      addAccess(run, file, layer, ranks, read, amount - read, seconds);
      runs.push(run);
    }
    return { runs, files: [file] };
  }

  #file(index: number, user: number, first: number, random: Random): FileTruth {
    const path = `/global/cscratch1/sd/user${padded(user, 5)}/data/s${padded(index, 7)}.h5`;
    this.#ids.hash(path);
    const { osts: count } = this.#population;
    const wide = random.unit() < STRIPED_SHARE;
    const width = wide ? 2 + random.below(Math.min(STRIPES_MAX, count) - 1) : 1;
    const osts = Array.from({ length: width }, (_, stripe) => (first + stripe) % count);
    return {
      path,
      idLow: this.#ids.low,
      idHigh: this.#ids.high,
      osts,
      ostText: osts.join(" "),
      accesses: [],
    };
  }

  /** The application of each run: blocks of runs of one, every application at least once. */
  #applications(count: number, n: number, user: number, random: Random): Uint32Array {
    const population = this.#population;
    const available = population.applicationsOfUser;
    const k = Math.min(count, n, available);
    // A user's files take the user's programs in turn, so that all of them are in use.
    const first = this.#count(`programs of ${user}`, k);
    const result = new Uint32Array(n);
    let introduced = 1;
    let current = 0;
    for (let i = 0; i < n; i++) {
      if (i > 0) {
        const must = n - i <= k - introduced;
        // Few runs: the last one is by another program. Many: one program after another has its turn.
        if (must || (introduced < k && n > k + 2 && i >= (n * introduced) / k)) current = introduced++;
        else if (random.unit() >= APPLICATIONS.stickiness) current = random.below(introduced);
      }
      result[i] = population.userApplication(user, (first + current) % available);
    }
    return result;
  }
}

function classOf(u: number): FileClass {
  if (u < CLASS_SHARE.RH) return "RH";
  return u < CLASS_SHARE.RH + CLASS_SHARE.WH ? "WH" : "RW";
}

function sequence(stratum: Stratum, u: (dimension: number) => number): Uint8Array {
  if (stratum === "RH" || stratum === "WH") {
    const { median, sigma, min, max } = stratum === "RH" ? RH_RUNS : WH_RUNS;
    const n = clip(Math.round(logNormal(trimmed(u(RUNS)), median, sigma)), min, max);
    return new Uint8Array(n).fill(stratum === "WH" ? 1 : 0);
  }
  let phases = 1;
  let w = 0;
  let r = 2;
  if (stratum === "onePhase") {
    w = choose(u(WRITES), RW.single.writes);
    r = choose(u(READS), RW.single.reads);
  } else {
    w = u(WRITES) < RW.oneWrite ? 1 : 2;
    const { median, sigma } = w === 1 ? RW.phases.oneWrite : RW.phases.twoWrites;
    phases = clip(Math.round(logNormal(trimmed(u(RUNS)), median, sigma)), RW.phases.min, RW.phases.max);
  }
  const writes = new Uint8Array(phases * (w + r));
  for (let p = 0; p < phases; p++) writes.fill(1, p * (w + r), p * (w + r) + w);
  return writes;
}

function choose(u: number, table: readonly (readonly [number, number])[]): number {
  let sum = 0;
  for (const [value, share] of table) if (u < (sum += share)) return value;
  return (table.at(-1) as readonly [number, number])[0];
}

function trimmed(u: number): number {
  return 0.5 + TRIM * (u - 0.5);
}

function clip(value: number, least: number, most: number): number {
  return Math.max(least, Math.min(most, value));
}

function bytesOf(stratum: Stratum, n: number, u: number): number {
  const boost = n <= BYTES.boost.runs ? BYTES.boost[stratum] : 1;
  const x = logNormal(trimmed(u), 1, BYTES.sigma);
  return Math.min(BYTES.max, Math.round(MIN_BYTES + x * boost * BYTES.scale[stratum]));
}

/** Bytes that a run on an RW file moves the other way. */
function minorBytes(amount: number, random: Random): number {
  const mixed = random.unit() < MIXED_SHARE;
  const u = random.unit();
  // Never a tie: a run is a read run or a write run.
  const x = mixed ? Math.max(0.001, betaTwoTwo(u)) : 1 - betaOne(u, ONE_SIDED_BETA);
  return Math.floor((amount * (1 - x)) / 2);
}

/** Whole bytes of each run; they add up to the bytes of the file. */
function amountsOf(
  fileClass: FileClass,
  n: number,
  bytes: number,
  u: (dimension: number) => number,
  random: Random,
): Float64Array {
  const noisy = u(NOISY) < DATA_COV.noisyShare[fileClass];
  const amounts = new Float64Array(n);
  let sum = 0;
  if (noisy) {
    const mean = DATA_COV.noisyMean[fileClass];
    const cov = logNormal(u(NOISE), mean * Math.exp(-0.5 * DATA_COV.sigma ** 2), DATA_COV.sigma);
    for (let i = 0; i < n; i++) sum += amounts[i] = noiseFactor(random.unit(), cov);
  } else {
    // Uniform noise is bounded: a quiet file stays below 5 % whatever its number of runs.
    const half = DATA_COV.quiet * u(NOISE) * Math.sqrt(3);
    for (let i = 0; i < n; i++) sum += amounts[i] = 1 + half * (2 * random.unit() - 1);
  }
  let left = bytes;
  for (let i = 0; i < n; i++) {
    const amount = i === n - 1 ? left : Math.floor((bytes * (amounts[i] as number)) / sum);
    amounts[i] = amount;
    left -= amount;
  }
  return amounts;
}

/** Start times in rising order, no two alike. */
function startsOf(writes: Uint8Array, u: number, uHour: number, random: Random): Float64Array {
  const n = writes.length;
  const spacing = logNormal(u, GAP.medianHours, GAP.sigma);
  const times = new Float64Array(n);
  let span = 0;
  for (let i = 1; i < n; i++) {
    const factor = writes[i] === 1 ? GAP.writeFactor : 1;
    span += spacing * factor * (1 + GAP.jitter * (2 * random.unit() - 1));
    times[i] = span;
  }
  const most = GAP.spanMax * PERIOD_HOURS;
  const shrink = span > most ? most / span : 1;
  const offset = random.unit() * (PERIOD_HOURS - span * shrink);
  const preferred = HOURS.pick(uHour);
  for (let i = 0; i < n; i++) {
    const day = localDay(PERIOD_START + 3600 * (offset + (times[i] as number) * shrink));
    const hour =
      random.unit() < PREFERRED_HOUR ? (preferred + random.below(3) + 23) % 24 : HOURS.pick(random.unit());
    times[i] = atHour(day, hour, random.unit() < 0.5) + random.below(3600);
  }
  times.sort();
  for (let i = 1; i < n; i++) times[i] = Math.max(times[i] as number, (times[i - 1] as number) + 1);
  return times;
}

export function durationOf(u: number, ioSeconds: number): number {
  const hours = logNormal(u, DURATION.median, DURATION.sigma);
  return Math.round(1000 * Math.max(Math.min(hours, 48) * 3600, 1.05 * ioSeconds + 10));
}

function layerOf(n: number, u: number): LayerCode {
  const { mpiio, stdio } = INTERFACE.find(({ runsMax }) => n <= runsMax) as (typeof INTERFACE)[number];
  if (u < mpiio) return MPIIO;
  return u < mpiio + stdio ? STDIO : POSIX;
}

/** Ranks are 2^k with k from 0 to 13 and a median of 6: thirteen coins. */
export function ranksPower(random: Random): number {
  let k = 0;
  for (let coin = 0; coin < 13; coin++) if (random.unit() < 6 / 13) k++;
  return k;
}

function applicationCount(stratum: Stratum, u: number): number {
  const { shared, threeOrMore, exactlyThree } = APPLICATIONS;
  if (stratum !== "phases") return u < shared[stratum] ? 2 : 1;
  if (u >= threeOrMore) return 2;
  const rest = u / threeOrMore / (1 - exactlyThree);
  return rest < 1 ? 8 - Math.floor(5 * rest) : 3;
}
