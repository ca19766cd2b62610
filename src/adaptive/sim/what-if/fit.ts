/**
 * A storage model from recorded runs: a rate per target, a limit per program and direction, and what sharing costs; or the
 * own rate of files, the load of each hour and what others on the same targets cost (hour-load.ts), where that predicts
 * runs better that it has not seen. What is chosen is chosen on four fifths of the runs; the error is told of the fifth
 * that was held out.
 */
import { assert } from "../../../base/assert.ts";
import { quantile, sorted } from "../../../base/statistics.ts";
import { fitHourLoad } from "./hour-load.ts";
import { replayRuns, type StorageFit } from "./fluid.ts";
import type { RecordedRun, Transfer } from "./recorded.ts";
import { type Placed, placed, recordedSeconds } from "./schedule.ts";

export interface FittedStorage extends StorageFit {
  /** Targets with a rate of their own. */
  readonly targets: readonly number[];
  /** Rate of a target that has too few transfers: the median of the others. */
  readonly usualRate: number;
  /** Which quantile of a program's own rates its limit is. */
  readonly limitQuantile: number;
  /** What one rank of these runs reached, for questions about other ways to write. */
  readonly rankRate: number;
  /** By how much longer transfers take that start then; only where hours differ. */
  readonly loadAt?: ((at: number) => number) | undefined;
}

interface FitError {
  /** Relative errors of predicted against recorded I/O times: |predicted / recorded - 1|. */
  readonly median: number;
  readonly p90: number;
  /** Predicted over recorded, median: how the errors lean. */
  readonly lean: number;
  /** The median error if no run met another: what sharing explains lies between the two. */
  readonly alone: number;
  readonly runs: number;
  /** The same of those runs alone that others slow down in the replay, by 5 % and more. */
  readonly met: { readonly runs: number; readonly median: number; readonly alone: number };
}

export interface Fit {
  readonly storage: FittedStorage;
  /** On runs that were held out. */
  readonly error: FitError;
  readonly runs: number;
  readonly transfers: number;
}

/** Of busy time: above it lie caches and clocks that are too coarse. */
const RATE_QUANTILE = 0.95;
/** Fewer transfers do not tell a target, or a program, from the others. */
const TARGET_LEAST = 5;
const PROGRAM_LEAST = 3;
/** A file that a program comes back to: its layout and pattern are its own, and so is its rate. */
const FILE_LEAST = 2;
const LIMIT_QUANTILES = [1, 0.9, 0.75, 0.5] as const;
const LOSSES = [0, 0.05, 0.2] as const;
const HELD_OUT = 5n;

/** Fewer runs do not decide between two models, and the larger one has to be better by this. */
const DECIDING_LEAST = 10;
const BETTER = 0.95;
const isDeciding = ({ id }: RecordedRun): boolean => BigInt(id) % HELD_OUT === 1n;

export const isHeldOut = ({ id }: RecordedRun): boolean => BigInt(id) % HELD_OUT === 0n;

/** Bytes per second of targets at which nobody ever waits for another. */
const UNSHARED = 1e18;

/** A fit replays its runs several times; more of them would only take time. Loads of hours need none. */
const TRANSFERS_MOST = 4000;
export const HOURS_TRANSFERS_MOST = 16_000;

/** The runs nearest to a time, up to what a fit looks at, by start. */
export function nearestRuns(
  runs: readonly RecordedRun[],
  centre: number,
  most = TRANSFERS_MOST,
): RecordedRun[] {
  const distance = ({ start, end }: RecordedRun) => Math.max(0, start - centre, centre - end);
  const kept: RecordedRun[] = [];
  let transfers = 0;
  for (const run of runs.toSorted((a, b) => distance(a) - distance(b) || a.start - b.start)) {
    transfers += run.reads.length + run.writes.length;
    if (transfers > most && kept.length > 0) break;
    kept.push(run);
  }
  return kept.sort((a, b) => a.start - b.start || (a.id < b.id ? -1 : 1));
}

type Learn = (runs: readonly RecordedRun[]) => FittedStorage;

/**
 * Chooses by the training runs, judges by the others, and then learns from all. Loads of hours are learnt from `wide`, which
 * holds `runs` and more: that needs no replay.
 */
export function fitStorage(runs: readonly RecordedRun[], wide = runs): Fit {
  const training = runs.filter((run) => !isHeldOut(run));
  const learnFrom = training.length === 0 || training.length === runs.length ? runs : training;
  const judgedBy = learnFrom === runs ? runs : runs.filter(isHeldOut);
  const learn = choose(runs, wide, learnFrom);
  const storage = learn(learnFrom);
  return {
    storage: learn(runs),
    error: errorOf(runs, new Set(judgedBy), storage),
    runs: runs.length,
    transfers: runs.reduce((sum, { reads, writes }) => sum + reads.length + writes.length, 0),
  };
}

