/** The tallies of a file as records: one for all ranks where all have one, else one for each rank. */
import { h5d, h5f, type ModuleSpec, mpiio, posix, stdio } from "../../formats/darshan/modules/index.ts";
import { type CounterRecord, counterRecord } from "../../formats/darshan/records.ts";
import type { Layer } from "./calls.ts";
import { lower, raise, Tally } from "./tally.ts";

const MODULES = { POSIX: posix, "MPI-IO": mpiio, STDIO: stdio, H5F: h5f, H5D: h5d } as const;
const PREFIXES: Readonly<Record<Layer, string>> = {
  POSIX: "POSIX_",
  "MPI-IO": "MPIIO_",
  STDIO: "STDIO_",
  H5F: "H5F_",
  H5D: "H5D_",
};
const KNOWN: Readonly<Record<Layer, ReadonlySet<string>>> = {
  POSIX: namesOf(posix),
  "MPI-IO": namesOf(mpiio),
  STDIO: namesOf(stdio),
  H5F: namesOf(h5f),
  H5D: namesOf(h5d),
};

type Values = Readonly<Record<string, number>>;

/** What a record holds that no call says: counters as they are, and of a dataset the id of its file. */
export interface RecordExtra {
  readonly values?: Values;
  readonly fileId?: bigint;
}

/** The record of one rank. */
export function rankRecord(tally: Tally, id: bigint, extra: RecordExtra = {}): CounterRecord {
  return toRecord(tally, id, tally.rank, {}, extra);
}

/** The record of all ranks together (rank -1); `tallies` has one of each rank. */
export function sharedRecord(tallies: readonly Tally[], id: bigint, extra: RecordExtra = {}): CounterRecord {
  const first = tallies[0] as Tally;
  const all = new Tally(first.layer, -1, first.alignmentBytes);
  let fastest = first;
  let slowest = first;
  for (const tally of tallies) {
    for (const [name, value] of tally.sums) all.sums.set(name, all.sum(name) + value);
    for (const [name, value] of tally.maxima) raise(all.maxima, name, value);
    for (const [name, value] of tally.minima) lower(all.minima, name, value);
    for (const direction of ["READ", "WRITE"] as const) {
      if (tally.longest[direction].seconds > all.longest[direction].seconds) {
        all.longest[direction] = tally.longest[direction];
      }
    }
    for (const [value, count] of tally.sizes.top()) all.sizes.put(value, count);
    for (const [value, count] of tally.strides.top()) all.strides.put(value, count);
    if (tally.seconds < fastest.seconds) fastest = tally;
    if (tally.seconds > slowest.seconds) slowest = tally;
  }
  const extremes = {
    FASTEST_RANK: fastest.rank,
    FASTEST_RANK_BYTES: fastest.bytes,
    F_FASTEST_RANK_TIME: fastest.seconds,
    SLOWEST_RANK: slowest.rank,
    SLOWEST_RANK_BYTES: slowest.bytes,
    F_SLOWEST_RANK_TIME: slowest.seconds,
    F_VARIANCE_RANK_TIME: variance(tallies.map(({ seconds }) => seconds)),
    F_VARIANCE_RANK_BYTES: variance(tallies.map(({ bytes }) => bytes)),
  };
  return toRecord(all, id, -1, extremes, extra);
}

function toRecord(
  tally: Tally,
  id: bigint,
  rank: number,
  extremes: Values,
  { values: given = {}, fileId }: RecordExtra,
): CounterRecord {
  const { layer, longest } = tally;
  const values: Values = {
    ...Object.fromEntries(tally.sums),
    ...Object.fromEntries(tally.maxima),
    ...Object.fromEntries(tally.minima),
    ...common("ACCESS", tally.sizes.top()),
    ...common("STRIDE", tally.strides.top()),
    F_MAX_READ_TIME: longest.READ.seconds,
    MAX_READ_TIME_SIZE: longest.READ.bytes,
    F_MAX_WRITE_TIME: longest.WRITE.seconds,
    MAX_WRITE_TIME_SIZE: longest.WRITE.bytes,
    MODE: openMode(tally),
    FILE_ALIGNMENT: tally.alignmentBytes,
    MEM_ALIGNMENT: 8,
    ...extremes,
    ...given,
  };
  // A tally counts the same in every layer; MPI-IO has no offsets, STDIO has no sizes, HDF5's files have no accesses.
  const prefixed = Object.entries(values).map(([name, value]) => [PREFIXES[layer] + name, value] as const);
  const kept = prefixed.filter(([name]) => KNOWN[layer].has(name));
  const extra = fileId === undefined ? {} : { fileId };
  return counterRecord(MODULES[layer], { id, rank }, Object.fromEntries(kept), extra);
}

function namesOf({ integers, reals }: ModuleSpec): ReadonlySet<string> {
  return new Set([...integers, ...reals].map(({ name }) => name));
}

function common(name: string, top: readonly (readonly [number, number])[]): Values {
  return Object.fromEntries(
    top.flatMap(([value, count], index) => [
      [`${name}${index + 1}_${name}`, value],
      [`${name}${index + 1}_COUNT`, count],
    ]),
  );
}

/** POSIX: permissions of a file that was made. MPI-IO: create 1, read 2, write 4, both 8. */
function openMode(tally: Tally): number {
  const writes = tally.sum("BYTES_WRITTEN") > 0;
  if (tally.layer === "POSIX") return writes ? 0o644 : 0;
  if (!writes) return 2;
  return tally.sum("BYTES_READ") > 0 ? 9 : 5;
}

function variance(values: readonly number[]): number {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length;
}
