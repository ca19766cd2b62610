/**
 * One slice of the selected files: those that begin on its own stretch of OSTs. Runs meet on OSTs, and a striped file lies on
 * neighbours, so that files of some hundred OSTs on either side are played too. What a slice finds of its neighbours is kept
 * beside what it finds of its own files: whoever joins slices sees whether they agree, and so whether times are those of all runs
 * played together.
 */
import { UsageError } from "../../base/errors.ts";
import {
  type Load,
  type LoadAnswers,
  loadAnswers,
  notingClock,
  runTimes,
  sharedClock,
  slowedRuns,
} from "./contention.ts";
import type { Clock } from "./draft.ts";
import type { Population } from "./population.ts";
import { largestRemovals, plantedRemovals, type Removal } from "./removals.ts";
import { IO_TIME, STRIPES_MAX } from "./scenario.ts";
import { type PlacedFile, SelectedFiles } from "./selected.ts";
import { playTransfers, Transfers } from "./target-load.ts";
import type { Group } from "./truth.ts";

/** Slice `index` of `of`, from 1. */
export interface Slice {
  readonly index: number;
  readonly of: number;
}

/** OSTs on either side that are played too. A delay was never passed on over more than 110 (docs/cluster.md). */
const HALO = 6 * STRIPES_MAX;

const firstOst = (osts: number, { index, of }: Slice): number => Math.floor((osts * (index - 1)) / of);

/** OSTs on the ring of all of them. */
class Stretch {
  readonly first: number;
  readonly count: number;
  readonly of: number;

  constructor(first: number, count: number, of: number) {
    this.of = of;
    this.count = Math.min(count, of);
    this.first = (first + of) % of;
  }

  readonly has = (ost: number): boolean => (ost - this.first + this.of) % this.of < this.count;

  /** Whether it has one of `width` OSTs from this one on. */
  touches(ost: number, width: number): boolean {
    return this.has(ost) || ((ost - this.first + this.of) % this.of) + width > this.of;
  }

  /** With more behind it. */
  longer(by: number): Stretch {
    return new Stretch(this.first, this.count + by, this.of);
  }

  /** With more on either side. */
  wider(by: number): Stretch {
    return new Stretch(this.first - Math.min(by, this.of), this.count + 2 * by, this.of);
  }
}

/** What joining slices needs of one. Times of a run are three numbers (`RunTimes`). */
export interface SliceTimes {
  /** Of the runs of its files, in the order of their numbers. */
  readonly own: Float64Array;
  /** Of other runs on its targets, each behind the number of the run. */
  readonly neighbours: Float64Array;
  readonly slowedRuns: number;
  readonly removals: readonly Removal[];
}

/** A file that was played, its first run as number `place`. */
interface Played {
  readonly place: number;
  readonly ost: number;
  readonly width: number;
  readonly firstRun: number;
  readonly runs: number;
}

export class SelectedSlice {
  readonly times: SliceTimes;
  readonly #files: SelectedFiles;
  readonly #own: PlacedFile[] = [];

