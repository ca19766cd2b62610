/**
 * The catalogue `single`: small logs with one I/O pathology each, or none, and the findings to expect. A log is
 * a list of imagined calls (make) that a small recorder turns into counters, so all of them agree.
 */
import { Random } from "../../base/prng.ts";
import type { WriteOptions } from "../../formats/darshan/writer.ts";
import { type RecordedLog, recordLog } from "../recorder/record.ts";
import { ACCESSES } from "./accesses.ts";
import { FILE_LOGS } from "./files.ts";
import { RANKS } from "./ranks.ts";
import type { SingleLog } from "./single-log.ts";
import { SOUND } from "./sound.ts";

export { FINDINGS, type SingleLog } from "./single-log.ts";

export const SINGLE_LOGS: readonly SingleLog[] = [...ACCESSES, ...RANKS, ...FILE_LOGS, ...SOUND];

/** The log of an entry; the same bytes for the same seed, whichever other logs are made. */
export function makeSingle(log: SingleLog, seed: number, encoders: WriteOptions["encoders"]): RecordedLog {
  return recordLog(log.make(randomOf(log.id, seed)), encoders);
}

/** Random numbers of one entry: the seed, mixed with the id (FNV-1a). */
export function randomOf(id: string, seed: number): Random {
  let hash = 0x811c9dc5;
  for (let i = 0; i < id.length; i++) hash = Math.imul(hash ^ id.charCodeAt(i), 0x01000193);
  return new Random(hash ^ Math.imul(seed, 0x9e3779b1));
}
export { Application, osts } from "./application.ts";
