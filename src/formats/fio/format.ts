/**
 * Latency logs of fio, https://fio.readthedocs.io ("Log File Formats"): one line per I/O,
 *
 *   time ms, latency, direction, block size[, offset][, priority[, issue time ns]]
 *
 * The time is when the I/O completed, in whole milliseconds since the start of the job (or since 1970 with
 * log_unix_epoch). The priority came with fio 3.x; before, a fifth column is the offset.
 */
import { FormatError } from "../../base/errors.ts";
import type { InputFormat } from "../input-format.ts";
import { eachWindow, headLines } from "../text/windows.ts";
import { LogReader } from "./reader.ts";

const LOG_NAME = /_(lat|clat|slat|bw|iops|hist)(?:\.(\d+))?\.log$/;
const LINE = /^(\d+), (\d+), ([012]), (\d+)(, (0x[0-9a-f]{1,4}|\d+)){0,3}$/;

/** Without a telling name, what would be an end of time in a table of accesses must look like a block size. */
const PLAIN_BLOCK_BYTES_MIN = 256;

export const fioLog = {
  id: "fio",
  label: "fio latency log",
  sequential: true,

  recognizes(head, name) {
    const lines = headLines(head).filter((line) => line !== "");
    if (lines.length === 0) return false;
    if (LOG_NAME.test(name)) return /^\d+, \d+, \d+/.test(lines[0] as string);
    return lines.every((line) => {
      const match = LINE.exec(line);
      return match !== null && (Number(match[4]) >= PLAIN_BLOCK_BYTES_MIN || match[4] === "0");
    });
  },

  sameCalls: (path) =>
    Object.entries(SAME_CALLS).flatMap(([kind, others]) => {
      const [ending, number] = new RegExp(`_${kind}((?:\\.\\d+)?\\.log(?:\\.gz)?)$`).exec(path) ?? [];
      return ending === undefined
        ? []
        : others.map((one) => `${path.slice(0, -ending.length)}_${one}${number}`);
    }),

  calls(source, sink, options = {}) {
    const [, kind = "lat", job] = LOG_NAME.exec(source.name) ?? [];
    const refusal = REFUSALS[kind];
    if (refusal !== undefined) throw new FormatError(source.name, { line: 1 }, refusal);
    const reader = new LogReader(source.name, sink, Number(job ?? 1), options);
    eachWindow(source, (bytes, from, end, last) => reader.window(bytes, from, end, last));
    reader.finish();
  },
} satisfies InputFormat;

/** fio writes several logs of each job. */
const SAME_CALLS: Readonly<Record<string, readonly string[]>> = { clat: ["lat"], slat: ["lat", "clat"] };

const REFUSALS: Readonly<Record<string, string>> = {
  bw: "a bandwidth log of fio has no latencies; use the _lat or _clat log (--write_lat_log)",
  iops: "an IOPS log of fio has no latencies; use the _lat or _clat log (--write_lat_log)",
  hist: "a histogram of fio has no single accesses; use the _lat or _clat log (--write_lat_log)",
  slat: "submission latencies of fio do not cover whole accesses; use the _lat or _clat log of the same job",
};
