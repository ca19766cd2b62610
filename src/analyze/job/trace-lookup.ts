/** What traces say of the file of a record; a log may have a hundred thousand of them. */
import type { Job } from "./job.ts";
import { oncePerJob } from "./once-per-job.ts";
import type { LayerRecord } from "./records.ts";
import type { TraceFileFacts } from "./trace-facts.ts";

const filesOf = oncePerJob(
  ({ trace }) => new Map(trace?.files.map((file) => [`${file.layer} ${file.fileId}`, file])),
);

/** Time of calls that took far longer than their like, and so not for their size; 0 where no single calls tell. */
export function stalledSeconds(job: Job, record: LayerRecord, way: "read" | "write"): number {
  const outliers = traceOf(job, record)?.[way].outliers;
  if (!outliers) return 0;
  const { calls, overSeconds, longest } = outliers;
  const kept = longest.reduce((sum, one) => sum + one.seconds, 0);
  return kept + Math.max(0, calls - longest.length) * overSeconds;
}

/** In the layer of the record. */
export const traceOf = (job: Job, { fileId, layer }: LayerRecord): TraceFileFacts | undefined =>
  job.trace && filesOf(job).get(`${layer} ${fileId}`);
