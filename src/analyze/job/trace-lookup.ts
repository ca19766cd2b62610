/** What traces say of the file of a record; a log may have a hundred thousand of them. */
import type { Job } from "./job.ts";
import type { LayerRecord } from "./records.ts";
import type { TraceFacts, TraceFileFacts } from "./trace-facts.ts";

const BY_FILE = new WeakMap<TraceFacts, ReadonlyMap<string, TraceFileFacts>>();

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
