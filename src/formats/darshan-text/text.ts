/** The lines of darshan-parser and darshan-dxt-parser: what they say, line by line. */
import type { ByteSource } from "../../base/source.ts";
import { eachWindow } from "../text/windows.ts";

/** One character per byte: names are bytes of any kind. */
const LATIN = new TextDecoder("latin1");

export const bytesOf = (text: string) => Uint8Array.from(text, (letter) => letter.charCodeAt(0));

export function eachLine(source: ByteSource, use: (line: string, number: number) => void): void {
  let number = 0;
  eachWindow(source, (bytes, from, end) => {
    const lines = LATIN.decode(bytes.subarray(from, end)).split("\n");
    if (lines.at(-1) === "") lines.pop();
    for (const line of lines) use(line.endsWith("\r") ? line.slice(0, -1) : line, ++number);
  });
}

/** `POSIX <rank> <id> POSIX_OPENS 1 /path /mount fs`, between tabs. */
interface CounterLine {
  readonly module: string;
  readonly rank: string;
  readonly id: string;
  readonly counter: string;
  readonly value: string;
  readonly name: string;
}

export function counterLine(line: string): CounterLine | undefined {
  const fields = line.split("\t");
  const [module = "", rank = "", id = "", counter = "", value = ""] = fields;
  if (fields.length < 8 || !/^-?\d+$/.test(rank) || !/^\d+$/.test(id)) return undefined;
  // A name may hold tabs.
  return { module, rank, id, counter, value, name: fields.slice(5, -2).join("\t") };
}

/** ` X_POSIX 0 write 0 0 1048576 0.0054 0.0061 12 [3]`: module, rank, direction, segment, offset, length, start, end, thread. */
const SEGMENT =
  /^ *X_(POSIX|MPIIO) +(-?\d+) +(read|write) +(\d+) +(-?\d+|N\/A) +(-?\d+) +(-?\d+\.\d+) +(-?\d+\.\d+)(?: +(\d+|N\/A))?/;

interface SegmentLine {
  readonly module: "DXT_POSIX" | "DXT_MPIIO";
  readonly way: "read" | "write";
  readonly offset: bigint;
  readonly length: bigint;
  readonly start: number;
  readonly end: number;
}

export function segmentLine(line: string): SegmentLine | undefined {
  const found = SEGMENT.exec(line);
  if (found === null) return undefined;
  const [, layer, , way, , offset = "", length = "", start, end] = found;
  return {
    module: `DXT_${layer as "POSIX" | "MPIIO"}`,
    way: way as "read" | "write",
    offset: offset === "N/A" ? -1n : BigInt(offset),
    length: BigInt(length),
    start: Number(start),
    end: Number(end),
  };
}
