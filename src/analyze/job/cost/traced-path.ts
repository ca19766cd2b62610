/** Whether traced calls are all that the counters count, so that phases can tell the critical time. */
import type { JobFile } from "../job.ts";
import type { TraceFacts } from "../trace-facts.ts";
import { timedRecords, type TracedPath } from "./ledger.ts";

/** Of the time of reads and writes that the counters have. */
const COVERED_MIN = 0.95;

/**
 * Undefined without traces, and where calls are missing: bytes or times of a file that are not those of its counters. Time
 * that no traced call has (metadata and streams of Darshan logs) stays with the counters.
 */
export function tracedPath(files: readonly JobFile[], trace: TraceFacts | undefined): TracedPath | undefined {
  if (trace === undefined) return undefined;
  const traced = new Map(trace.files.map((one) => [`${one.layer} ${one.fileId}`, one]));
  let [data, meta, covered] = [0, 0, 0];
  for (const file of files)
    for (const record of timedRecords(file)) {
      const moving = (record.readSeconds || 0) + (record.writeSeconds || 0);
      data += moving;
      meta += record.metaSeconds || 0;
      const calls = traced.get(`${record.layer} ${record.fileId}`);
      if (calls === undefined) continue;
      const bytes = calls.read.bytes + calls.write.bytes;
      const isWhole = bytes === (record.bytesRead || 0) + (record.bytesWritten || 0);
      const syncs = record.syncSeconds > 0 && trace.metaSeconds > 0 ? record.syncSeconds : 0;
      if (isWhole) covered += Math.min(moving, calls.read.seconds + calls.write.seconds + syncs);
    }
  if (!(data > 0 && covered >= COVERED_MIN * data)) return undefined;
  const withMeta = covered + (trace.metaSeconds > 0 ? meta : 0);
  return { source: "calls", ...trace.path, covered: withMeta / (data + meta) };
}
