/**
 * Text of darshan-parser and darshan-dxt-parser (https://www.mcs.anl.gov/research/projects/darshan/docs/darshan-util.html), for
 * archives that lost the log. Both begin with the same lines on the job; one file may hold both.
 *
 *   # darshan log version: 3.41
 *   POSIX	-1	6301063301082038805	POSIX_OPENS	16	/scratch/out	/scratch	lustre
 *    X_POSIX       0  write        0               0         1048576      0.0054      0.0061
 */
import { readDarshanCalls } from "../darshan/accesses.ts";
import type { InputFormat } from "../input-format.ts";
import { isDarshanText } from "./head.ts";
import { logOfText } from "./log.ts";

export const darshanText = {
  id: "darshan-text",
  label: "text of darshan-parser or darshan-dxt-parser",
  recognizes: isDarshanText,
  calls: (source, sink, options) => readDarshanCalls(logOfText(source), sink, options),
  counters: logOfText,
} satisfies InputFormat;
