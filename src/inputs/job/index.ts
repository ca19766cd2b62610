/** A judged job from what a host gives: files of Node or of a page. Runs in a browser. */
export { readCalls, sharedNames } from "./calls.ts";
export { nameFilter } from "./file-filter.ts";
export {
  findInputs,
  type InputFile,
  openInput,
  skipReason,
  unrecordedIn,
  requireOneStdin,
  STDIN,
  withoutTwins,
} from "./files.ts";
export { gatherCalls } from "./gather-calls.ts";
export type { InputHost } from "./host.ts";
export { type JobOptions, type ReadJob, readJob, reportDocument, type ReportWords } from "./read.ts";
export { splitJobs } from "./split.ts";
export { CALLS_HINT, compareInput, reportWords } from "./words.ts";