/** Hours have a load each, so that they explain by themselves what they are fitted to: other runs of the training set decide. */
function choose(
  runs: readonly RecordedRun[],
  wide: readonly RecordedRun[],
  learnFrom: readonly RecordedRun[],
): Learn {
  const constant = chooseConstant(runs, learnFrom);
  const known = new Set(runs.map(({ id }) => id));
  const deciding = learnFrom.filter(isDeciding);
  const rest = learnFrom.filter((run) => !isDeciding(run));
  if (deciding.length < DECIDING_LEAST || rest.length === 0) return constant;
  const loss = (learn: Learn) => trainingLoss(runs, new Set(deciding), learn(rest));
  const others = wide.filter((run) => !known.has(run.id) && !isHeldOut(run));
  const withHours: Learn = (from) => learnWithHours(from, [...from, ...others]);
  return loss(withHours) < loss(constant) * BETTER - 1e-9 ? withHours : constant;
}

/** Hours alike: which quantile is a program's limit, and what each further stream costs. */
function chooseConstant(runs: readonly RecordedRun[], learnFrom: readonly RecordedRun[]): Learn {
  let best: { loss: number; lossPerStream: number; limitQuantile: number } | undefined;
  const consider = (lossPerStream: number, limitQuantile: number): void => {
    const storage = learn(learnFrom, lossPerStream, limitQuantile);
    const loss = trainingLoss(runs, new Set(learnFrom), storage);
    // Between equals the simpler one, which comes first.
    if (best === undefined || loss < best.loss * 0.999 - 1e-9) best = { loss, lossPerStream, limitQuantile };
  };
  const [noLoss, ...losses] = LOSSES;
  for (const limitQuantile of LIMIT_QUANTILES) consider(noLoss, limitQuantile);
  const { limitQuantile } = best as unknown as { limitQuantile: number };
  for (const lossPerStream of losses) consider(lossPerStream, limitQuantile);
  const chosen = best as unknown as { lossPerStream: number; limitQuantile: number };
  return (from) => learn(from, chosen.lossPerStream, chosen.limitQuantile);
}

/** Predicted over recorded I/O time of the chosen runs, with the load of all. */
function ratios(
  runs: readonly RecordedRun[],
  chosen: ReadonlySet<RecordedRun>,
  storage: StorageFit,
): number[] {
  return replayRuns(runs, storage).runs.flatMap(({ run, read, write }) =>
    chosen.has(run) ? [(read + write) / recordedSeconds(run)] : [],
  );
}

/** One wild run must not decide. */
const LOSS_MOST = 2;

function trainingLoss(
  runs: readonly RecordedRun[],
  chosen: ReadonlySet<RecordedRun>,
  storage: StorageFit,
): number {
  const all = ratios(runs, chosen, storage).map((ratio) => Math.min(LOSS_MOST, Math.abs(Math.log(ratio))));
  return all.reduce((sum, one) => sum + one, 0) / all.length;
}

/** Others that slow a run down by less do not tell whether they are modelled well. */
const MET_LEAST = 1.05;

function errorOf(
  runs: readonly RecordedRun[],
  chosen: ReadonlySet<RecordedRun>,
  storage: StorageFit,
): FitError {
  const all = ratios(runs, chosen, storage);
  const apart = ratios(runs, chosen, {
    ...storage,
    ...{ rate: () => UNSHARED, lossPerStream: 0, slope: 0 },
  });
  const medianOf = (values: readonly number[], share = 0.5) =>
    quantile(sorted(values.map((ratio) => Math.abs(ratio - 1))), share);
  const met = all.flatMap((ratio, i) => (ratio >= MET_LEAST * (apart[i] as number) ? [i] : []));
  return {
    median: medianOf(all),
    p90: medianOf(all, 0.9),
    lean: quantile(sorted(all), 0.5),
    alone: medianOf(apart),
    runs: all.length,
    met: {
      runs: met.length,
      median: medianOf(met.map((i) => all[i] as number)),
      alone: medianOf(met.map((i) => apart[i] as number)),
    },
  };
}

function learn(runs: readonly RecordedRun[], lossPerStream: number, limitQuantile: number): FittedStorage {
  const all = runs.flatMap(placed);
  const rates = targetRates(all, lossPerStream);
  const usualRate = quantile(sorted([...rates.values()]), 0.5);
  assert(usualRate > 0, "targets that moved bytes have a rate");
  const limits = limitsOf(all, limitQuantile);
  const rankRates = sorted(all.map(({ transfer }) => transfer.bytes / transfer.seconds / transfer.ranks));
  return {
    rate: (target) => rates.get(target) ?? usualRate,
    limit: (run, transfer) =>
      limits.get(fileKey(run, transfer)) ??
      limits.get(programKey(run, transfer)) ??
      (limits.get(directionKey(transfer)) as number),
    lossPerStream,
    targets: [...rates.keys()].sort((a, b) => a - b),
    usualRate,
    limitQuantile,
    rankRate: quantile(rankRates, RATE_QUANTILE),
  };
}

