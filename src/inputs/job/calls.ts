/** The calls of one file, whatever reads them. */
import type { Listener } from "../../base/listener.ts";
import { FormatError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import type { CallReadOptions, InputFormat } from "../../formats/input-format.ts";
import type { CallSink } from "../../model/index.ts";
import { openInput } from "./files.ts";
import type { InputHost } from "./host.ts";

interface Reading {
  /** Of the source, or known already. */
  format(source: ByteSource): InputFormat | undefined;
  readonly read: CallReadOptions;
  /** For the database that reads Parquet. */
  readonly memoryBytes: number;
}

export async function readCalls(
  path: string,
  sinkOf: (format: InputFormat) => CallSink,
  { format: formatOf, read, memoryBytes }: Reading,
  host: InputHost,
  listener: Listener,
): Promise<void> {
  const source = openInput(path, host);
  try {
    const format = formatOf(source);
    if (format?.calls === undefined) throw new FormatError(path, {}, "unknown format");
    if (format.calls !== "database") format.calls(source, sinkOf(format), { codecs: host.codecs, ...read });
    else if (host.readTable === undefined)
      throw new FormatError(path, {}, `a ${format.label} needs the program; plimsoll report takes it`);
    else await host.readTable(path, sinkOf(format), memoryBytes, async () => listener.yieldToEvents?.());
  } finally {
    source.close();
  }
}

/** A sink that hands everything on to another, but for what is its own. */
export const sinkBefore = (sink: CallSink, own: Partial<CallSink>): CallSink => ({
  clock: (clock) => sink.clock(clock),
  process: (process) => sink.process(process),
  file: (file) => sink.file(file),
  block: (block) => sink.block(block),
  note: (note) => sink.note(note),
  ...own,
});
