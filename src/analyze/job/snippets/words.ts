/** What entries of several files write alike. */
import type { Way } from "./entry.ts";

export interface Directed {
  readonly way: Way;
}

/** `Read`, `Write`, as names of mpi4py begin. */
export const capital = (way: Way): string => (way === "read" ? "Read" : "Write");

export const cMode = ({ way }: Directed): string =>
  way === "write" ? "MPI_MODE_CREATE | MPI_MODE_WRONLY" : "MPI_MODE_RDONLY";

export const fortranMode = ({ way }: Directed): string =>
  way === "write" ? "ior(MPI_MODE_CREATE, MPI_MODE_WRONLY)" : "MPI_MODE_RDONLY";

export const pythonMode = ({ way }: Directed): string =>
  way === "write" ? "MPI.MODE_CREATE | MPI.MODE_WRONLY" : "MPI.MODE_RDONLY";

/** A whole number as C and Fortran take it: sizes of a log may be means, or missing. */
export const whole = (value: number): number =>
  value >= 0 && Number.isFinite(value) ? Math.round(value) : 0;

/** The direction of most bytes. */
export function wayOf(list: Iterable<{ readonly bytesRead: number; readonly bytesWritten: number }>): Way {
  let [read, written] = [0, 0];
  for (const { bytesRead, bytesWritten } of list) {
    read += bytesRead || 0;
    written += bytesWritten || 0;
  }
  return written >= read ? "write" : "read";
}
