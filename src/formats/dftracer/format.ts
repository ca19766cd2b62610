/**
 * Traces of DFTracer (https://github.com/LLNL/dftracer, earlier DLIO Profiler): `.pfw`, one JSON event per line between `[` and
 * perhaps `]`. Complete events (`ph` X, times in microseconds) of the categories POSIX, STDIO and MPI-IO are calls; those of
 * other categories are spans of the application. Files, hosts and commands are hashes whose names come in events FH, HH and
 * SH; the older dialect has names in place and all numbers as strings.
 */
import type { InputFormat } from "../input-format.ts";
import { eachWindow } from "../text/windows.ts";
import { readNames } from "./names.ts";
import { TraceReader } from "./reader.ts";

const NO_NAMES: ReadonlyMap<string, string> = new Map();
const EVENT = /^\s*(\[[\s,]*)?\{(?=[^\n]*"(cat|pid)"\s*:)(?=[^\n]*"(ph|pid|ts)"\s*:)[^\n]*"name"\s*:/;

export const dftracer = {
  id: "dftracer",
  label: "DFTracer trace",
  sequential: true,

  recognizes(head, name) {
    const text = new TextDecoder("latin1").decode(head.subarray(0, 2048)).replace(/^\xef\xbb\xbf/, "");
    // A process that did nothing leaves the bracket alone.
    return EVENT.test(text) || (/\.pfw(\.gz)?$/.test(name) && /^\s*[[{]/.test(text));
  },

  calls(source, sink, { names } = {}) {
    let own: ReadonlyMap<string, string> | undefined;
    // A pipe cannot be read a second time; files of a job are read by whoever knows all of them.
    const ownNames = () => (own ??= Number.isFinite(source.byteLength) ? readNames([source]) : NO_NAMES);
    const reader = new TraceReader(source.name, sink, names ?? ownNames);
    eachWindow(source, (bytes, from, end, last) => reader.window(bytes, from, end, last));
    reader.finish();
  },

  names: (sources) => readNames(sources),
} satisfies InputFormat;
