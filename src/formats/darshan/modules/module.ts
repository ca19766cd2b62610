/**
 * What one Darshan module records, as data: its place in the header of each format version, its counters with
 * unit and meaning, and the record versions that occur in files with how each becomes the current one.
 *
 * A record here is a row of 64-bit words in the byte order of this machine: word 0 the record id, word 1 the
 * rank, then what the module says. All records in a file have that grid; the few byte strings and 32-bit
 * fields inside it are named by `bytes` and `halves` so that swapping the byte order leaves them whole.
 */

type Unit = "count" | "bytes" | "bytes2" | "seconds" | "seconds2" | "rank" | "id" | "flag" | "value" | "mode";

/**
 * How a counter of many records becomes one (darshan-parser --total):
 * sum: added (a negative result becomes -1 where the module says so); max, last; first: smallest above zero;
 * common: a group of four most frequent values with their counts; paired: set with another counter;
 * none: stays zero.
 */
type TotalRule = "sum" | "max" | "last" | "first" | "common" | "paired" | "none";

export interface Counter {
  readonly name: string;
  readonly unit: Unit;
  readonly total: TotalRule;
  readonly meaning: string;
  /** Printed as an unsigned value. */
  readonly unsigned: boolean;
}

/** A record version as it stands in a file. */
export interface RecordVersion {
  /** Words of one record; for variable records the smallest. */
  readonly words: number;
  /** Word ranges [from, to) that hold byte strings. */
  readonly bytes?: readonly (readonly [number, number])[];
  /** Words that hold two 32-bit fields. */
  readonly halves?: readonly number[];
  /**
   * For each word of the current version the word of this one that it comes from, or one of the constants
   * `MINUS_ONE`, `ZERO`, `MINUS_ONE_REAL`. Absent for the current version.
   */
  readonly upgrade?: Int32Array;
  /** Words that must be zero for the record to be kept (POSIX 1: FOPENS); others are left out and counted. */
  readonly zeroOrLeaveOut?: number;
  /** PNETCDF 1, 2: opens is the sum of these two words. */
  readonly addInto?: { readonly word: number; readonly a: number; readonly b: number };
}

export const MINUS_ONE = -1;
export const ZERO = -2;
export const MINUS_ONE_REAL = -3;

/** fixed: every record has the same size; headed: one header record, then fixed records; the others vary. */
type ModuleKind = "fixed" | "headed" | "lustre" | "dxt" | "heatmap" | "mdhim";

export interface ModuleSpec {
  /** As darshan-parser prints it and as `--module` takes it. */
  readonly name: string;
  readonly kind: ModuleKind;
  /** Header slot in formats 3.00–3.10, 3.20–3.21, 3.41; -1 where it does not exist. */
  readonly slots: readonly [number, number, number];
  /** The current record version: what records are upgraded to and what is written. */
  readonly version: number;
  readonly versions: Readonly<Record<number, RecordVersion>>;
  readonly integers: readonly Counter[];
  readonly reals: readonly Counter[];
  /** Word where the integer counters begin in the current version (2, or 3 after a file record id). */
  readonly integersAt: number;
  readonly realsAt: number;
  /** The header record of a headed module. */
  readonly header?: RecordVersion;
  readonly about: string;
  /** Negative sums of "not available" become exactly -1. */
  readonly clampSums?: boolean;
  /** Totals of common values leave out records whose first value is zero. */
  readonly needsFirstCommon?: boolean;
  /** Where darshan-parser's --total, --file and --perf look; absent when the module has no such lines. */
  readonly derived?: DerivedColumns;
}

/** Word indexes (within a record) that the derived figures need. */
export interface DerivedColumns {
  readonly bytesRead: number;
  readonly bytesWritten: number;
  /** -1 when the module does not know the highest offset. */
  readonly maxByteRead: number;
  readonly maxByteWritten: number;
  readonly readTime: number;
  readonly writeTime: number;
  readonly metaTime: number;
  readonly fastestRank: number;
  readonly fastestBytes: number;
  readonly fastestTime: number;
  readonly slowestRank: number;
  readonly slowestBytes: number;
  readonly slowestTime: number;
  /** Pairs of (longest duration, size of that call). */
  readonly longest: readonly (readonly [number, number])[];
}

/**
 * Counters from lines `NAME unit rule meaning…`; a name ending in `*` stands for the ten access size classes,
 * one with `1-4` for four counters. A unit with `!` is printed unsigned.
 */
export function counters(prefix: string, lines: string): readonly Counter[] {
  const list: Counter[] = [];
  for (const line of lines.trim().split("\n")) {
    const [name = "", unit = "", total = "", ...words] = line.trim().split(/\s+/);
    const meaning = words.join(" ");
    const add = (full: string, text: string) =>
      list.push({
        name: prefix + full,
        unit: unit.replace("!", "") as Unit,
        total: total as TotalRule,
        meaning: text,
        unsigned: unit.endsWith("!"),
      });
    if (name.endsWith("*"))
      for (const size of SIZE_CLASSES) add(name.slice(0, -1) + size, `${meaning} ${sizeText(size)}`);
    else if (name.includes("1-4"))
      for (let i = 1; i <= 4; i++) add(name.replace("1-4", String(i)), `${meaning}, no. ${i}`);
    else add(name, meaning);
  }
  return list;
}

/** Lines for `counters`: which rank was fastest and slowest, as shared records have it. */
export function rankLines(total: TotalRule): string {
  return `FASTEST_RANK rank ${total} rank that spent least time (shared records)
    FASTEST_RANK_BYTES bytes ${total} bytes that rank moved
    SLOWEST_RANK rank ${total} rank that spent most time (shared records)
    SLOWEST_RANK_BYTES bytes ${total} bytes that rank moved`;
}

