/**
 * Splits recorded times into three causes: the rate of the file, the load of the file system in that hour, and other transfers
 * on the same targets. log(seconds / byte) = own + elasticity × load(hour) + log(1 + slope × offered load of the others).
 * Elasticities differ for files mostly read, mostly written, and both. Medians throughout: logs have outliers.
 */
import { assert } from "../../../base/assert.ts";
import { weightedMedian } from "./weighted-median.ts";
import { offeredLoads, slownessAt } from "./offered-load.ts";
import type { RecordedRun, Transfer } from "./recorded.ts";
import type { Placed } from "./schedule.ts";

interface HourLoad {
  /** Bytes per second of a transfer that starts at this time without others. */
  rate(run: RecordedRun, transfer: Transfer, at: number): number;
  /** Slowdown of an average transfer that starts at this time; 1 in a median hour. */
  loadAt(at: number): number;
  /** Seconds per byte: cost per byte per second of others on a target. */
  readonly slope: number;
}

const HOUR = 3600;
const CLASSES = 3;
/** One-sided file: one direction has 9 times the bytes or more (classes of the study of file reuse). */
const ONE_SIDED = 0.9;
/** Fewer transfers cannot separate the rate of a file, or of a program, from the load of the hour. */
const FILE_LEAST = 3;
const PROGRAM_LEAST = 3;
const ROUNDS = 12;
/**
 * The cost of others is hidden in the times of files at first, and each round extracts 1/5 of it: on a generated centre two
 * rounds found 3/4 of the slope, twelve over 9/10, and more change nothing. Later rounds start from the earlier causes, so they
 * need few iterations.
 */
const SLOPE_ROUNDS = 12;
const ROUNDS_AGAIN = 3;
/** Fewer shared transfers do not show the cost of sharing. */
const SLOPE_LEAST = 5;
/** Weight of the same hour of other days for an hour with few transfers. */
const USUAL_WEIGHT = 0.5;

interface Seen {
  readonly placed: Placed;
  readonly time: number;
  readonly file: number;
  readonly program: number;
  readonly size: number;
  readonly direction: number;
  readonly kind: number;
  readonly hour: number;
  /** log(1 + slope × offered). */
  shared: number;
}

/** Fits to recorded transfers. */
export function fitHourLoad(all: readonly Placed[]): HourLoad {
  const kinds = fileKinds(all);
  const names = new Numbers();
  const seen = all.map((placed): Seen => {
    const { run, transfer, start } = placed;
    return {
      placed,
      time: Math.log(transfer.seconds / transfer.bytes),
      file: names.of(fileKey(transfer)),
      program: names.of(programKey(run, transfer)),
      size: names.of(sizeKey(transfer)),
      direction: names.of(directionKey(transfer)),
      kind: kinds.get(transfer.file) as number,
      hour: Math.floor(start / HOUR),
      shared: 0,
    };
  });
  let causes = separate(seen, NOTHING_KNOWN, ROUNDS);
  let slope = 0;
  for (let round = 0; round < SLOPE_ROUNDS; round++) {
    slope = shareOut(seen, causes);
    causes = separate(seen, causes, ROUNDS_AGAIN);
  }
  const { elasticity, load } = causes;
  const own = ownTimes(seen, causes);
  const ownOf = (run: RecordedRun, transfer: Transfer) =>
    own.get(names.known(fileKey(transfer))) ??
    own.get(names.known(programKey(run, transfer))) ??
    own.get(names.known(sizeKey(transfer))) ??
    own.get(names.known(directionKey(transfer))) ??
    0;
  const usual = usualLoads(load);
  const logLoad = (at: number): number => {
    const hour = Math.floor(at / HOUR);
    return load.get(hour) ?? usual[hourOfDay(hour)] ?? 0;
  };
  return {
    rate: (run, transfer, at) => {
      const kind = kinds.get(transfer.file) ?? CLASSES - 1;
      return Math.exp(-ownOf(run, transfer) - (elasticity[kind] as number) * logLoad(at));
    },
    loadAt: (at) => Math.exp(logLoad(at)),
    slope,
  };
}

class Numbers {
  readonly #numbers = new Map<string, number>();

  of(name: string): number {
    const number = this.#numbers.get(name) ?? this.#numbers.size;
    this.#numbers.set(name, number);
    return number;
  }

  known(name: string): number {
    return this.#numbers.get(name) ?? -1;
  }
}

