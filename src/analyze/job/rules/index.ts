/** The table of rules: each file's rules in the order that lists show. */
import type { Rule } from "../rule.ts";
import { ACCESSES_RULES } from "./accesses.ts";
import { CALL_APPEND_RULES } from "./calls-appends.ts";
import { CALL_ORDER_RULES } from "./calls-order.ts";
import { FILES_RULES } from "./files.ts";
import { LIBRARIES_RULES } from "./libraries.ts";
import { MPI_IO_RULES } from "./mpi-io.ts";
import { RANKS_RULES } from "./ranks.ts";
import { SPAN_RULES } from "./spans.ts";
import { STORAGE_RULES } from "./storage.ts";
import { TIME_RULES } from "./time.ts";

export const RULES: readonly Rule[] = [
  ...TIME_RULES,
  ...ACCESSES_RULES,
  ...MPI_IO_RULES,
  ...LIBRARIES_RULES,
  ...RANKS_RULES,
  ...FILES_RULES,
  ...STORAGE_RULES,
  ...SPAN_RULES,
  ...CALL_ORDER_RULES,
  ...CALL_APPEND_RULES,
];
export { extentOf } from "./measures.ts";
export { fileCalls } from "./per-job.ts";
export { STRIPES_SOURCE, stripeArithmetic, stripesFor, stripesOf } from "./striping.ts";
export { secondsText } from "./wording.ts";
