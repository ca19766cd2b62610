/** Traces of `plimsoll record`: recognised, read whole or in parts, and what they do not have. */
export { isTrace, readHeader, type TraceHeader } from "./header.ts";
export { HEADER, HEADER_BYTES, RECORD_BYTES, TRACE_SANDBOX } from "./layout.ts";
export { SYNC_NOTE, tellFacts, type TraceCounts } from "./notes.ts";
export { paper, paperSink } from "./paper.ts";
export { planTrace, readTracePart, type TracePartFacts, TraceParts, type TracePlan } from "./parts.ts";
export { readTrace, type RecordRange, trace } from "./reader.ts";
export { isLeftOut, SYSTEM_PATHS } from "./system-files.ts";
export { notesOfUnrecorded, notesOfUnseen, RUN_FILE, TRACE_SUFFIX, UNSEEN_FILE } from "./unseen.ts";
