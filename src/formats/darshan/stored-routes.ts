/** Where the counters of a module go in a row of `accesses`. */
import { storedAccesses } from "../../model/index.ts";
import { columnOf, type ModuleSpec } from "./modules/index.ts";

const PREFIXES: Readonly<Record<string, string>> = {
  POSIX: "POSIX_",
  STDIO: "STDIO_",
  DFS: "DFS_",
  "MPI-IO": "MPIIO_",
};

/** Columns that counters of a module are added to. */
const SUMS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  POSIX: {
    bytes_read: ["BYTES_READ"],
    bytes_written: ["BYTES_WRITTEN"],
    opens: ["OPENS"],
    reads: ["READS"],
    writes: ["WRITES"],
    seeks: ["SEEKS"],
    stats: ["STATS"],
    syncs: ["FSYNCS", "FDSYNCS"],
    sequential_reads: ["SEQ_READS"],
    sequential_writes: ["SEQ_WRITES"],
    consecutive_reads: ["CONSEC_READS"],
    consecutive_writes: ["CONSEC_WRITES"],
    not_aligned: ["FILE_NOT_ALIGNED"],
    ...Object.fromEntries(
      storedAccesses.columns
        .filter(({ name }) => name.startsWith("size_"))
        .map(({ name, origin }) => [name, [origin.slice("POSIX_".length)]]),
    ),
  },
  STDIO: {
    bytes_read: ["BYTES_READ"],
    bytes_written: ["BYTES_WRITTEN"],
    opens: ["OPENS"],
    reads: ["READS"],
    writes: ["WRITES"],
    seeks: ["SEEKS"],
    syncs: ["FLUSHES"],
  },
  DFS: {
    bytes_read: ["BYTES_READ"],
    bytes_written: ["BYTES_WRITTEN"],
    opens: ["OPENS"],
    reads: ["READS", "READXS", "NB_READS"],
    writes: ["WRITES", "WRITEXS", "NB_WRITES"],
    stats: ["STATS"],
  },
  "MPI-IO": {
    mpiio_bytes_read: ["BYTES_READ"],
    mpiio_bytes_written: ["BYTES_WRITTEN"],
    mpiio_collective: ["COLL_READS", "COLL_WRITES"],
    mpiio_independent: ["INDEP_READS", "INDEP_WRITES"],
  },
};

export const INTEGERS = storedAccesses.columns.filter(({ type }) => type === "i64").map(({ name }) => name);
export const REALS = storedAccesses.columns.filter(({ type }) => type === "f64").map(({ name }) => name);
export const integerAt = new Map(INTEGERS.map((name, index) => [name, index]));
export const realAt = new Map(REALS.map((name, index) => [name, index]));

/** Where a module's counters go, as pairs of numbers. */
export interface Route {
  /** column, word, column, word … */
  readonly sums: Int32Array;
  readonly readTime: number;
  readonly writeTime: number;
  readonly metaTime: number;
  readonly bytesRead: number;
  readonly bytesWritten: number;
  readonly slowestTime: number;
  readonly fastestTime: number;
  readonly varianceTime: number;
  readonly varianceBytes: number;
  readonly bit: number;
}

const BITS: Readonly<Record<string, number>> = { POSIX: 1, STDIO: 2, DFS: 4, "MPI-IO": 8 };

const routes = new Map<ModuleSpec, Route>();

/** Modules that have rows. */
export const hasRows = (spec: ModuleSpec): boolean => SUMS[spec.name] !== undefined;

export function routeOf(spec: ModuleSpec): Route {
  let route = routes.get(spec);
  if (route === undefined) {
    const at = (name: string) => columnOf(spec, (PREFIXES[spec.name] as string) + name);
    const sums = Object.entries(SUMS[spec.name] ?? {}).flatMap(([column, names]) =>
      names.flatMap((name) => [integerAt.get(column) as number, at(name)]),
    );
    route = {
      sums: Int32Array.from(sums),
      readTime: at("F_READ_TIME"),
      writeTime: at("F_WRITE_TIME"),
      metaTime: at("F_META_TIME"),
      bytesRead: at("BYTES_READ"),
      bytesWritten: at("BYTES_WRITTEN"),
      slowestTime: at("F_SLOWEST_RANK_TIME"),
      fastestTime: at("F_FASTEST_RANK_TIME"),
      varianceTime: at("F_VARIANCE_RANK_TIME"),
      varianceBytes: at("F_VARIANCE_RANK_BYTES"),
      bit: BITS[spec.name] as number,
    };
    routes.set(spec, route);
  }
  return route;
}
