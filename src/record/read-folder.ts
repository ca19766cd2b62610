/** The files of a trace folder into sinks. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { readTrace, tellFacts, trace, TRACE_SUFFIX, type TraceCounts } from "../formats/trace/index.ts";
import type { CallSink } from "../model/index.ts";
import { withFile } from "../node/file-source.ts";

/** In order of their names, so that every reading gives the same. */
export function traceFiles(folder: string): string[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith(TRACE_SUFFIX))
    .sort()
    .map((name) => join(folder, name));
}

export function readTraceFile(path: string, sink: CallSink): void {
  withFile(path, (source) => trace.calls(source, sink));
}

/** Every file has a clock of its own and so gets a sink of its own; notes are about all of them, and so is what is returned. */
export function readTraceFiles(paths: readonly string[], sinkOf: (path: string) => CallSink): TraceCounts[] {
  const facts: TraceCounts[] = [];
  let last: CallSink | undefined;
  for (const path of paths) {
    const sink = sinkOf(path);
    facts.push(withFile(path, (source) => readTrace(source, sink)));
    last = sink;
  }
  if (last !== undefined) tellFacts(facts, last);
  return facts;
}
