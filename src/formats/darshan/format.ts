/** Darshan logs in the catalogue of inputs. */
import type { InputFormat } from "../input-format.ts";
import { readDarshanCalls } from "./accesses.ts";
import { importLog } from "./import.ts";
import { DarshanLog } from "./log.ts";

export const darshan = {
  id: "darshan",
  label: "Darshan log",
  recognizes(head) {
    // Version text `3.nn`, and the magic number in either byte order.
    const text = head[0] === 0x33 && head[1] === 0x2e;
    const little = head[8] === 0x37 && head[9] === 0x35 && head[10] === 0x64;
    const big = head[15] === 0x37 && head[14] === 0x35 && head[13] === 0x64;
    return text && (little || big);
  },
  rows: { alone: false },
  calls: readDarshanCalls,
  counters(source, into, options) {
    importLog(new DarshanLog(source, options), into, options.runId ?? source.name);
  },
} satisfies InputFormat;
