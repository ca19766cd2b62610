/** The columns of `layers` that are one number of a record each. */

/** How values of the same file in several logs become one. */
type Merge = "sum" | "max" | "min" | "none";

const calls = [
  "opens",
  "collective_opens",
  "reads",
  "writes",
  "independent_reads",
  "independent_writes",
  "collective_reads",
  "collective_writes",
  "split_reads",
  "split_writes",
  "nonblocking_reads",
  "nonblocking_writes",
  "seeks",
  "stats",
  "syncs",
  "mmaps",
  "hints",
  "views",
  "bytes_read",
  "bytes_written",
  "sequential_reads",
  "sequential_writes",
  "consecutive_reads",
  "consecutive_writes",
  "rw_switches",
  "memory_not_aligned",
  "file_not_aligned",
  "read_seconds",
  "write_seconds",
  "meta_seconds",
  "wait_seconds",
  "sync_seconds",
  "open_seconds",
  "stat_seconds",
  "seek_seconds",
  "regular_selects",
  "irregular_selects",
  "point_selects",
] as const;
const highest = [
  "max_byte_read",
  "max_byte_written",
  "memory_alignment",
  "file_alignment",
  "open_end",
  "read_end",
  "write_end",
  "close_end",
  "uses_mpiio",
  "uses_collective",
  "points",
  "element_bytes",
  "chunk_bytes",
  "stripe_count",
  "stripe_bytes",
  "components",
] as const;
const lowest = ["open_start", "read_start", "write_start", "close_start"] as const;
/** Of the slowest and fastest rank and the slowest call; merged as groups. */
const extremes = [
  "longest_read_seconds",
  "longest_read_bytes",
  "longest_write_seconds",
  "longest_write_bytes",
  "slowest_rank",
  "slowest_bytes",
  "slowest_seconds",
  "fastest_rank",
  "fastest_bytes",
  "fastest_seconds",
  "variance_seconds",
  "variance_bytes",
  "io_ranks",
] as const;

type Camel<Name extends string> = Name extends `${infer Head}_${infer Tail}`
  ? `${Head}${Capitalize<Camel<Tail>>}`
  : Name;
type Numbers<Names extends readonly string[]> = { readonly [Name in Names[number] as Camel<Name>]: number };

export type RecordNumbers = Numbers<typeof calls> &
  Numbers<typeof highest> &
  Numbers<typeof lowest> &
  Numbers<typeof extremes>;

const camel = (name: string) => name.replace(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** Times of day are columns `open_start_seconds`, here `openStart`. */
const columnName = (name: string) => (/_(start|end)$/.test(name) ? `${name}_seconds` : name);

/** Column, key of a record, and how values merge. */
export const NUMBERS: readonly (readonly [column: string, key: string, merge: Merge])[] = [
  ...calls.map((name) => [name, camel(name), "sum"] as const),
  ...highest.map((name) => [columnName(name), camel(name), "max"] as const),
  ...lowest.map((name) => [columnName(name), camel(name), "min"] as const),
  ...extremes.map((name) => [name, camel(name), "none"] as const),
];
