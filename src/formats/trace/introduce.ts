/** Whose calls a trace has, and how many records. */
import type { ByteSource } from "../../base/source.ts";
import type { CallFile, CallSink } from "../../model/index.ts";
import { clockUncertaintyNs, type TraceHeader } from "./header.ts";
import { FILE_OTHER, FILE_UNKNOWN, HEADER_BYTES, RECORD_BYTES } from "./layout.ts";

/** Tells the sink whose accesses will come and what their times count from; returns its number of the process. */
export function introduce(header: TraceHeader, sink: CallSink): number {
  const { startMonotonic, endMonotonic, realtimeOffset, pid, rank, ranks, host, command, comm } = header;
  sink.clock({
    kind: "realtime",
    epochNs: startMonotonic + realtimeOffset,
    uncertaintyNs: clockUncertaintyNs(header),
  });
  const program = command[0]?.split("/").at(-1) || comm;
  return sink.process({
    pid,
    ...(rank === undefined ? {} : { rank }),
    ...(rank === undefined || ranks === undefined ? {} : { ranks }),
    tellsCollectives: true,
    ...(host === "" ? {} : { host }),
    ...(program === "" ? {} : { program }),
    ...(command.length === 0 ? {} : { command: command.join(" ") }),
    ...(endMonotonic > startMonotonic
      ? { life: { startNs: 0, endNs: Number(endMonotonic - startMonotonic) } }
      : {}),
  });
}

/** What a file is called where its name is not recorded. */
export const unnamedFile = (file: number): CallFile => ({
  path: file === FILE_OTHER ? "(other files)" : file === FILE_UNKNOWN ? "" : `(file ${file})`,
});

/** How many records the file has, and how many of those that the header counts it has not. */
export function recordsIn(source: ByteSource, { count, capacity }: TraceHeader) {
  const inFile = Math.floor((source.byteLength - HEADER_BYTES) / RECORD_BYTES);
  const claimed = Math.min(count, capacity);
  const available = Math.min(claimed, inFile);
  return { available, missing: claimed - available };
}
