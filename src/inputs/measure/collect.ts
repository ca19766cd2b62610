/** Reads inputs into a collection. */
import { AccessCollector, type CollectorOptions, type Metrics } from "../../analyze/metric/index.ts";
import { FormatError, LimitError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import type { CallReadOptions } from "../../formats/input-format.ts";
import { detectFormat, formatNamed } from "../../formats/catalogue.ts";
import { type CallSink, sinkBefore } from "../../model/index.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { unseenNotes } from "../../record/unseen.ts";
import type { Listener } from "../../base/listener.ts";
import { type InputFile, readCalls, skipReason, sharedNames, unrecordedIn } from "../job/index.ts";
import { nodeHost } from "../node.ts";
import { unpackedPipe } from "../../node/gzip-pipe.ts";
import { standardInput, type StreamSource } from "../../node/stream-source.ts";
import { LargeTraces } from "./large-traces.ts";

export interface ReadSetting {
  readonly read: CallReadOptions;
  /** Id of the format, when it is not to be found by content. */
  readonly format?: string;
  readonly memoryBytes: number;
  /** For large traces. */
  readonly threads: number;
}

export async function collectInputs(
  inputs: readonly InputFile[],
  options: CollectorOptions,
  setting: ReadSetting,
  listener: Listener,
): Promise<{ readonly metrics: Metrics; readonly used: readonly InputFile[] }> {
  const collector = new AccessCollector(options, { shared: setting.threads > 1 });
  const large = new LargeTraces(inputs, collector, setting);
  try {
    const used = await readAll(inputs, collector, large, setting, listener);
    for (const name of new Set(used.filter(isInFolder).map((input) => input.name)))
      for (const note of [...unrecordedIn(name, nodeHost), ...unseenNotes(name)])
        collector.sink(name).note(note);
    return { metrics: collector.finish(await large.finish()), used };
  } finally {
    await large.end();
  }
}

const isInFolder = ({ name, path }: InputFile) => path !== undefined && path !== name;

/** Returns those that could be used. */
async function readAll(
  inputs: readonly InputFile[],
  collector: AccessCollector,
  large: LargeTraces,
  setting: ReadSetting,
  listener: Listener,
): Promise<InputFile[]> {
  const progress = listener.progress?.({ label: "reading", total: inputs.length, unit: "inputs" });
  const used: InputFile[] = [];
  let failure: unknown;
  const names = sharedNames(inputs, nodeHost);
  for (const input of inputs) {
    if (large.has(input)) {
      await large.read(input);
      used.push(input);
      progress?.add(1);
      continue;
    }
    const into = collector.sink(input.name);
    let blocks = 0;
    const sink = sinkBefore(into, {
      block(block) {
        blocks++;
        into.block(block);
      },
    });
    try {
      await readInput(input, sink, { ...setting, names }, listener);
      used.push(input);
    } catch (error) {
      const what = input.path ?? input.name;
      if (blocks > 0) throw asPartial(error);
      if (inputs.length === 1 || !isSkippable(error)) throw error;
      failure ??= error;
      listener.skip?.(what, skipReason(error, what));
    }
    progress?.add(1);
    await listener.yieldToEvents?.();
  }
  progress?.end();
  if (used.length === 0 && failure !== undefined) throw failure;
  return used;
}

/** Half of an input must not slip in, so damage behind accesses that were taken ends it all. */
function asPartial(error: unknown): unknown {
  if (!(error instanceof FormatError) || error instanceof LimitError) return error;
  const { source, offset, line, detail } = error;
  const place = { ...(offset === undefined ? {} : { offset }), ...(line === undefined ? {} : { line }) };
  return new FormatError(source, place, `${detail}; --keep-going uses the part before it`, { cause: error });
}

const isSkippable = (error: unknown) =>
  (error instanceof FormatError && !(error instanceof LimitError)) ||
  (error instanceof Error && (error as NodeJS.ErrnoException).syscall !== undefined);

async function readInput(
  input: InputFile,
  sink: CallSink,
  setting: ReadSetting & { readonly names: ReturnType<typeof sharedNames> },
  listener: Listener,
): Promise<void> {
  if (input.path === undefined) {
    readPipe(standardInput(input.name), sink, setting);
    return;
  }
  const format = (source: ByteSource) => formatOf(source, setting);
  await readCalls(input.path, () => sink, { ...setting, format }, nodeHost, listener);
}

function readPipe(given: StreamSource, sink: CallSink, setting: ReadSetting): void {
  const pipe = unpackedPipe(given, setting.read.keepGoing === true);
  const { calls, label, sequential } = formatOf(pipe, setting);
  if (calls === "database")
    throw new FormatError(pipe.name, {}, `a ${label} cannot be read from a pipe; save it to a file`);
  const source = sequential === true ? pipe : pipe.whole(setting.memoryBytes);
  calls?.(source, sink, { codecs: nodeCodecs, ...setting.read });
  if (pipe.cut !== undefined) sink.note({ id: "truncated", count: 1, text: `${pipe.name}: ${pipe.cut}` });
}

const formatOf = (source: ByteSource, { format }: ReadSetting) =>
  format === undefined ? detectFormat(source, "calls") : formatNamed(format, "calls");
