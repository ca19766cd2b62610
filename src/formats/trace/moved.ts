/** How many bytes the call of a record moved. */
import { CALL_ERROR } from "../../model/index.ts";
import { hostIsLittle, KIND, RECORD_OUTER, RECORD_SHORT } from "./layout.ts";

/** MPI_File_read, _at and _shared, and the same of write. */
const INDEPENDENT = new Set([33, 34, 37, 49, 50, 53]);

/**
 * An access of MPI-IO moves its bytes through calls within, which are recorded themselves; then it moved nothing of its
 * own. Without any, an independent one did it in a way that is not seen (asynchronous I/O of the C library), while the
 * bytes of a collective one may be moved by another process: NaN, not known.
 */
export function movedOf(
  flags: number,
  kind: number,
  size: number,
  words: Uint32Array | undefined,
  bytes: Uint8Array,
  next: number,
): number {
  if ((flags & RECORD_OUTER) !== 0) return 0;
  if ((flags & CALL_ERROR) !== 0) return 0;
  if (kind >= KIND.mpiFirst) return INDEPENDENT.has(kind) ? size : Number.NaN;
  if ((flags & RECORD_SHORT) === 0) return size;
  if (words === undefined || bytes[next * 4 + 4] !== KIND.moved) return Number.NaN;
  const low = hostIsLittle ? 0 : 1;
  return (words[next + 2 + low] as number) + (words[next + 3 - low] as number) * 2 ** 32;
}
