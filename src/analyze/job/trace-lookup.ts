/** What traces say of the file of a record; a log may have a hundred thousand of them. */
import type { Job } from "./job.ts";
import type { LayerRecord } from "./records.ts";
import type { TraceFacts, TraceFileFacts } from "./trace-facts.ts";

const BY_FILE = new WeakMap<TraceFacts, ReadonlyMap<string, TraceFileFacts>>();

/** Time of calls that took far longer than their like, and so not for their size; 0 where no single calls tell. */
export function stalledSeconds(job: Job, record: LayerRecord, way: "read" | "write"): number {
  const outliers = traceOf(job, record)?.[way].outliers;
  if (!outliers) return 0;
  const { calls, overSeconds, longest } = outliers;
  const kept = longest.reduce((sum, one) => sum + one.seconds, 0);
  return kept + Math.max(0, calls - longest.length) * overSeconds;
}

/** In the layer of the record. */
export function traceOf({ trace }: Job, { fileId, layer }: LayerRecord): TraceFileFacts | undefined {
  if (trace === undefined) return undefined;
  let files = BY_FILE.get(trace);
  if (files === undefined) {
    files = new Map(trace.files.map((file) => [`${file.layer} ${file.fileId}`, file]));
    BY_FILE.set(trace, files);
  }
  return files.get(`${layer} ${fileId}`);
}
