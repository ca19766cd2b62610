/** Base of the activities of a simulated program: a plan drawn once, run with its flaw and without. */
import { MIB } from "../log-builder.ts";
import type { Layer } from "../recorder/calls.ts";
import type { Draw } from "./draw.ts";
import type { Machine } from "./machine.ts";
import type { Place } from "./place.ts";
import type { World } from "./world.ts";

/** The causes of ../shared/data/pathologies/vocabulary.json that a log can show; ids never change. */
export const CAUSES = [
  "small-writes",
  "small-reads",
  "fsync-per-write",
  "stdio-small",
  "random-reads",
  "re-reads",
  "metadata-storm",
  "many-files",
  "slow-target",
  "one-rank-io",
  "byte-imbalance",
  "straggler",
  "independent-mpiio",
  "single-aggregator",
  "write-amplification",
  "hdf5-fill",
  "hdf5-small",
  "hdf5-chunk-cache",
  "read-after-write",
  "misaligned",
  "open-churn",
] as const;
export type Cause = (typeof CAUSES)[number];

/** What an activity is planned from. */
export interface Setting {
  readonly draw: Draw;
  readonly machine: Machine;
  readonly ranks: number;
  /** Steps of the program in which it takes part. */
  readonly parts: number;
  /** About how long it should take with its flaw, in all parts together. */
  readonly seconds: number;
  readonly place: Place;
  /** Stem of the names of its files, which says nothing of the flaw. */
  readonly word: string;
}

export type Parameters = Readonly<Record<string, number | string | boolean>>;

export interface Activity {
  readonly parameters: Parameters;
  /** Called before the first step. */
  prepare?(world: World, mended: boolean): void;
  /** The I/O of one step. Every twin draws nothing: all was drawn when it was planned. */
  run(world: World, part: number, mended: boolean): void;
}

export interface Flaw {
  readonly cause: Cause;
  /** Accepted aliases of the cause. */
  readonly also?: readonly Cause[];
  readonly ranksMin: number;
  readonly ranksMax: number;
  /** Whether a log of files at this place can show it. */
  isSeen?(place: Place): boolean;
  plan(setting: Setting): Activity;
}

export function everyRank(world: World, work: (rank: number) => void): void {
  for (let rank = 0; rank < world.ranks; rank++) work(rank);
}

/** A file for each rank, or one for all. */
export function fileOf({ place, word }: Setting, world: World, rank: number, shared: boolean): string {
  if (shared) return place.shared(world, `${word}.dat`);
  return place.file(world, `${word}.${String(rank).padStart(4, "0")}`, rank);
}

interface Bulk {
  readonly layer?: Layer;
  readonly kind: "read" | "write";
  readonly file: string;
  readonly offset: number;
  /** In all. */
  readonly bytes: number;
  /** Of a call, at most. */
  readonly piece: number;
  /** Seconds of a call beside its bytes. */
  readonly call: number;
  /** Bytes per second. */
  readonly rate: number;
}

/** Bytes in order, in large calls. */
export function bulk(world: World, rank: number, { bytes, piece, call, rate, offset, ...run }: Bulk): void {
  const count = Math.floor(bytes / piece);
  const own = world.rate(rank, rate);
  if (count > 0)
    world.make(rank, { ...run, offset, bytes: piece, count, stride: piece, seconds: call + piece / own });
  const rest = bytes - count * piece;
  if (rest > 0)
    world.make(rank, { ...run, offset: offset + count * piece, bytes: rest, seconds: call + rest / own });
}

/** As many whole records as fit into a MiB. */
export const gathered = (record: number): number => record * Math.max(1, Math.floor(MIB / record));

export function open(world: World, rank: number, file: string, { open: seconds }: Machine): void {
  world.make(rank, { kind: "open", file, seconds });
}

export function close(world: World, rank: number, file: string, { close: seconds }: Machine): void {
  world.make(rank, { kind: "close", file, seconds });
}

/** Of large transfers: mostly whole stripes, and some sizes that are not. */
export function bulkSize(draw: Draw, bytes: number, least: number = MIB): number {
  const unit = draw.chance(0.75) ? MIB : 8;
  return Math.max(least, unit * Math.round(bytes / unit));
}

export const clamp = (value: number, low: number, high: number): number =>
  Math.min(high, Math.max(low, value));

/** Calls of `each` seconds that fill the time, within limits, in each of the parts. */
export function callsPerPart({ seconds, parts }: Setting, each: number, low: number, high: number): number {
  return Math.ceil(clamp(seconds / each, low, high) / parts);
}
