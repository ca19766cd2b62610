/**
 * A storage model from recorded runs: a rate per target, a limit per program and direction, and the cost of sharing; or the
 * rate of each file, the load of each hour and the cost of other transfers on the same targets (hour-load.ts), if that predicts
 * unseen runs better. The choice uses 4/5 of the runs; the error is measured on the held-out 1/5.
 */
import { assert } from "../../../base/assert.ts";
import { quantile, sorted } from "../../../base/statistics.ts";
import { fitHourLoad } from "./hour-load.ts";
import { replayRuns, type StorageFit } from "./fluid.ts";
import type { RecordedRun, Transfer } from "./recorded.ts";
import { type Placed, placed, recordedSeconds } from "./schedule.ts";

export interface FittedStorage extends StorageFit {
  /** Targets with a separate rate. */
  readonly targets: readonly number[];
  /** Rate of a target with too few transfers: the median of the others. */
  readonly usualRate: number;
  /** Quantile of a program's rates that gives its limit. */
  readonly limitQuantile: number;
  /** Rate of one rank in these runs, for questions about policies. */
  readonly rankRate: number;
  /** Slowdown of transfers that start at this time; only if hours differ. */
  readonly loadAt?: ((at: number) => number) | undefined;
}

interface FitError {
  /** Relative errors of predicted against recorded I/O times: |predicted / recorded - 1|. */
  readonly median: number;
  readonly p90: number;
  /** Median of predicted / recorded: the bias of the errors. */
  readonly lean: number;
  /** The median error without sharing: sharing explains the difference to `median`. */
  readonly alone: number;
  readonly runs: number;
  /** The same for the runs that others slow down by 5 % or more in the replay. */
  readonly met: { readonly runs: number; readonly median: number; readonly alone: number };
}

export interface Fit {
  readonly storage: FittedStorage;
  /** Error on held-out runs. */
  readonly error: FitError;
  readonly runs: number;
  readonly transfers: number;
}

/** Quantile of busy time: higher rates come from caches and coarse clocks. */
const RATE_QUANTILE = 0.95;
/** Fewer transfers cannot distinguish a target, or a program, from the others. */
const TARGET_LEAST = 5;
const PROGRAM_LEAST = 3;
/** Min uses of a file for a separate rate: its layout and pattern differ from other files. */
const FILE_LEAST = 2;
const LIMIT_QUANTILES = [1, 0.9, 0.75, 0.5] as const;
const LOSSES = [0, 0.05, 0.2] as const;
const HELD_OUT = 5n;

/** Min runs to decide between two models, and the required improvement of the larger one. */
const DECIDING_LEAST = 10;
const BETTER = 0.95;
const isDeciding = ({ id }: RecordedRun): boolean => BigInt(id) % HELD_OUT === 1n;

export const isHeldOut = ({ id }: RecordedRun): boolean => BigInt(id) % HELD_OUT === 0n;

/** Target rate at which transfers never wait for each other. */
const UNSHARED = 1e18;

/** Max transfers of a fit, which replays its runs several times. Loads of hours need no replay. */
const TRANSFERS_MOST = 4000;
export const HOURS_TRANSFERS_MOST = 16_000;

/** The runs nearest to a time, up to the limit of a fit, by start. */
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
 * Chooses on the training runs, judges on the others, and then learns from all. Loads of hours are learned from `wide`, a
 * superset of `runs`: that needs no replay.
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

/** A load per hour overfits its own runs: other runs of the training set decide. */
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

/** All hours alike: fits the quantile for a program's limit, and the cost of each further stream. */
function chooseConstant(runs: readonly RecordedRun[], learnFrom: readonly RecordedRun[]): Learn {
  let best: { loss: number; lossPerStream: number; limitQuantile: number } | undefined;
  const consider = (lossPerStream: number, limitQuantile: number): void => {
    const storage = learn(learnFrom, lossPerStream, limitQuantile);
    const loss = trainingLoss(runs, new Set(learnFrom), storage);
    // Ties go to the simpler model, which comes first.
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

/** A single outlier must not decide. */
const LOSS_MOST = 2;

function trainingLoss(
  runs: readonly RecordedRun[],
  chosen: ReadonlySet<RecordedRun>,
  storage: StorageFit,
): number {
  const all = ratios(runs, chosen, storage).map((ratio) => Math.min(LOSS_MOST, Math.abs(Math.log(ratio))));
  return all.reduce((sum, one) => sum + one, 0) / all.length;
}

/** Smaller slowdowns by others do not show whether sharing is modelled well. */
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
  assert(usualRate > 0, "targets with transfers have a rate");
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

/** Loads of hours, and targets with the highest observed rate. */
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
  // If no target has enough, each gets its own observed rate.
  if (rates.size === 0)
    for (const [target, list] of few) rates.set(target, busyQuantile(list, lossPerStream));
  return rates;
}

/**
 * A busy period is a time with at least one transfer. Its bytes over its length are the target's rate if the target was the
 * bottleneck, however the transfers shared it.
 */
function busyQuantile(list: readonly Placed[], lossPerStream: number): number {
  const changes = list.flatMap(({ transfer, start, end }) => [
    { at: start, bytes: transfer.bytes / transfer.targets.length, count: 1 },
    { at: end, bytes: 0, count: -1 },
  ]);
  // At equal times starts come first, so that adjacent transfers form one period.
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

/** Rates of a program's transfers by direction, and of its files; those of all programs are under the direction alone. */
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
  // A direction without transfers that ran alone has no limit.
  for (const key of ["read", "write"]) if (!limits.has(key)) limits.set(key, Number.POSITIVE_INFINITY);
  return limits;
}
