/** The formats that ingest knows; the first that recognises an input reads it. */
import { darshanLogs } from "./darshan.ts";
import type { InputFormat } from "./input-format.ts";
import { clientReadings } from "./system/clients.ts";
import { slurmAccounting } from "./system/scheduler.ts";
import { serverSegments } from "./system/segments.ts";

/** Files that stand for themselves. Texts of counters, which belong together in time, are in system/series.ts. */
export const INPUT_FORMATS: readonly InputFormat[] = [
  darshanLogs,
  serverSegments,
  clientReadings,
  slurmAccounting,
];
