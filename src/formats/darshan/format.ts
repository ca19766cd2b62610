/** Darshan logs in the catalogue of inputs. */
import type { InputFormat } from "../input-format.ts";
import { readDarshanCalls } from "./accesses.ts";
import { importLog } from "./import.ts";
import { hasLogSignature } from "./header.ts";
import { DarshanLog } from "./log.ts";

export const darshan = {
  id: "darshan",
  label: "Darshan log",
  recognizes: hasLogSignature,
  rows: { alone: false },
  calls: readDarshanCalls,
  counters(source, into, options) {
    importLog(new DarshanLog(source, options), into, options.runId ?? source.name);
  },
} satisfies InputFormat;
