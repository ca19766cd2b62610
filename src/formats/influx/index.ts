/** Dumps of InfluxDB with what Telegraf gathered from Lustre. */
import { FormatError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import { eachWindow, headLines } from "../text/windows.ts";
import { Influx1Rows, Influx2Rows } from "./csv.ts";
import { parseLine } from "./line-protocol.ts";
import type { InfluxPoint } from "./point.ts";
import { InfluxPoints } from "./points.ts";

type InfluxKind = "line-protocol" | "influx1-csv" | "influx2-csv";

interface Rule {
  readonly kind: InfluxKind;
  readonly line: RegExp;
}

const RULES: readonly Rule[] = [
  { kind: "influx2-csv", line: /^#(group|datatype|default),|^,result,table,/ },
  { kind: "influx1-csv", line: /^name,(tags,)?time,/ },
  { kind: "line-protocol", line: /^lustre2,\S.* \S+=[^ ]+.* -?\d{9,19}\s*$/ },
];

export function recognizeInflux(head: Uint8Array): InfluxKind | undefined {
  const lines = headLines(head).map((line) => line.replace(/\r$/, ""));
  for (const line of lines.slice(0, 8)) {
    const rule = RULES.find((candidate) => candidate.line.test(line));
    if (rule !== undefined) return rule.kind;
  }
  return undefined;
}

/** Reads a dump into `into`, which hands out readings when all dumps have been read. */
export function readInflux(source: ByteSource, into = new InfluxPoints()): InfluxPoints {
  const kind = recognizeInflux(source.read(0, 4096));
  if (kind === undefined)
    throw new FormatError(source.name, { line: 1 }, "neither lustre2 line protocol nor InfluxDB CSV");
  const read = rowReader(kind);
  const utf8 = new TextDecoder();
  let number = 0;
  eachWindow(source, (bytes, from, end) => {
    const lines = utf8.decode(bytes.subarray(from, end)).split("\n");
    if (lines.at(-1) === "") lines.pop();
    for (const text of lines) {
      number++;
      const point = read(text.endsWith("\r") ? text.slice(0, -1) : text);
      if (point === null) continue;
      if (point !== undefined) into.add(point);
      else {
        into.notes.broken++;
        if (into.notes.firstBrokenLine === 0) into.notes.firstBrokenLine = number;
      }
    }
  });
  return into;
}

/** A point, null for lines that hold none, undefined for broken ones. */
function rowReader(kind: InfluxKind): (line: string) => InfluxPoint | null | undefined {
  if (kind === "line-protocol") return parseLine;
  const rows = kind === "influx1-csv" ? new Influx1Rows() : new Influx2Rows();
  return (line) => {
    if (kind === "influx1-csv" && line.trim() === "") return null;
    const found = rows.row(line);
    return found === "header" ? null : found === "broken" ? undefined : found;
  };
}

export { InfluxPoints } from "./points.ts";
export { influx } from "./format.ts";