/** Loads of hours, and targets that give what any of them was seen to give. */
function learnWithHours(runs: readonly RecordedRun[], wide: readonly RecordedRun[]): FittedStorage {
  const all = wide.flatMap(placed);
  const { rate, slope, loadAt } = fitHourLoad(all);
  const peak = all.reduce(
    (most, { transfer: { bytes, seconds, targets } }) => Math.max(most, bytes / seconds / targets.length),
    0,
  );
  const base = learn(runs, 0, 1);
  return {
    ...base,
    ...{ rate: () => peak, usualRate: peak, limit: rate, slope, loadAt },
  };
}

/** Bytes per busy second of each target, at a high quantile of its busy time. */
function targetRates(all: readonly Placed[], lossPerStream: number): Map<number, number> {
  const byTarget = new Map<number, Placed[]>();
  for (const one of all)
    for (const target of one.transfer.targets) {
      const list = byTarget.get(target);
      if (list === undefined) byTarget.set(target, [one]);
      else list.push(one);
    }
  const rates = new Map<number, number>();
  const few = new Map<number, Placed[]>();
  for (const [target, list] of byTarget)
    if (list.length >= TARGET_LEAST) rates.set(target, busyQuantile(list, lossPerStream));
    else few.set(target, list);
  // Where no target has enough, each has what it showed.
  if (rates.size === 0)
    for (const [target, list] of few) rates.set(target, busyQuantile(list, lossPerStream));
  return rates;
}

/**
 * A busy period is a time in which at least one transfer is under way. What it moved over its length is the target's rate
 * if the target was the limit, however the transfers shared it within.
 */
function busyQuantile(list: readonly Placed[], lossPerStream: number): number {
  const changes = list.flatMap(({ transfer, start, end }) => [
    { at: start, bytes: transfer.bytes / transfer.targets.length, count: 1 },
    { at: end, bytes: 0, count: -1 },
  ]);
  // At equal times starts come first, so that what touches is one period.
  changes.sort((a, b) => a.at - b.at || b.count - a.count);
  const periods: { rate: number; seconds: number }[] = [];
  let [since, count, bytes, seconds, useful] = [0, 0, 0, 0, 0];
  for (const change of changes) {
    if (count > 0) {
      seconds += change.at - since;
      useful += (change.at - since) / (1 + lossPerStream * (count - 1));
    }
    since = change.at;
    count += change.count;
    assert(count >= 0, "a transfer ends after it starts");
    bytes += change.bytes;
    if (count > 0) continue;
    if (useful > 0) periods.push({ rate: bytes / useful, seconds });
    [bytes, seconds, useful] = [0, 0, 0];
  }
  assert(count === 0, "every transfer that starts ends");
  return weightedQuantile(periods, RATE_QUANTILE);
}

function weightedQuantile(periods: { rate: number; seconds: number }[], share: number): number {
  periods.sort((a, b) => a.rate - b.rate);
  const all = periods.reduce((sum, { seconds }) => sum + seconds, 0);
  let below = 0;
  for (const { rate, seconds } of periods) {
    below += seconds;
    if (below >= share * all) return rate;
  }
  return periods.at(-1)?.rate ?? Number.NaN;
}

const directionKey = ({ write }: Transfer): string => (write ? "write" : "read");
const programKey = (run: RecordedRun, transfer: Transfer): string =>
  `${directionKey(transfer)} ${run.application}`;

const fileKey = (run: RecordedRun, transfer: Transfer): string =>
  `${programKey(run, transfer)} file ${transfer.file}`;

/** What transfers of a program reached, by direction, and of its files; those of all programs under the direction alone. */
function limitsOf(all: readonly Placed[], share: number): Map<string, number> {
  const values = new Map<string, { least: number; rates: number[] }>();
  const add = (key: string, least: number, rate: number) => {
    const list = values.get(key);
    if (list === undefined) values.set(key, { least, rates: [rate] });
    else list.rates.push(rate);
  };
  for (const { run, transfer } of all) {
    const rate = transfer.bytes / transfer.seconds;
    add(fileKey(run, transfer), FILE_LEAST, rate);
    add(programKey(run, transfer), PROGRAM_LEAST, rate);
    add(directionKey(transfer), 1, rate);
  }
  const limits = new Map<string, number>();
  for (const [key, { least, rates }] of values)
    if (rates.length >= least) limits.set(key, quantile(sorted(rates), share));
  // A direction that was never seen alone has no limit of its own.
  for (const key of ["read", "write"]) if (!limits.has(key)) limits.set(key, Number.POSITIVE_INFINITY);
  return limits;
}
