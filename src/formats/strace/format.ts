/**
 * Text of strace, https://strace.io: `strace -f -ttt -T -y`, in one file (-o), one per process (-ff) or from a terminal.
 *
 *   1234  1712345678.123456 pread64(3</data/a>, "…"..., 4096, 0) = 4096 <0.000012>
 *   1235  1712345678.123460 read(4<pipe:[77]>,  <unfinished ...>
 *   1235  1712345678.223460 <... read resumed>"x", 10) = 1 <0.100000>
 */
import type { InputFormat } from "../input-format.ts";
import { eachWindow, headLines } from "../text/windows.ts";
import { TraceReader } from "./reader.ts";

/** A process and a time, or not, and then a call, the rest of one, a signal or an exit. */
const LINE =
  /^(\[pid\s+\d+\] |\d+ +)?\s*(\d+\.\d+ |\d\d:\d\d:\d\d(\.\d+)? )?(\(\+ +[\d.]+\) )?([a-z_][a-z0-9_]*\(.*|<\.\.\. \w+ resumed>.*|\+\+\+ (exited|killed) .*|--- (SIG|stopped).*)$/;
const CALL_OR_TIME = /^(strace: |(\[pid\s+\d+\] |\d+ +)?\s*(\d+\.\d+|\d\d:\d\d:\d\d(\.\d+)?) |\[pid)/;

export const strace = {
  id: "strace",
  label: "strace text (strace -f -ttt -T -y)",
  sequential: true,
  hasSystemFiles: true,

  recognizes(head) {
    const lines = headLines(head).filter((line) => line.trim() !== "");
    const like = lines.filter((line) => LINE.test(line)).length;
    if (like === 0) return false;
    // Source code has calls too; a trace has times, or the result of each call.
    const timed = lines.filter((line) => CALL_OR_TIME.test(line)).length;
    const results = lines.filter((line) => /\)\s+= (-?\d|\?|0x)/.test(line)).length;
    return 2 * like >= lines.length && (2 * timed >= lines.length || 2 * results >= lines.length);
  },

  calls(source, sink) {
    // strace -ff -o trace writes trace.1234, without the number in its lines.
    const pid = /\.(\d+)$/.exec(source.name)?.[1];
    const reader = new TraceReader(source.name, sink, Number(pid ?? 0));
    eachWindow(source, (bytes, from, end, last) => reader.window(bytes, from, end, last));
    reader.finish();
  },
} satisfies InputFormat;
