/** Metadata of a synthetic site by operation: how the calls of a row divide, and how long an MDT takes for each. */

/** Columns of `minutes` and `targets`, and what servers call them, with microseconds of a call. */
const OPERATION_USECS = { open: 180, close: 60, mknod: 300, getattr: 40, setattr: 120, unlink: 260 } as const;
type MetadataOperation = keyof typeof OPERATION_USECS;

/** Calls of an MDT from the four numbers of a row: of the rest an eighth sets attributes, a sixteenth removes files. */
export function mdtCalls(
  opens: number,
  closes: number,
  mknods: number,
  metadata: number,
): Record<MetadataOperation, number> {
  const rest = metadata - opens - closes - mknods;
  const setattr = Math.floor(rest / 8);
  const unlink = Math.floor(rest / 16);
  return { open: opens, close: closes, mknod: mknods, getattr: rest - setattr - unlink, setattr, unlink };
}

/** Time of calls on the MDT, summed. */
export function mdtUsecs(calls: Readonly<Record<MetadataOperation, number>>): number {
  let usecs = 0;
  for (const name in calls)
    usecs += calls[name as MetadataOperation] * OPERATION_USECS[name as MetadataOperation];
  return usecs;
}
