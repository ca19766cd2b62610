/** How one target shares itself between own writers and the load of others: pure functions of its state. */

import { assert } from "../../../base/assert.ts";
import type { StorageParameters } from "./parameters.ts";

/**
 * Efficiency under contention of x streams: 1 for a single one, falling to `floor` along a Hill curve that has lost half
 * of what it can lose at x = 1 + half.
 */
export function efficiency(streams: number, floor: number, half: number, power: number): number {
  if (streams <= 1) return 1;
  const x = (streams - 1) / half;
  const lost = power === 2 ? x * x : x ** power;
  return floor + (1 - floor) / (1 + lost);
}

/** Most streams of a target are whole ones, and few: their efficiency is computed once. */
const TABLE = 256;

/** `efficiency` for one curve. */
class Efficiency {
  readonly #floor: number;
  readonly #half: number;
  readonly #power: number;
  readonly #known: Float64Array;

  constructor(floor: number, half: number, power: number) {
    assert(floor > 0 && floor <= 1 && half > 0, "contention leaves something, and never helps");
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
  /** Streams, each weighing as much as an own one. */
  readonly streams: number;
  /** What they would take if nothing held them back, MB/s. */
  readonly demand: number;
}

/** A target as it stands, but for its writers and the load of others. */
export interface TargetState {
  /** Speed of its disks against the usual one; 0 when it hangs. */
  readonly speed: number;
  /** Most that the network brings, MB/s. */
  readonly link: number;
  /** Those of a shared file where own writers meet at its locks. */
  readonly curves: Curves;
}

/** What own writers of one target get; a record that `computeRates` fills again and again. */
export interface TargetRates {
  /** MB/s of each own writer while the dirty limit is not reached. */
  free: number;
  /** MB/s of each own writer at the dirty limit. */
  full: number;
  /** MB/s at which the disks take own data. */
  drain: number;
  /** Own share of the dirty limit, MB. */
  limit: number;
  /** What the target could do in all, MB/s; for checks. */
  disk: number;
  ingest: number;
}

/**
 * Max-min sharing: others never get more than they ask for, nor own writers more than the client's limit. With
 * `backgroundGrip` the load of others weighs more the more own streams there are: between shares per stream (0) and a
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
  assert(into.drain <= disk, "own data gets no more than the disks have");
}
