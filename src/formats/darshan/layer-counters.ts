/** Which counters of a module go into which column of `layers`, and where they stand in a record. */
import { layers } from "../../model/index.ts";
import { columnOf, type ModuleSpec } from "./modules/index.ts";

/** Prefix of the counters of each module that has rows. */
export const PREFIXES: Readonly<Record<string, string>> = {
  POSIX: "POSIX_",
  "MPI-IO": "MPIIO_",
  STDIO: "STDIO_",
  DFS: "DFS_",
  DAOS: "DAOS_",
  H5F: "H5F_",
  H5D: "H5D_",
  PNETCDF_FILE: "PNETCDF_FILE_",
  PNETCDF_VAR: "PNETCDF_VAR_",
};

const kinds = (way: "READS" | "WRITES") => [
  way,
  `${way.slice(0, -1)}XS`,
  `INDEP_${way}`,
  `COLL_${way}`,
  `SPLIT_${way}`,
  `NB_${way}`,
  `ARRAY_${way}`,
  ...(way === "READS" ? ["OBJ_FETCHES", "KV_GETS"] : ["OBJ_UPDATES", "KV_PUTS"]),
];

/** Counters (without prefix) that are added up in each column; a module has some of them. */
const SUMS: Readonly<Record<string, readonly string[]>> = {
  opens: ["OPENS", "INDEP_OPENS", "COLL_OPENS", "OBJ_OPENS", "ARRAY_OPENS", "KV_OPENS", "CREATES"],
  collective_opens: ["COLL_OPENS"],
  reads: kinds("READS"),
  writes: kinds("WRITES"),
  independent_reads: ["INDEP_READS"],
  independent_writes: ["INDEP_WRITES"],
  collective_reads: ["COLL_READS"],
  collective_writes: ["COLL_WRITES"],
  split_reads: ["SPLIT_READS"],
  split_writes: ["SPLIT_WRITES"],
  nonblocking_reads: ["NB_READS"],
  nonblocking_writes: ["NB_WRITES"],
  seeks: ["SEEKS"],
  stats: ["STATS", "ARRAY_STATS"],
  syncs: ["FSYNCS", "FDSYNCS", "SYNCS", "FLUSHES"],
  mmaps: ["MMAPS"],
  hints: ["HINTS"],
  views: ["VIEWS"],
  bytes_read: ["BYTES_READ"],
  bytes_written: ["BYTES_WRITTEN"],
  sequential_reads: ["SEQ_READS"],
  sequential_writes: ["SEQ_WRITES"],
  consecutive_reads: ["CONSEC_READS"],
  consecutive_writes: ["CONSEC_WRITES"],
  rw_switches: ["RW_SWITCHES"],
  memory_not_aligned: ["MEM_NOT_ALIGNED"],
  file_not_aligned: ["FILE_NOT_ALIGNED"],
  regular_selects: ["REGULAR_HYPERSLAB_SELECTS"],
  irregular_selects: ["IRREGULAR_HYPERSLAB_SELECTS"],
  point_selects: ["POINT_SELECTS"],
  ...Object.fromEntries(
    layers.columns
      .filter(({ name }) => name.startsWith("size_"))
      .map(({ name }) => {
        const [, way = "", ...size] = name.toUpperCase().split("_");
        return [name, [`SIZE_${way}_${size.join("_")}`, `SIZE_${way}_AGG_${size.join("_")}`]];
      }),
  ),
};

const MAXIMA: Readonly<Record<string, readonly string[]>> = {
  max_byte_read: ["MAX_BYTE_READ"],
  max_byte_written: ["MAX_BYTE_WRITTEN"],
  memory_alignment: ["MEM_ALIGNMENT"],
  file_alignment: ["FILE_ALIGNMENT"],
  uses_mpiio: ["USE_MPIIO"],
  uses_collective: ["USE_MPIIO_COLLECTIVE"],
  points: ["DATASPACE_NPOINTS", "NPOINTS"],
  element_bytes: ["DATATYPE_SIZE"],
  chunk_bytes: ["CHUNK_SIZE", "ARRAY_CHUNK_SIZE"],
};

const REAL_SUMS: Readonly<Record<string, string>> = {
  read_seconds: "F_READ_TIME",
  write_seconds: "F_WRITE_TIME",
  meta_seconds: "F_META_TIME",
  wait_seconds: "F_WAIT_TIME",
};

const stamps = (end: "START" | "END") =>
  ["open", "read", "write", "close"].map(
    (what) => [`${what}_${end.toLowerCase()}_seconds`, `F_${what.toUpperCase()}_${end}_TIMESTAMP`] as const,
  );
const REAL_FIRSTS: Readonly<Record<string, string>> = Object.fromEntries(stamps("START"));
const REAL_LASTS: Readonly<Record<string, string>> = Object.fromEntries(stamps("END"));

/** Where the counters of a module stand in a record: word indexes by column; -1 when it has none. */
export interface Places {
  readonly sums: readonly (readonly [column: string, words: readonly number[]])[];
  readonly maxima: readonly (readonly [column: string, words: readonly number[]])[];
  readonly realSums: readonly (readonly [column: string, word: number])[];
  readonly realFirsts: readonly (readonly [column: string, word: number])[];
  readonly realLasts: readonly (readonly [column: string, word: number])[];
  /** Pairs of words: value, count. */
  readonly accesses: readonly (readonly [number, number])[];
  readonly strides: readonly (readonly [number, number])[];
  readonly chunks: readonly number[];
  /** Words of each column of `sums`. */
  readonly wordsOf: ReadonlyMap<string, readonly number[]>;
  at(name: string): number;
}

const placesBySpec = new Map<ModuleSpec, Places>();

/** Found once for each module: thousands of logs ask for them. */
export function placesOf(spec: ModuleSpec, prefix: string): Places {
  let places = placesBySpec.get(spec);
  if (places === undefined) placesBySpec.set(spec, (places = findPlaces(spec, prefix)));
  return places;
}

function findPlaces(spec: ModuleSpec, prefix: string): Places {
  const known = new Map<string, number>();
  const at = (name: string) => {
    let word = known.get(name);
    if (word === undefined) known.set(name, (word = columnOf(spec, prefix + name)));
    return word;
  };
  const present = (names: readonly string[]) => names.map(at).filter((word) => word >= 0);
  const lists = (table: Readonly<Record<string, readonly string[]>>) =>
    Object.entries(table)
      .map(([column, names]) => [column, present(names)] as const)
      .filter(([, words]) => words.length > 0);
  const singles = (table: Readonly<Record<string, string>>) =>
    Object.entries(table)
      .map(([column, name]) => [column, at(name)] as const)
      .filter(([, word]) => word >= 0);
  const pairs = (what: string) =>
    [1, 2, 3, 4]
      .map((n) => [at(`${what}${n}_${what}`), at(`${what}${n}_COUNT`)] as const)
      .filter(([value]) => value >= 0);
  const sums = lists(SUMS);
  return {
    sums,
    wordsOf: new Map(sums),
    maxima: lists(MAXIMA),
    realSums: singles(REAL_SUMS),
    realFirsts: singles(REAL_FIRSTS),
    realLasts: singles(REAL_LASTS),
    accesses: pairs("ACCESS"),
    strides: pairs("STRIDE"),
    chunks: present([1, 2, 3, 4, 5].map((d) => `CHUNK_SIZE_D${d}`)),
    at,
  };
}