const directionKey = ({ write }: Transfer): string => (write ? "write" : "read");
const fileKey = (transfer: Transfer): string => `${directionKey(transfer)} file ${transfer.file}`;
/** The cost per call shows in small transfers: sizes are grouped by powers of ten. */
const sizeKey = (transfer: Transfer): string =>
  `${directionKey(transfer)} size ${Math.floor(Math.log10(transfer.bytes))}`;
const programKey = (run: RecordedRun, transfer: Transfer): string =>
  `${sizeKey(transfer)} ${run.application}`;

/** 0: mostly read, 1: mostly written, 2: both. */
function fileKinds(all: readonly Placed[]): Map<string, number> {
  const bytes = new Map<string, { read: number; written: number }>();
  for (const { transfer } of all) {
    const sums = bytes.get(transfer.file) ?? { read: 0, written: 0 };
    sums[transfer.write ? "written" : "read"] += transfer.bytes;
    bytes.set(transfer.file, sums);
  }
  const kindOf = ({ read, written }: { read: number; written: number }) => {
    const lean = (read - written) / (read + written);
    return lean >= ONE_SIDED ? 0 : lean <= -ONE_SIDED ? 1 : 2;
  };
  return new Map([...bytes].map(([file, sums]) => [file, kindOf(sums)]));
}

interface Causes {
  /** Elasticity by kind of file; the load is scaled so that its mean over transfers is 1. */
  readonly elasticity: readonly number[];
  /** Logarithm, by hour since 1970. */
  readonly load: ReadonlyMap<number, number>;
}

const NOTHING_KNOWN: Causes = { elasticity: Array.from({ length: CLASSES }, () => 1), load: new Map() };

/** Fits times of files, loads of hours and elasticities in turn, for a number of rounds. */
function separate(seen: readonly Seen[], from: Causes, rounds: number): Causes {
  const counts = new Map<number, number>();
  for (const { file } of seen) counts.set(file, (counts.get(file) ?? 0) + 1);
  const repeated = seen.filter(({ file }) => (counts.get(file) as number) >= FILE_LEAST);
  let { elasticity, load } = from;
  for (let round = 0; round < rounds; round++) {
    const own = medians(
      repeated,
      ({ file }) => file,
      ({ time, shared, kind, hour }) => time - shared - (elasticity[kind] as number) * (load.get(hour) ?? 0),
    );
    const rest = ({ time, shared, file }: Seen) => time - shared - (own.get(file) as number);
    load = medians(
      repeated.filter(({ kind }) => (elasticity[kind] as number) > 0),
      ({ hour }) => hour,
      (one) => rest(one) / (elasticity[one.kind] as number),
      ({ kind }) => elasticity[kind] as number,
    );
    load = towardsUsual(load, repeated);
    elasticity = elasticities(repeated, rest, load);
  }
  return { elasticity, load };
}

function medians(
  seen: readonly Seen[],
  keyOf: (one: Seen) => number,
  amountOf: (one: Seen) => number,
  weightOf?: (one: Seen) => number,
): Map<number, number> {
  const lists = new Map<number, { values: number[]; weights: number[] }>();
  for (const one of seen) {
    const key = keyOf(one);
    let list = lists.get(key);
    if (list === undefined) lists.set(key, (list = { values: [], weights: [] }));
    list.values.push(amountOf(one));
    if (weightOf !== undefined) list.weights.push(weightOf(one));
  }
  return new Map(
    [...lists].map(([key, { values, weights }]) => [
      key,
      weightedMedian(values, weightOf === undefined ? undefined : weights),
    ]),
  );
}

const hourOfDay = (hour: number): number => ((hour % 24) + 24) % 24;

function usualLoads(load: ReadonlyMap<number, number>): (number | undefined)[] {
  const lists: number[][] = Array.from({ length: 24 }, () => []);
  for (const [hour, value] of load) lists[hourOfDay(hour)]?.push(value);
  return lists.map((list) => (list.length === 0 ? undefined : weightedMedian(list)));
}

/** Shrinks hours of few transfers towards the same hour of other days, and makes the median hour 0. */
function towardsUsual(load: ReadonlyMap<number, number>, repeated: readonly Seen[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { hour } of repeated) counts.set(hour, (counts.get(hour) ?? 0) + 1);
  const usual = usualLoads(load);
  const all = [...load].map(([hour, value]): [number, number] => {
    const weight = counts.get(hour) ?? 0;
    const other = usual[hourOfDay(hour)] ?? 0;
    return [hour, (weight * value + USUAL_WEIGHT * other) / (weight + USUAL_WEIGHT)];
  });
  const middle = weightedMedian(all.map(([, value]) => value));
  return new Map(all.map(([hour, value]) => [hour, value - middle]));
}

