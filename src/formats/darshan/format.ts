/** Darshan logs in the catalogue of inputs. */
import type { InputFormat } from "../input-format.ts";
import { readDarshanCalls } from "./accesses.ts";
import { hasLogSignature } from "./header.ts";

export const darshan = {
  id: "darshan",
  label: "Darshan log",
  recognizes: hasLogSignature,
  rows: { alone: false },
  calls: readDarshanCalls,
  counters: (source) => source,
} as const satisfies InputFormat;
