/** `plimsoll/formats`: reads, writes and prints logs; runs in a browser. */
export { type ByteSource, bytesSource } from "../base/source.ts";
export { CATALOGUE, detectFormat, findFormat } from "../formats/catalogue.ts";
export type { RecordBlock } from "../formats/darshan/blocks.ts";
export { convertLog, type ConvertOptions, type ConvertResult } from "../formats/darshan/convert.ts";
export { writeDxt } from "../formats/darshan/dxt-text.ts";
export type { SegmentBlock, TraceRecord } from "../formats/darshan/dxt.ts";
export { darshan } from "../formats/darshan/format.ts";
export type { Compression, Header, ModuleEntry, Region } from "../formats/darshan/header.ts";
export { importLog } from "../formats/darshan/import.ts";
export { Job, type Mount } from "../formats/darshan/job.ts";
export { writeDxtJson, writeParseJson } from "../formats/darshan/json.ts";
export { DEFAULT_LIMITS, type Limits } from "../formats/darshan/limits.ts";
export { type Codecs, DarshanLog, type OpenOptions } from "../formats/darshan/log.ts";
export { type Counter, findModule, MODULES, type ModuleSpec } from "../formats/darshan/modules/index.ts";
export type { NameTable } from "../formats/darshan/names.ts";
export { recordId } from "../formats/darshan/record-id.ts";
export {
  counterRecord,
  type DarshanRecord,
  decodeRecord,
  decodeSegments,
  encodeRecord,
  type Segment,
  type TraceObject,
} from "../formats/darshan/records.ts";
export type { Renaming } from "../formats/darshan/rename.ts";
export { type ParseSections, writeParse } from "../formats/darshan/text.ts";
export { type DerivedFigures, Totals } from "../formats/darshan/totals.ts";
export {
  type Encoder,
  type LogSink,
  LogWriter,
  memorySink,
  type StreamEncoder,
  type WriteOptions,
} from "../formats/darshan/writer.ts";
export type { CallReadOptions, Capability, InputFormat } from "../formats/input-format.ts";