/** Growth of time with load by kind: the median slope of single transfers, weighted by their load. */
function elasticities(
  repeated: readonly Seen[],
  rest: (one: Seen) => number,
  load: ReadonlyMap<number, number>,
): number[] {
  const result = Array.from({ length: CLASSES }, (_, kind) => {
    const own = repeated.filter((one) => one.kind === kind && Math.abs(load.get(one.hour) ?? 0) > 1e-9);
    const at = ({ hour }: Seen) => load.get(hour) as number;
    const slopes = own.map((one) => rest(one) / at(one));
    const found = weightedMedian(
      slopes,
      own.map((one) => Math.abs(at(one))),
    );
    // If all hours are equal the elasticity is unknown.
    return own.length < FILE_LEAST ? 1 : Math.max(0, found);
  });
  const mean =
    repeated.reduce((sum, { kind }) => sum + (result[kind] as number), 0) / Math.max(1, repeated.length);
  return mean > 0 ? result.map((value) => value / mean) : result;
}

/** Median time of each file, program and direction with enough transfers. */
function ownTimes(seen: readonly Seen[], { elasticity, load }: Causes): Map<number, number> {
  const rest = ({ time, shared, kind, hour }: Seen) =>
    time - shared - (elasticity[kind] as number) * (load.get(hour) ?? 0);
  const result = new Map<number, number>();
  const levels: [(one: Seen) => number, number][] = [
    [({ direction }) => direction, 1],
    [({ size }) => size, PROGRAM_LEAST],
    [({ program }) => program, PROGRAM_LEAST],
    [({ file }) => file, 2],
  ];
  for (const [keyOf, least] of levels) {
    const counts = new Map<number, number>();
    for (const one of seen) counts.set(keyOf(one), (counts.get(keyOf(one)) ?? 0) + 1);
    for (const [key, value] of medians(seen, keyOf, rest))
      if ((counts.get(key) as number) >= least) result.set(key, value);
  }
  return result;
}

/** Estimates the cost of others on the same targets, and stores it in `shared`. */
function shareOut(seen: readonly Seen[], causes: Causes): number {
  const own = ownTimes(seen, causes);
  const { elasticity, load } = causes;
  const alone = seen.map(({ file, program, size, direction, kind, hour }) => {
    const time = own.get(file) ?? own.get(program) ?? own.get(size) ?? own.get(direction);
    assert(time !== undefined, "every direction has a time");
    return time + (elasticity[kind] as number) * (load.get(hour) ?? 0);
  });
  const met = offeredLoads(
    seen.map(({ placed }) => placed),
    alone.map((time) => Math.exp(-time)),
  );
  const slope = slopeOf(seen, alone, own, met);
  seen.forEach((one, i) => {
    const pieces = met.get(i);
    one.shared = pieces === undefined ? 0 : Math.log(slownessAt(slope, pieces));
  });
  return slope;
}

/** Max slope searched, as a multiple of the slope at which the mean offered load doubles the time. */
const SLOPE_MOST = 1000;
const SLOPE_STEPS = 40;

/** The slope at which shared transfers are as often slower as faster than predicted; heavier loads count more. */
function slopeOf(
  seen: readonly Seen[],
  alone: readonly number[],
  own: ReadonlyMap<number, number>,
  met: ReadonlyMap<number, Parameters<typeof slownessAt>[1]>,
): number {
  const overlapping = [...met]
    // A file with a single transfer has a residual of 0.
    .filter(([i]) => own.has((seen[i] as Seen).file))
    .map(([i, pieces]) => ({
      slowness: (seen[i] as Seen).time - (alone[i] as number),
      pieces,
      weight: pieces.reduce((sum, { share, offered }) => sum + share * offered, 0),
    }));
  if (overlapping.length < SLOPE_LEAST) return 0;
  const weights = overlapping.map(({ weight }) => weight);
  const beyond = (slope: number): number =>
    weightedMedian(
      overlapping.map(({ slowness, pieces }) => slowness - Math.log(slownessAt(slope, pieces))),
      weights,
    );
  if (beyond(0) <= 0) return 0;
  let [low, high] = [0, (SLOPE_MOST * weights.length) / weights.reduce((sum, weight) => sum + weight, 0)];
  for (let step = 0; step < SLOPE_STEPS; step++) {
    const middle = (low + high) / 2;
    if (beyond(middle) > 0) low = middle;
    else high = middle;
  }
  return (low + high) / 2;
}
