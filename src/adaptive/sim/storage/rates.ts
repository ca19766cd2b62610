/** Shares of own writers and background load on one target: pure functions of its state. */

import { assert } from "../../../base/assert.ts";
import type { StorageParameters } from "./parameters.ts";

/**
 * Efficiency under contention of x streams: 1 for a single one, falling to `floor` along a Hill curve with half of the loss at
 * x = 1 + half.
 */
export function efficiency(streams: number, floor: number, half: number, power: number): number {
  if (streams <= 1) return 1;
  const x = (streams - 1) / half;
  const lost = power === 2 ? x * x : x ** power;
  return floor + (1 - floor) / (1 + lost);
}

/** Most targets have a small whole number of streams: their efficiency is computed once. */
const TABLE = 256;

/** `efficiency` for one curve. */
class Efficiency {
  readonly #floor: number;
  readonly #half: number;
  readonly #power: number;
  readonly #known: Float64Array;

  constructor(floor: number, half: number, power: number) {
    assert(floor > 0 && floor <= 1 && half > 0, "efficiency is above 0 and at most 1");
    this.#floor = floor;
    this.#half = half;
    this.#power = power;
    this.#known = Float64Array.from({ length: TABLE }, (_, streams) =>
      efficiency(streams, floor, half, power),
    );
  }

  of(streams: number): number {
    return streams < TABLE && Number.isInteger(streams)
      ? (this.#known[streams] as number)
      : efficiency(streams, this.#floor, this.#half, this.#power);
  }
}

/** The contention curves of a target. */
interface Curves {
  readonly disk: Efficiency;
  readonly ingest: Efficiency;
}

export const curvesOf = (p: StorageParameters, sharedFile: boolean): Curves => ({
  disk: sharedFile
    ? new Efficiency(p.sharedFloor, p.sharedHalf, p.sharedPower)
    : new Efficiency(p.diskFloor, p.diskHalf, p.diskPower),
  ingest: new Efficiency(p.ingestFloor, p.ingestHalf, p.ingestPower),
});

/** The load of others on a target. */
export interface OtherLoad {
  /** Number of streams, each with the weight of an own one. */
  readonly streams: number;
  /** Rate of these streams without contention, MB/s. */
  readonly demand: number;
}

/** State of a target without its writers and background load. */
export interface TargetState {
  /** Speed of its disks relative to normal; 0 when it hangs. */
  readonly speed: number;
  /** Network limit, MB/s. */
  readonly link: number;
  /** Those of a shared file if own writers contend for its locks. */
  readonly curves: Curves;
}

/** Rates of own writers of one target; `computeRates` reuses the record. */
export interface TargetRates {
  /** MB/s of each own writer while the dirty limit is not reached. */
  free: number;
  /** MB/s of each own writer at the dirty limit. */
  full: number;
  /** Rate at which the disks write own data, MB/s. */
  drain: number;
  /** Own share of the dirty limit, MB. */
  limit: number;
  /** Total rate of the target, MB/s; for checks. */
  disk: number;
  ingest: number;
}

/**
 * Max-min sharing: background never gets more than its demand, own writers never more than the client's limit. With
 * `backgroundGrip` the weight of the background grows with the number of own streams: between shares per stream (0) and a
 * fixed fraction of the target (1).
 */
export function computeRates(
  writers: number,
  others: OtherLoad,
  { speed, link, curves }: TargetState,
  parameters: StorageParameters,
  into: TargetRates,
): void {
  assert(writers >= 0 && others.streams >= 0 && others.demand >= 0, "load is never negative");
  const p = parameters;
  const own = writers > 0 ? writers : 1;
  const streams = own + others.streams;
  const weight = others.streams * (1 + p.backgroundGrip * (own - 1));
  const share = own / (own + weight);
  const disk = p.diskRate * speed * curves.disk.of(streams);
  const accepted = p.ingestRate * curves.ingest.of(streams);
  const ingest = speed === 0 ? 0 : accepted < link ? accepted : link;
  const ownIngest = Math.max(ingest * share, ingest - others.demand) / own;
  into.disk = disk;
  into.ingest = ingest;
  into.limit = p.dirtyLimit * share;
  into.drain = Math.max(disk * share, disk - others.demand);
  into.free = ownIngest < p.clientRate ? ownIngest : p.clientRate;
  const drained = into.drain / own;
  into.full = drained < into.free ? drained : into.free;
  assert(into.full >= 0 && into.full <= into.free, "a full cache does not make a writer faster");
  assert(into.drain <= disk, "own data gets no more than the disk rate");
}
