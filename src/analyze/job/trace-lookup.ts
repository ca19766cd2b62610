/** What traces say of the file of a record; a log may have a hundred thousand of them. */
import type { Job } from "./job.ts";
import { oncePerJob } from "./once-per-job.ts";
import type { LayerRecord } from "./records.ts";
import type { TraceFileFacts } from "./trace-facts.ts";

const filesOf = oncePerJob(
  ({ trace }) => new Map(trace?.files.map((file) => [`${file.layer} ${file.fileId}`, file])),
);

/** In the layer of the record. */
export const traceOf = (job: Job, { fileId, layer }: LayerRecord): TraceFileFacts | undefined =>
  job.trace && filesOf(job).get(`${layer} ${fileId}`);
