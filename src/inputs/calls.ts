/** The calls of one file, whatever reads them. */
import type { Listener } from "../base/listener.ts";
import { FormatError } from "../base/errors.ts";
import type { ByteSource } from "../base/source.ts";
import type { CallReadOptions, InputFormat } from "../formats/input-format.ts";
import type { CallSink } from "../model/index.ts";
import { nodeCodecs } from "../node/codecs.ts";
import { openInput } from "./files.ts";
import { readParquet } from "./parquet.ts";

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
  listener: Listener,
): Promise<void> {
  const source = openInput(path);
  try {
    const format = formatOf(source);
    if (format?.calls === undefined) throw new FormatError(path, {}, "unknown format");
    if (format.calls === "database")
      await readParquet(path, sinkOf(format), memoryBytes, async () => listener.yieldToEvents?.());
    else format.calls(source, sinkOf(format), { codecs: nodeCodecs, ...read });
  } finally {
    source.close();
  }
}
