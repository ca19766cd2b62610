/** From paths to a job: what the CLI, the library and a server share. */
export { damageKeeper, type LogOptions, readThrough, skipDamage, withLog } from "./darshan-log.ts";
export { type JobOptions, type ReadJob, readJob, reportDocument, type ReportWords } from "./job.ts";
export type { Listener } from "../base/listener.ts";
export { findInputs, type InputFile, isPipe, withoutTwins } from "./files.ts";
export { collectInputs, type ReadSetting } from "./measure/collect.ts";