/** Darshan's ten access size classes; upper bounds are inclusive, K = 1024. */
const SIZE_CLASSES = "0_100 100_1K 1K_10K 10K_100K 100K_1M 1M_4M 4M_10M 10M_100M 100M_1G 1G_PLUS".split(" ");

function sizeText(size: string): string {
  const [from, to] = size.split("_");
  return to === "PLUS" ? `above ${from}` : from === "0" ? `up to ${to} bytes` : `above ${from} up to ${to}`;
}

/** The seventeen real counters that POSIX, MPI-IO, H5D and PNETCDF_VAR share, and the fifteen of DFS, DAOS. */
export function standardReals(prefix: string, variances = true): readonly Counter[] {
  return counters(
    prefix,
    `OPEN_START_TIMESTAMP seconds first first open began
    READ_START_TIMESTAMP seconds first first read began
    WRITE_START_TIMESTAMP seconds first first write began
    CLOSE_START_TIMESTAMP seconds first first close began
    OPEN_END_TIMESTAMP seconds max last open ended
    READ_END_TIMESTAMP seconds max last read ended
    WRITE_END_TIMESTAMP seconds max last write ended
    CLOSE_END_TIMESTAMP seconds max last close ended
    READ_TIME seconds sum time in reads
    WRITE_TIME seconds sum time in writes
    META_TIME seconds sum time in metadata operations
    MAX_READ_TIME seconds max duration of the slowest read
    MAX_WRITE_TIME seconds max duration of the slowest write
    FASTEST_RANK_TIME seconds paired time of the rank that spent least (shared records)
    SLOWEST_RANK_TIME seconds paired time of the rank that spent most (shared records)
    ${
      variances
        ? `VARIANCE_RANK_TIME seconds2 none variance over ranks of the time spent (shared records)
    VARIANCE_RANK_BYTES bytes2 none variance over ranks of the bytes moved (shared records)`
        : ""
    }`,
  );
}

/** The word map of an upgrade: entries are runs `[from, to)` of old words, or constants. */
export function upgradeMap(...parts: readonly (number | readonly [number, number])[]): Int32Array {
  const words: number[] = [];
  for (const part of parts) {
    if (typeof part === "number") words.push(part);
    else for (let word = part[0]; word < part[1]; word++) words.push(word);
  }
  return Int32Array.from(words);
}

/** Word index of a counter by its name without prefix. */
export function columnOf(
  spec: Pick<ModuleSpec, "integers" | "reals" | "integersAt" | "realsAt">,
  name: string,
): number {
  const integer = spec.integers.findIndex((c) => c.name === name);
  if (integer >= 0) return spec.integersAt + integer;
  const real = spec.reals.findIndex((c) => c.name === name);
  return real >= 0 ? spec.realsAt + real : -1;
}

/** The derived columns of a module whose counters follow the usual names under `prefix`. */
function derivedColumns(
  spec: Pick<ModuleSpec, "integers" | "reals" | "integersAt" | "realsAt">,
  prefix: string,
): DerivedColumns {
  const at = (name: string) => columnOf(spec, prefix + name);
  const longest = (["READ", "WRITE"] as const)
    .map((way) => [at(`F_MAX_${way}_TIME`), at(`MAX_${way}_TIME_SIZE`)] as const)
    .filter(([time]) => time >= 0);
  return {
    bytesRead: at("BYTES_READ"),
    bytesWritten: at("BYTES_WRITTEN"),
    maxByteRead: at("MAX_BYTE_READ"),
    maxByteWritten: at("MAX_BYTE_WRITTEN"),
    readTime: at("F_READ_TIME"),
    writeTime: at("F_WRITE_TIME"),
    metaTime: at("F_META_TIME"),
    fastestRank: at("FASTEST_RANK"),
    fastestBytes: at("FASTEST_RANK_BYTES"),
    fastestTime: at("F_FASTEST_RANK_TIME"),
    slowestRank: at("SLOWEST_RANK"),
    slowestBytes: at("SLOWEST_RANK_BYTES"),
    slowestTime: at("F_SLOWEST_RANK_TIME"),
    longest,
  };
}

type FixedParts = Omit<ModuleSpec, "kind" | "integersAt" | "realsAt" | "versions" | "derived"> & {
  readonly kind?: ModuleKind;
  /** Words between the base and the integer counters. */
  readonly headWords?: number;
  /** Words after the reals, and which of them are byte strings (relative to the tail). */
  readonly tailWords?: number;
  readonly tailBytes?: readonly (readonly [number, number])[];
  readonly older?: Readonly<Record<number, RecordVersion>>;
  /** Prefix of counter names, for modules with derived figures. */
  readonly derivedPrefix?: string;
};

/** A module of fixed-size records: base, head, integers, reals, tail. */
export function fixedModule(parts: FixedParts): ModuleSpec {
  const { headWords = 0, tailWords = 0, tailBytes = [], older = {}, derivedPrefix, ...rest } = parts;
  const integersAt = 2 + headWords;
  const realsAt = integersAt + rest.integers.length;
  const tailAt = realsAt + rest.reals.length;
  const current: RecordVersion = {
    words: tailAt + tailWords,
    bytes: tailBytes.map(([from, to]) => [tailAt + from, tailAt + to] as const),
  };
  const base = { ...rest, kind: rest.kind ?? ("fixed" as const), integersAt, realsAt };
  return {
    ...base,
    versions: { ...older, [rest.version]: current },
    ...(derivedPrefix === undefined ? {} : { derived: derivedColumns(base, derivedPrefix) }),
  };
}
