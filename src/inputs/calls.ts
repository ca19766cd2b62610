/** The calls of one file, whatever reads them. */
import type { Listener } from "../base/listener.ts";
import { FormatError } from "../base/errors.ts";
import type { ByteSource } from "../base/source.ts";
import { findFormat, HEAD_BYTES } from "../formats/catalogue.ts";
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
  /** Names of this format in all files of the job. */
  readonly names?: (format: InputFormat) => ReadonlyMap<string, string>;
}

export async function readCalls(
  path: string,
  sinkOf: (format: InputFormat) => CallSink,
  { format: formatOf, read, memoryBytes, names }: Reading,
  listener: Listener,
): Promise<void> {
  const source = openInput(path, undefined, read.keepGoing);
  try {
    const format = formatOf(source);
    if (format?.calls === undefined) throw new FormatError(path, {}, "unknown format");
    if (format.calls === "database")
      await readParquet(path, sinkOf(format), memoryBytes, async () => listener.yieldToEvents?.());
    else {
      const sink = sinkOf(format);
      const named = names && format.names && { names: () => names(format) };
      format.calls(source, sink, { codecs: nodeCodecs, ...read, ...named });
      if (source.cut !== undefined) sink.note({ id: "truncated", count: 1, text: `${path}: ${source.cut}` });
    }
  } finally {
    source.close();
  }
}

/** Names that the files of a job have for one another, read when one is first asked for. */
export function sharedNames(files: readonly { readonly path?: string }[]): NonNullable<Reading["names"]> {
  const known = new Map<InputFormat, ReadonlyMap<string, string>>();
  return (format) => {
    let names = known.get(format);
    if (names === undefined)
      known.set(format, (names = format.names?.(ofFormat(files, format)) ?? new Map()));
    return names;
  };
}

/** One after another; one that cannot be read is left to whoever reads its calls. */
function* ofFormat(files: readonly { readonly path?: string }[], format: InputFormat): Generator<ByteSource> {
  for (const { path } of files) {
    if (path === undefined) continue;
    const source = openInput(path);
    try {
      if (findFormat(source.read(0, HEAD_BYTES), source.name, "calls") === format) yield source;
    } finally {
      source.close();
    }
  }
}
