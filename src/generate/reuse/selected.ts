/** The files that the study selects, with all their runs: bytes, I/O times, applications. */
import { Random } from "../../base/prng.ts";
import { betaOne, betaTwoTwo, logNormal, noiseFactor, variedFactors } from "./distributions.ts";
import type { Clock } from "./draft.ts";
import { MERGED_FILES, mergedGroups } from "./merged-runs.ts";
import { Placement } from "./placement.ts";
import { type Noise, type Plan, Planner } from "./plans.ts";
import { padded, type Population } from "./population.ts";
import { RecordIds } from "./record-ids.ts";
import {
  APPLICATIONS,
  DURATION,
  INTERFACE,
  IO_TIME,
  MIXED_SHARE,
  ONE_SIDED_BETA,
  RH_TOUCHED,
  SECOND_USER,
  type Stratum,
  STRIPED_SHARE,
  STRIPES_MAX,
} from "./scenario.ts";
import { SiteLoad } from "./site-load.ts";
import { StartTimes } from "./starts.ts";
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

/** A file as far as it hangs on the files before it. All else is drawn from its own random numbers. */
export interface PlacedFile {
  readonly plan: Plan;
  readonly ost: number;
  readonly user: number;
  /** Which of its user's programs use it. */
  readonly programs: { readonly first: number; readonly count: number };
  readonly starts: Uint32Array;
  /** Number of its first run. */
  readonly firstRun: number;
  /** Where its draws go on. */
  readonly random: Random;
}

/** What all runs of a file have in common, and the random numbers of its runs. */
interface Drawn {
  readonly amounts: Float64Array;
  readonly applications: Uint32Array;
  readonly ranks: number;
  readonly secondUser: boolean;
  readonly osts: readonly number[];
  readonly rate: number;
  /** The read run that also writes a little; -1: none. */
  readonly touched: number;
  readonly random: Random;
}

export class SelectedFiles {
  readonly #population: Population;
  readonly #planner: Planner;
  readonly #starts: StartTimes;
  readonly #placement: Placement;
  readonly #random = new Random(0);
  readonly #ids = new RecordIds();
  /** Programs that each user's files have taken so far. */
  readonly #programs: Uint32Array;
  readonly #load: SiteLoad;
  #runs = 0;

  constructor(population: Population) {
    this.#population = population;
    const { seed, interArrival } = population.options;
    this.#load = new SiteLoad(seed);
    const shifts = Random.stream(seed, SHIFT_STREAM, 0);
    this.#starts = new StartTimes(shifts);
    this.#planner = new Planner(shifts, interArrival ?? "spread");
    this.#placement = new Placement(seed, population.osts);
    this.#programs = new Uint32Array(population.users);
  }

  /** All of them, a file at a time. Run numbers go on from file to file. */
  *groups(clock: Clock): Generator<Group> {
    const filesPerRun = this.#population.options.filesPerRun ?? 1;
    if (filesPerRun === 1) {
      yield* this.files(clock);
      return;
    }
    let waiting: Group[] = [];
    let runs = 0;
    for (const group of this.files(clock)) {
      waiting.push(group);
      // Files are looked at in whole rounds (see `placed`).
      if (waiting.length < MERGED_FILES || waiting.length % this.#population.osts !== 0) continue;
      yield* mergedGroups(waiting, filesPerRun, () => runs++);
      waiting = [];
    }
    yield* mergedGroups(waiting, filesPerRun, () => runs++);
  }

  /** A file with all its runs at a time, whatever runs touch together. */
  *files(clock: Clock): Generator<Group> {
    for (const file of this.placed()) yield this.group(file, clock);
  }

  /**
   * Files on the OSTs that are wanted, as far as each hangs on those before it: place, starts, programs. The others are passed
   * over, with what the next ones hang on. As many files as there are OSTs are placed together.
   */
  *placed(isWanted: (ost: number) => boolean = () => true): Generator<PlacedFile> {
    const { selectedFiles, osts } = this.#population;
    for (let first = 0; first < selectedFiles; first += osts) {
      const count = Math.min(osts, selectedFiles - first);
      const plans = Array.from({ length: count }, (_, i) => this.#planner.plan(first + i));
      const places = this.#placement.round(plans.map(({ bytes }) => bytes));
      for (const [i, plan] of plans.entries()) {
        const ost = places[i] as number;
        const { user, programs } = this.#programsOf(plan);
        const random = this.#random.restart(this.#population.options.seed, SELECTED, plan.index);
        const runs = plan.writes.length;
        random.skip(2 * runs);
        if (isWanted(ost)) {
          const starts = Uint32Array.from(this.#starts.of(plan, random));
          yield {
            plan,
            ost,
            user,
            programs,
            starts,
            firstRun: this.#runs,
            random: new Random(0).become(random),
          };
        } else this.#starts.pass(plan, random);
        this.#runs += runs;
      }
    }
  }

  /** The user, and the programs that the file takes of those of its user. */
  #programsOf({
    index,
    stratum,
    spacing,
    sharing,
    user: u,
    writes,
  }: Plan): Pick<PlacedFile, "user" | "programs"> {
    const user = this.#population.selectedUser(index, u);
    const wanted = applicationCount(stratum, stratum === "phases" ? spacing : sharing);
    const count = Math.min(wanted, writes.length, this.#population.applicationsOfUser);
    // A user's files take the user's programs in turn, so that all of them are in use.
    const first = this.#programs[user] as number;
    this.#programs[user] = first + count;
    return { user, programs: { first, count } };
  }

  /** A file with its runs; the times of its run i are those of number `place` + i of the clock. */
  group(placed: PlacedFile, clock: Clock, place = placed.firstRun): Group {
    const { plan, user, starts, firstRun } = placed;
    const drawn = this.#draw(placed);
    const { applications, ranks, secondUser, osts } = drawn;
    const n = starts.length;
    const layer = layerOf(n, plan.layer);
    const file = this.#file(plan.index, user, osts);
    const runs: RunTruth[] = [];
    this.#eachRun(placed, drawn, clock, place, (i, read, written, times) => {
      const run: RunTruth = {
        kind: SELECTED,
        number: firstRun + i,
        user: secondUser && i === n - 1 ? (user + 1) % this.#population.users : user,
        application: applications[i] as number,
        start: starts[i] as number,
        durationMs: times.durationMs,
        ranks,
        accesses: [],
      };
      addAccess(run, file, layer, ranks, read, written, times);
      runs.push(run);
    });
    return { runs, files: [file] };
  }

