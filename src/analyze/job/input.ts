/** What the sections of a report are made from. */
import type { Tables, Trace } from "../../model/index.ts";
import type { Job } from "./job.ts";
import type { Verdicts } from "./rule.ts";

export interface ReportInput {
  readonly job: Job;
  readonly verdicts: Verdicts;
  readonly tables: Tables;
  /** Undefined without traces. */
  readonly trace: Trace | undefined;
  /** Name and version of the program, and the command that made the report. */
  readonly madeBy: string;
  readonly command: string;
}
