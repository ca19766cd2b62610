/** Darshan logs: reading, writing, printing, importing. */
export type { RecordBlock } from "./blocks.ts";
export { type ConvertOptions, type ConvertResult, convertLog } from "./convert.ts";
export type { SegmentBlock, TraceRecord } from "./dxt.ts";
export { writeDxt } from "./dxt-text.ts";
export { darshan } from "./format.ts";
export {
  COMPRESSIONS,
  type Compression,
  type Header,
  type ModuleEntry,
  NEW_LAYOUT,
  type Region,
} from "./header.ts";
export { importLog, runSpan } from "./import.ts";
export { Job, type Mount, decode } from "./job.ts";
export { writeDxtJson, writeParseJson } from "./json.ts";
export { DEFAULT_LIMITS, type Limits } from "./limits.ts";
export { type Codecs, DarshanLog, type OpenOptions } from "./log.ts";
export {
  type Counter,
  MODULES,
  type ModuleSpec,
  dxtMpiio,
  dxtPosix,
  findModule,
  heatmap,
  lustre,
  mpiio,
  posix,
  stdio,
} from "./modules/index.ts";
export type { NameTable } from "./names.ts";
export { recordId } from "./record-id.ts";
export {
  type CounterRecord,
  type DarshanRecord,
  type HeatmapRecord,
  type LustreRecord,
  type Segment,
  type TraceObject,
  counterRecord,
  decodeRecord,
  decodeSegments,
  encodeRecord,
} from "./records.ts";
export type { Renaming } from "./rename.ts";
export { type ParseSections, writeParse } from "./text.ts";
export { type DerivedFigures, Totals } from "./totals.ts";
export {
  type Encoder,
  type JobFacts,
  type LogSink,
  LogWriter,
  type StreamEncoder,
  type WriteOptions,
  memorySink,
} from "./writer.ts";
export { type Identity, StoredRows } from "./stored-rows.ts";
