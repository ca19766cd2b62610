/** Recorded runs with known truth. */
import type { RecordedRun, Transfer } from "./recorded.ts";

export const transferOf = (changes: Partial<Transfer> = {}): Transfer => ({
  file: "",
  bytes: 1000,
  seconds: 10,
  ranks: 1,
  write: false,
  targets: [0],
  ...changes,
});

export function runOf(
  id: number,
  start: number,
  reads: readonly Transfer[],
  changes: Partial<RecordedRun> = {},
): RecordedRun {
  return {
    id: String(id),
    application: "app",
    ranks: 1,
    start,
    end: start + 100_000,
    reads,
    writes: [],
    ...changes,
  };
}

/** Targets of one rate, no limits, no loss. */
export const constant = (rate: number) => ({
  rate: () => rate,
  limit: () => Number.POSITIVE_INFINITY,
  lossPerStream: 0,
});
