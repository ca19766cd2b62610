/** The calls of one file, whatever reads them. */
import type { Listener } from "../../base/listener.ts";
import { FormatError } from "../../base/errors.ts";
import { type ByteSource, HEAD_BYTES } from "../../base/source.ts";
import { findFormat } from "../../formats/catalogue.ts";
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
  /** Names of this format in all files of the job. */
  readonly names?: (format: InputFormat) => ReadonlyMap<string, string>;
}

export async function readCalls(
  path: string,
  sinkOf: (format: InputFormat) => CallSink,
  { format: formatOf, read, memoryBytes, names }: Reading,
  host: InputHost,
  listener: Listener,
): Promise<void> {
  const source = openInput(path, host, { allowCut: read.keepGoing ?? false });
  try {
    const format = formatOf(source);
    if (format?.calls === undefined) throw new FormatError(path, {}, "unknown format");
    const sink = sinkOf(format);
    if (format.calls !== "database") {
      const named = names && format.names && { names: () => names(format) };
      format.calls(source, sink, { codecs: host.codecs, ...read, ...named });
      if (source.cut !== undefined) sink.note({ id: "truncated", count: 1, text: `${path}: ${source.cut}` });
    } else if (host.readTable === undefined)
      throw new FormatError(path, {}, `a page cannot read a ${format.label}; plimsoll report can`);
    else await host.readTable(path, sink, memoryBytes, async () => listener.yieldToEvents?.());
  } finally {
    source.close();
  }
}

/** Names that the files of a job have for one another, read when one is first asked for. */
export function sharedNames(
  files: readonly { readonly path?: string }[],
  host: InputHost,
): NonNullable<Reading["names"]> {
  const known = new Map<InputFormat, ReadonlyMap<string, string>>();
  return (format) => {
    let names = known.get(format);
    if (names === undefined)
      known.set(format, (names = format.names?.(ofFormat(files, format, host)) ?? new Map()));
    return names;
  };
}

/** One after another; one that cannot be read is left to whoever reads its calls. */
function* ofFormat(
  files: readonly { readonly path?: string }[],
  format: InputFormat,
  host: InputHost,
): Generator<ByteSource> {
  for (const { path } of files) {
    if (path === undefined) continue;
    const source = openInput(path, host);
    try {
      if (findFormat(source.read(0, HEAD_BYTES), source.name, "calls") === format) yield source;
    } finally {
      source.close();
    }
  }
}