  constructor(population: Population, { index, of }: Slice, halo = HALO) {
    const { osts, slope } = population;
    const first = firstOst(osts, { index, of });
    const own = new Stretch(first, firstOst(osts, { index: index + 1, of }) - first, osts);
    // Delays that are longer than usual go further.
    const window = slope > IO_TIME.slope ? own.wider(osts) : own.wider(halo);
    this.#files = new SelectedFiles(population);
    const transfers = new Transfers();
    const noting = notingClock(transfers);
    const played: Played[] = [];
    for (const file of this.#files.placed(window.has)) {
      const { ost, firstRun } = file;
      const place = transfers.count / 2;
      const width = this.#files.show(file, noting);
      played.push({ place, ost, width, firstRun, runs: file.starts.length });
      if (own.has(ost)) this.#own.push(file);
    }
    const times = playTransfers(transfers, osts, slope);
    const ours: Played[] = [];
    const neighbours: number[] = [];
    const targets = own.longer(STRIPES_MAX);
    for (const file of played) {
      if (own.has(file.ost)) ours.push(file);
      else if (targets.touches(file.ost, file.width))
        for (let i = 0; i < file.runs; i++)
          neighbours.push(file.firstRun + i, ...runTimes(times, file.place + i));
    }
    const all = new Float64Array(3 * ours.reduce((sum, { runs }) => sum + runs, 0));
    let at = 0;
    let slowed = 0;
    for (const { place, runs } of ours) {
      slowed += slowedRuns(transfers, times, place, place + runs);
      for (let i = 0; i < runs; i++, at += 3) all.set(runTimes(times, place + i), at);
    }
    const fileOf = (run: number) => played[greatestUpTo(played, run)] as Played;
    const numberOf = (run: number) => {
      const { place, firstRun } = fileOf(run);
      return firstRun + run - place;
    };
    const removals = plantedRemovals(transfers, times, osts, slope, (run) => own.has(fileOf(run).ost));
    this.times = {
      own: all,
      neighbours: Float64Array.from(neighbours),
      slowedRuns: slowed,
      removals: removals.map(({ run, blame, changed }) => ({
        ...{ run: numberOf(run), blame },
        changed: changed.map((one) => ({ ...one, run: numberOf(one.run) })),
      })),
    };
  }

  /** Its files, each with all its runs. */
  *groups(): Generator<Group> {
    const clock = sharedClock(timesIn(this.times.own));
    let place = 0;
    for (const file of this.#own) {
      yield this.#files.group(file, clock, place);
      place += file.starts.length;
    }
  }
}

const timesIn = (numbers: Float64Array) => (run: number) =>
  [numbers[3 * run], numbers[3 * run + 1], numbers[3 * run + 2]] as [number, number, number];

/** The last one that begins at or before this place. */
function greatestUpTo(played: readonly Played[], place: number): number {
  let [low, high] = [0, played.length - 1];
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if ((played[middle] as Played).place <= place) low = middle;
    else high = middle - 1;
  }
  return low;
}

const DISAGREE =
  "the slices disagree on the times of runs that overlap across slices; generate the centre in fewer slices";

/** Numbers that slices left, one after the other. */
export interface SliceReader extends Pick<SliceTimes, "slowedRuns" | "removals"> {
  /** The next of `own`, and of `neighbours`; not a number at the end. */
  own(): number;
  neighbour(): number;
}

/**
 * Load of a whole centre from its slices. Runs are asked for in the order of their numbers. Each slice has played its neighbours'
 * runs, too: where all agree, no meeting was left out, and times are those of all runs played together.
 */
export class JoinedLoad implements Load {
  readonly clock: Clock;
  readonly #population: Population;
  readonly #slices: readonly SliceReader[];

  constructor(population: Population, slices: readonly SliceReader[]) {
    const { osts } = population;
    this.#population = population;
    this.#slices = slices;
    const sliceOf = new Uint32Array(osts);
    for (let index = 1; index <= slices.length; index++)
      sliceOf.fill(index - 1, firstOst(osts, { index, of: slices.length }));
    const next = slices.map((slice) => slice.neighbour());
    let soonest = Math.min(...next.filter((number) => !Number.isNaN(number)));
    const times: [number, number, number] = [0, 0, 0];
    const timed = sharedClock(() => times);
    this.clock = (number, draft) => {
      const own = slices[sliceOf[draft.first] as number] as SliceReader;
      for (let i = 0; i < 3; i++) times[i] = own.own();
      if (number === soonest) {
        for (const [k, slice] of slices.entries()) {
          if (next[k] !== number) continue;
          for (const time of times) if (slice.neighbour() !== time) throw new UsageError(DISAGREE);
          next[k] = slice.neighbour();
        }
        soonest = Math.min(...next.filter((number) => !Number.isNaN(number)));
      }
      return timed(number, draft);
    };
  }

  answers(): LoadAnswers {
    const slowed = this.#slices.reduce((sum, { slowedRuns }) => sum + slowedRuns, 0);
    return loadAnswers(
      this.#population,
      slowed,
      largestRemovals(this.#slices.flatMap(({ removals }) => removals)),
    );
  }
}
