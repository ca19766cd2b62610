/**
 * Tables of accesses as text: `pid,bytes,start,end` and more, see docs/formats/accesses.md. The first line that is no
 * comment is a header or, with four or five numbers, the first access.
 */
import { FormatError } from "../../base/errors.ts";
import type { InputFormat } from "../input-format.ts";
import { eachWindow, excerpt, headLines, lineEnd } from "../text/windows.ts";
import { isBlank } from "./fields.ts";
import { missingColumn, type Plan, planOf } from "./plan.ts";
import { TableReader } from "./reader.ts";

const COMMENT = 35;

export const accessCsv = {
  id: "csv",
  label: "CSV table of accesses",
  sequential: true,

  recognizes(head) {
    const line = firstLine(head);
    if (line === undefined || line.includes("\0")) return false;
    try {
      return planOf(line) !== undefined;
    } catch {
      // A table, if a wrong one: reading says what is wrong.
      return true;
    }
  },

  lacks(head) {
    const line = firstLine(head);
    const missing = line === undefined || line.includes("\0") ? undefined : missingColumn(line);
    return missing === undefined ? undefined : `CSV has no column ${missing}; needs pid, bytes, start, end`;
  },

  calls(source, sink, options = {}) {
    let reader: TableReader | undefined;
    let lines = 0;
    eachWindow(source, (bytes, from, end, last) => {
      let at = from;
      while (reader === undefined && at < end) {
        const stop = lineEnd(bytes, at, end);
        lines++;
        if (bytes[at] !== COMMENT && !isBlank(bytes, at, stop)) {
          const text = new TextDecoder().decode(bytes.subarray(at, stop));
          const found = planOf(text, { ...options, source: source.name, lineNumber: lines });
          const plan = found ?? noPlan(source.name, lines, excerpt(bytes, at, stop));
          if (!plan.header) lines--;
          reader = new TableReader(source.name, plan, sink, lines);
          if (!plan.header) break;
        }
        at = stop + 1;
      }
      reader?.window(bytes, Math.min(at, end), end, last);
    });
    if (reader === undefined)
      throw new FormatError(source.name, { line: Math.max(1, lines) }, "no accesses and no header");
    (reader as TableReader).finish();
  },
} satisfies InputFormat;

const firstLine = (head: Uint8Array) =>
  headLines(head).find((text) => text.trim() !== "" && !text.startsWith("#"));

function noPlan(source: string, line: number, found: string): Plan {
  throw new FormatError(
    source,
    { line },
    `expected a header with bytes, start and end, or 4 or 5 numbers (pid, bytes, start, end, moved), found "${found}"`,
  );
}
