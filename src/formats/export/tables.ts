/** Calls as a table: CSV and Parquet, with the column names that our own readers of tables know. */
import { csvField, csvRow } from "../../base/csv.ts";
import { putInteger } from "../../base/text-writer.ts";
import { CALL_COLLECTIVE, CALL_ERROR, CALL_LAYERS, CALL_NESTED } from "../../model/index.ts";
import { NO_TEXT, type ParquetColumn, type ParquetValues, ParquetWriter } from "../parquet/writer.ts";
import { CallRows, type WholeBlock } from "./call-rows.ts";
import { Chunks } from "./chunks.ts";
import type { OrderedCalls } from "./collection.ts";
import { layerName, OPERATION_NAMES } from "./names.ts";

/** Times in seconds since the start of the run; what is not known is empty, such as `collective` of who does not tell. */
const CALL_COLUMNS: readonly ParquetColumn[] = [
  { name: "rank", type: "i64" },
  { name: "pid", type: "i64" },
  { name: "host", type: "text" },
  { name: "file", type: "text" },
  { name: "layer", type: "text" },
  { name: "op", type: "text" },
  { name: "start", type: "f64" },
  { name: "end", type: "f64" },
  { name: "bytes", type: "i64" },
  { name: "moved", type: "i64" },
  { name: "offset", type: "i64" },
  { name: "failed", type: "flag" },
  { name: "nested", type: "flag" },
  { name: "collective", type: "i64" },
];

const bitOf = (flags: number, flag: number) => ((flags & flag) === 0 ? 0 : 1);

const TEXT = new TextEncoder();
const COMMA = 44;
const ZERO = 48;
const POINT = 46;

export function* callsCsv(calls: OrderedCalls): Generator<Uint8Array> {
  const chunks = new Chunks();
  const { writer } = chunks;
  const processes = calls.processes.map(({ rank, pid, host }) =>
    TEXT.encode(`${csvRow([rank, pid, host])},`),
  );
  const tells = calls.processes.map(({ tellsCollectives }) => tellsCollectives === true);
  const files = calls.files.map(({ path }) => TEXT.encode(`${csvField(path)},`));
  const kinds = CALL_LAYERS.map((_, layer) =>
    OPERATION_NAMES.map((name) => TEXT.encode(`${layerName(layer)},${name},`)),
  );
  const amount = (value: number) => {
    if (!Number.isNaN(value)) writer.integer(value);
    writer.byte(COMMA);
  };
  const names = CALL_COLUMNS.map(({ name }) => name);
  writer.text(`${csvRow(calls.synthetic ? [...names, "origin"] : names)}\r\n`);
  const end = calls.synthetic ? ",synthetic\r\n" : "\r\n";
  for (const block of calls.blocks()) {
    for (let i = 0; i < block.count; i++) {
      writer.raw(processes[block.process[i] as number] as Uint8Array);
      writer.raw(files[block.file[i] as number] as Uint8Array);
      writer.raw(kinds[block.layer[i] as number]?.[block.operation[i] as number] as Uint8Array);
      putSeconds(writer, block.startNs[i] as number);
      writer.byte(COMMA);
      putSeconds(writer, block.endNs[i] as number);
      writer.byte(COMMA);
      amount(block.bytes[i] as number);
      amount(block.movedBytes[i] as number);
      amount(block.offset[i] as number);
      const flags = block.flags[i] as number;
      const collective = tells[block.process[i] as number] ? bitOf(flags, CALL_COLLECTIVE) : "";
      writer.text(`${bitOf(flags, CALL_ERROR)},${bitOf(flags, CALL_NESTED)},${collective}${end}`);
    }
    yield* chunks.full();
  }
  yield* chunks.rest();
}

/** Nine decimals, every digit right. */
function putSeconds(writer: Chunks["writer"], ns: number): void {
  writer.reserve(32);
  const seconds = Math.floor(ns / 1e9);
  const { bytes } = writer;
  let at = putInteger(bytes, writer.at, seconds);
  bytes[at] = POINT;
  let rest = ns - 1e9 * seconds;
  for (let i = at + 9; i > at; i--) {
    const tenth = Math.floor(rest / 10);
    bytes[i] = ZERO + rest - 10 * tenth;
    rest = tenth;
  }
  at += 10;
  writer.at = at;
}

/** As DuckDB writes them by default. */
const GROUP_ROWS = 122_880;

export function* callsParquet(calls: OrderedCalls, madeBy: string): Generator<Uint8Array> {
  const { startUnixNs, synthetic } = calls;
  const facts = {
    ...(startUnixNs === undefined ? {} : { "plimsoll.start_unix_ns": String(startUnixNs) }),
    ...(synthetic ? { "plimsoll.origin": "synthetic" } : {}),
  };
  const writer = new ParquetWriter(CALL_COLUMNS, { madeBy, facts });
  const rows = new CallRows(GROUP_ROWS);
  yield* writer.start();
  for (const block of calls.blocks())
    for (let i = 0; i < block.count; i++) {
      rows.push(block, i);
      if (rows.count < GROUP_ROWS) continue;
      yield* writer.rowGroup(rows.count, columnsOf(rows, calls));
      rows.count = 0;
    }
  if (rows.count > 0) yield* writer.rowGroup(rows.count, columnsOf(rows, calls));
  yield* writer.finish();
}

function columnsOf(rows: WholeBlock, { processes, files }: OrderedCalls): ParquetValues[] {
  const { count, process, layer, operation, flags } = rows;
  const ofProcess = (value: (index: number) => number) => {
    const values = processes.map((_, index) => value(index));
    return Float64Array.from({ length: count }, (_, i) => values[process[i] as number] as number);
  };
  const seconds = (ns: Float64Array) => ns.subarray(0, count).map((value) => value / 1e9);
  return [
    ofProcess((index) => processes[index]?.rank ?? Number.NaN),
    ofProcess((index) => processes[index]?.pid ?? Number.NaN),
    {
      list: processes.map(({ host }) => host ?? ""),
      at: Uint32Array.from({ length: count }, (_, i) =>
        processes[process[i] as number]?.host === undefined ? NO_TEXT : (process[i] as number),
      ),
    },
    { list: files.map(({ path }) => path), at: rows.file },
    { list: CALL_LAYERS, at: Uint32Array.from(layer) },
    { list: OPERATION_NAMES, at: Uint32Array.from(operation) },
    seconds(rows.startNs),
    seconds(rows.endNs),
    rows.bytes,
    rows.movedBytes,
    rows.offset,
    flags.subarray(0, count).map((bits) => bitOf(bits, CALL_ERROR)),
    flags.subarray(0, count).map((bits) => bitOf(bits, CALL_NESTED)),
    Float64Array.from({ length: count }, (_, i) =>
      processes[process[i] as number]?.tellsCollectives === true
        ? bitOf(flags[i] as number, CALL_COLLECTIVE)
        : Number.NaN,
    ),
  ];
}
