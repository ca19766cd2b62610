/** J02: bytes and I/O time of a job, on average and of the slowest rank, and the throughput they give. */
import { type Ledger, timedRecords } from "./cost/ledger.ts";
import type { IoTimes, JobFile } from "./job.ts";
import { knownSum, plus } from "./records.ts";

export function ioTimes(
  files: readonly JobFile[],
  ledger: Ledger,
  ranks: number,
  runSeconds: number,
  exact: { readonly read: bigint; readonly written: bigint },
): IoTimes {
  let [readSeconds, writeSeconds] = [0, 0];
  // Many traces have no metadata calls.
  let metaSeconds = files.length === 0 ? 0 : Number.NaN;
  for (const file of files)
    for (const record of timedRecords(file)) {
      readSeconds += record.readSeconds || 0;
      writeSeconds += record.writeSeconds || 0;
      metaSeconds = plus(metaSeconds, record.metaSeconds);
    }
  const sum = knownSum(readSeconds, writeSeconds, metaSeconds);
  // Calls of one process may overlap: its phases know how long at least one was in progress.
  const isAlone = ranks === 1 && ledger.isTraced;
  const meanSeconds = ranks > 0 ? sum / ranks : Number.NaN;
  const slowest = isAlone ? ledger.seconds : Math.max(ledger.countedSeconds, meanSeconds || 0);
  const slowestSeconds = runSeconds > 0 ? Math.min(slowest, runSeconds) : slowest;
  const bytes = Number(exact.read + exact.written);
  return {
    bytesRead: Number(exact.read),
    bytesWritten: Number(exact.written),
    bytesReadExact: exact.read,
    bytesWrittenExact: exact.written,
    readSeconds,
    writeSeconds,
    metaSeconds,
    meanSeconds,
    slowestSeconds,
    slowestRank: ledger.slowestRank,
    meanShare: runSeconds > 0 ? Math.min(1, (isAlone ? slowest : meanSeconds) / runSeconds) : Number.NaN,
    slowestShare: runSeconds > 0 ? slowestSeconds / runSeconds : Number.NaN,
    bytesPerSecond: slowestSeconds > 0 ? bytes / slowestSeconds : Number.NaN,
  };
}