  /** Shows its runs to a clock, and nothing more; gives the number of its OSTs. */
  show(placed: PlacedFile, clock: Clock): number {
    const drawn = this.#draw(placed);
    this.#eachRun(placed, drawn, clock, 0, () => {});
    return drawn.osts.length;
  }

  #draw(placed: PlacedFile): Drawn {
    const { plan, ost } = placed;
    const { index, fileClass, writes, bytes } = plan;
    const n = writes.length;
    const amounts = amountsOf(
      plan.noise,
      n,
      bytes,
      this.#random.restart(this.#population.options.seed, SELECTED, index),
    );
    const random = this.#random.become(placed.random);
    const applications = this.#applications(placed, n, random);
    const ranks = 2 ** ranksPower(random);
    const [least, most] = IO_TIME.baseSeconds;
    const baseSeconds = least + random.unit() * (most - least);
    const secondUser = random.unit() < SECOND_USER;
    const osts = this.#osts(ost, random);
    const rate = Math.min(bytes / n / baseSeconds, IO_TIME.ownShareMost * IO_TIME.ostRate * osts.length);
    const touched = fileClass === "RH" && random.unit() < RH_TOUCHED ? Math.floor(n / 2) : -1;
    return { amounts, applications, ranks, secondUser, osts, rate, touched, random };
  }

  #eachRun(
    { plan: { fileClass, writes }, ost, starts }: PlacedFile,
    { amounts, osts, rate, touched, random }: Drawn,
    clock: Clock,
    place: number,
    take: (i: number, read: number, written: number, times: ReturnType<Clock>) => void,
  ): void {
    const width = osts.length;
    for (let i = 0; i < starts.length; i++) {
      const start = starts[i] as number;
      const amount = amounts[i] as number;
      const slowness = this.#load.factor(start, fileClass) * noiseFactor(random.unit(), IO_TIME.noise);
      const alone = Math.max((amount / rate) * slowness, amount / (IO_TIME.ostRate * width));
      const drawnMs = durationOf(random.unit(), alone);
      const minor =
        fileClass === "RW" ? minorBytes(amount, random) : i === touched ? 65536 + random.below(4194304) : 0;
      const read = writes[i] === 1 ? minor : amount - minor;
      const readShare = read / amount;
      const draft = { start, drawnMs, alone, readShare, bytes: amount, first: ost, width };
      take(i, read, amount - read, clock(place + i, draft));
    }
  }

  #osts(first: number, random: Random): number[] {
    const { osts: count } = this.#population;
    const wide = random.unit() < STRIPED_SHARE;
    const width = wide ? 2 + random.below(Math.min(STRIPES_MAX, count) - 1) : 1;
    return Array.from({ length: width }, (_, stripe) => (first + stripe) % count);
  }

  #file(index: number, user: number, osts: readonly number[]): FileTruth {
    const path = `/global/cscratch1/sd/user${padded(user, 5)}/data/s${padded(index, 7)}.h5`;
    this.#ids.hash(path);
    const { low: idLow, high: idHigh } = this.#ids;
    return { path, idLow, idHigh, osts, ostText: osts.join(" "), accesses: [] };
  }

  /** The application of each run: blocks of runs of one, every application at least once. */
  #applications({ user, programs }: PlacedFile, n: number, random: Random): Uint32Array {
    const population = this.#population;
    const available = population.applicationsOfUser;
    const { first, count: k } = programs;
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

/** Bytes that a run on an RW file moves the other way. */
function minorBytes(amount: number, random: Random): number {
  const mixed = random.unit() < MIXED_SHARE;
  const u = random.unit();
  // Never a tie: a run is a read run or a write run.
  const x = mixed ? Math.max(0.001, betaTwoTwo(u)) : 1 - betaOne(u, ONE_SIDED_BETA);
  return Math.floor((amount * (1 - x)) / 2);
}

/** Whole bytes of each run; they add up to the bytes of the file. */
function amountsOf({ noisy, cov }: Noise, n: number, bytes: number, random: Random): Float64Array {
  const amounts = new Float64Array(n);
  if (noisy) variedFactors(amounts, 0, n, cov, random);
  // Uniform noise is bounded: a quiet file stays below 5 % whatever its number of runs.
  else for (let i = 0; i < n; i++) amounts[i] = 1 + cov * Math.sqrt(3) * (2 * random.unit() - 1);
  let sum = 0;
  for (let i = 0; i < n; i++) sum += amounts[i] as number;
  let left = bytes;
  for (let i = 0; i < n; i++) {
    const amount = i === n - 1 ? left : Math.floor((bytes * (amounts[i] as number)) / sum);
    amounts[i] = amount;
    left -= amount;
  }
  return amounts;
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
