/** Darshan logs: reading, writing, printing, importing. */
export type { RecordBlock } from "./blocks.ts";
export { type ConvertOptions, type ConvertResult, convertLog } from "./convert.ts";
export type { SegmentBlock, TraceRecord } from "./dxt.ts";
export { writeDxt } from "./dxt-text.ts";
export { darshan } from "./format.ts";
export type { Compression, Header, ModuleEntry, Region } from "./header.ts";
export { importLog } from "./import.ts";
export { Job, type Mount } from "./job.ts";
export { writeDxtJson, writeParseJson } from "./json.ts";
export { DEFAULT_LIMITS, type Limits } from "./limits.ts";
export { type Codecs, DarshanLog, type OpenOptions } from "./log.ts";
export { type Counter, findModule, MODULES, type ModuleSpec } from "./modules/index.ts";
export type { NameTable } from "./names.ts";
export { recordId } from "./record-id.ts";
export {
  counterRecord,
  type DarshanRecord,
  decodeRecord,
  decodeSegments,
  encodeRecord,
  type Segment,
  type TraceObject,
} from "./records.ts";
export type { Renaming } from "./rename.ts";
export { type ParseSections, writeParse } from "./text.ts";
export { type DerivedFigures, Totals } from "./totals.ts";
export {
  type Encoder,
  type LogSink,
  LogWriter,
  memorySink,
  type StreamEncoder,
  type WriteOptions,
} from "./writer.ts";
