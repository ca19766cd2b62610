/** What the rules on opens, stats and closes share. */
import type { Job, JobFile } from "../job.ts";
import { limit } from "../rule.ts";
import { worstFiles } from "./evidence.ts";
import { metadataFacts } from "./file-facts.ts";
import { ioSeconds, sum } from "./measures.ts";
import { fileCalls, realFiles } from "./per-job.ts";
import { secondsText } from "./wording.ts";

export const CALLS = [["POSIX", "STDIO", "DFS"]] as const;
export const OPERATIONS = limit`1000 calls | operations of the job, at least | Plimsoll's choice: at about 1 ms each, fewer take less than a second`;
/** Metadata servers answer in milliseconds; an open that takes a second waits for somebody, as those of pipes do. */
export const WAITING_SECONDS = 1;

export function isWaiting(job: Job, file: JobFile): boolean {
  const { opens, stats, metaSeconds } = fileCalls(job, file);
  return metaSeconds >= WAITING_SECONDS * Math.max(1, 2 * opens + stats);
}

/** Metadata time over all ranks, in the layer that is called. */
export const metaSecondsOf = (job: Job, files: readonly JobFile[]) =>
  sum(files, (file) => fileCalls(job, file).metaSeconds);

/** Operations of each record that keeps their time, and those that it needs: one open, close and stat for each rank. */
export const metadataUses = (job: Job, files: readonly JobFile[]) =>
  files.flatMap((file) => {
    const { opens, stats } = fileCalls(job, file);
    const made = 2 * opens + stats;
    const needed = file.called.ranks * ((opens > 0 ? 2 : 0) + (stats > 0 ? 1 : 0));
    return [...file.layers.values()].map((record) => ({ record, needed, made }));
  });

export function metadataEvidence(job: Job) {
  const meta = metadataFacts(job);
  const metaOf = (file: JobFile) => fileCalls(job, file).metaSeconds;
  const files = realFiles(job).filter((file) => metaOf(file) > 0);
  return {
    numbers: [
      { label: "metadata time", value: meta.seconds, unit: "seconds", of: ioSeconds(job) },
      { label: "opens", value: meta.opens, unit: "calls" },
      { label: "stats", value: meta.stats, unit: "calls" },
      { label: "mean metadata time of a rank", value: meta.meanSeconds, unit: "seconds", of: job.runSeconds },
    ],
    ...worstFiles(files, metaOf, (file) => `${secondsText(metaOf(file))} in metadata over all ranks`),
  } as const;
}
