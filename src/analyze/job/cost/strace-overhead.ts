/**
 * What strace adds to the time of a call. It stops the process before and behind each call, and both switches to it are
 * inside the time that it prints. No call takes less than that, so the quickest kind of call bounds it from above.
 */
import type { Job } from "../job.ts";
import type { LayerRecord } from "../records.ts";

/** Fewer calls of a kind may all have been quick or slow by chance. */
const CALLS_MIN = 16;

/** Mean seconds of the quickest kind of call on any file; undefined where no kind has enough calls. */
function quickestCall({ records }: Pick<Job, "records">): number | undefined {
  let least = Number.POSITIVE_INFINITY;
  for (const record of records)
    for (const [calls, seconds] of kindsOf(record))
      if (calls >= CALLS_MIN && seconds > 0) least = Math.min(least, seconds / calls);
  return Number.isFinite(least) ? least : undefined;
}

const kindsOf = (record: LayerRecord) =>
  [
    [record.reads, record.readSeconds],
    [record.writes, record.writeSeconds - Math.max(0, record.syncSeconds)],
    // A close for each open.
    [2 * record.opens, record.openSeconds],
    [record.stats, record.statSeconds],
    [record.seeks, record.seekSeconds],
  ] as const;

export const isStraced = ({ runs }: Pick<Job, "runs">) => runs.some(({ kind }) => kind === "strace");

/** For the model of a cost. */
export function straceText(job: Pick<Job, "records">): string {
  const quickest = quickestCall(job);
  return quickest === undefined
    ? "strace makes calls longer, so that it is less without"
    : `strace makes calls longer, each by at most ${Number((1e6 * quickest).toPrecision(2))} µs, which the quickest kind takes here`;
}
