/** ROMIO's hints that select a method of noncontiguous I/O, and whether the call is collective. */
import { UsageError } from "../../base/errors.ts";
import type { NcioMethod } from "../../model/index.ts";

export type Hints = Readonly<Record<string, string>>;

interface MpiioMethod {
  readonly collective: boolean;
  readonly hints: Hints;
  /** Only ROMIO's driver for PVFS2 (OrangeFS) has such requests. */
  readonly onlyPvfs2?: string;
}

const both = (name: string, value: string): Hints => ({
  [`romio_${name}_read`]: value,
  [`romio_${name}_write`]: value,
});

const INDEPENDENT = both("cb", "disable");

/** Plus sizes of buffers (`ind_wr_buffer_size`, `ind_rd_buffer_size`, `cb_buffer_size`) and aggregators (`cb_nodes`). */
export const MPIIO_METHODS: Readonly<Record<NcioMethod, MpiioMethod>> = {
  posix: { collective: false, hints: { ...INDEPENDENT, ...both("ds", "disable") } },
  sieving: { collective: false, hints: { ...INDEPENDENT, ...both("ds", "enable") } },
  "two-phase": { collective: true, hints: both("cb", "enable") },
  list: {
    collective: false,
    hints: {
      ...INDEPENDENT,
      ...both("ds", "disable"),
      ...both("pvfs2_listio", "enable"),
      ...both("pvfs2_dtype", "disable"),
    },
    onlyPvfs2: "list requests",
  },
  datatype: {
    collective: false,
    hints: {
      ...INDEPENDENT,
      ...both("ds", "disable"),
      ...both("pvfs2_dtype", "enable"),
      ...both("pvfs2_listio", "disable"),
    },
    onlyPvfs2: "datatype requests",
  },
};

/** Throws when this library and file system do not support a method; `driver` comes from the opened file. */
export function requireMethod(
  method: NcioMethod,
  driver: string | undefined,
  version: string,
  path: string,
): void {
  if (driver === undefined)
    throw new UsageError(
      version.startsWith("Open MPI")
        ? `${method}: Open MPI's own I/O ignores the hints that select a method; start it with mpiexec --mca io romio321 (romio341 from version 5 on)`
        : `${method}: ${version} does not use ROMIO, whose hints select the method`,
    );
  const { onlyPvfs2 } = MPIIO_METHODS[method];
  if (onlyPvfs2 === undefined || /pvfs2|orangefs/i.test(driver)) return;
  throw new UsageError(
    `${method}: ${path} uses ROMIO's driver "${driver.replace(/:.*$/s, "")}", which has no ${onlyPvfs2} (only the PVFS2 and OrangeFS driver has it); use another method, or --backend servers`,
  );
}
