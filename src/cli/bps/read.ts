/** Reads inputs into a collection. */
import { AccessCollector, type CollectorOptions } from "../../analyze/metric/collector.ts";
import type { Metrics } from "../../analyze/metric/metrics.ts";
import { FormatError, LimitError } from "../../base/errors.ts";
import type { ByteSource } from "../../base/source.ts";
import type { AccessReadOptions } from "../../formats/access-format.ts";
import { ACCESS_HEAD_BYTES, accessFormat, detectAccessFormat } from "../../formats/access-formats.ts";
import type { AccessSink } from "../../model/index.ts";
import { nodeCodecs } from "../../node/codecs.ts";
import { unseenNotes } from "../../record/unseen.ts";
import type { Context } from "../context.ts";
import { type BpsInput, openInput, reasonOf } from "./inputs.ts";
import { LargeTraces } from "./large-traces.ts";
import { isParquet, readParquet } from "./parquet.ts";
import { PipeSource } from "./pipe-source.ts";

export interface ReadSetting {
  readonly read: AccessReadOptions;
  /** Id of the format, when it is not to be found by content. */
  readonly format?: string;
  readonly memoryBytes: number;
  /** For large traces. */
  readonly threads: number;
}

export async function collectInputs(
  inputs: readonly BpsInput[],
  options: CollectorOptions,
  setting: ReadSetting,
  context: Context,
): Promise<{ readonly metrics: Metrics; readonly used: readonly BpsInput[] }> {
  const collector = new AccessCollector(options, { shared: setting.threads > 1 });
  const large = new LargeTraces(inputs, collector, setting);
  try {
    const used = await readAll(inputs, collector, large, setting, context);
    for (const name of new Set(used.filter(isInFolder).map((input) => input.name)))
      for (const note of unseenNotes(name)) collector.sink(name).note(note);
    return { metrics: collector.finish(await large.finish()), used };
  } finally {
    await large.end();
  }
}

const isInFolder = ({ name, path }: BpsInput) => path !== undefined && path !== name;

/** Returns those that could be used. */
async function readAll(
  inputs: readonly BpsInput[],
  collector: AccessCollector,
  large: LargeTraces,
  setting: ReadSetting,
  context: Context,
): Promise<BpsInput[]> {
  const progress = context.progress({ label: "reading", total: inputs.length, unit: "inputs" });
  const used: BpsInput[] = [];
  let failure: unknown;
  for (const input of inputs) {
    if (large.has(input)) {
      await large.read(input);
      used.push(input);
      progress.add(1);
      continue;
    }
    const sink = new CountingSink(collector.sink(input.name));
    try {
      await readInput(input, sink, setting, context);
      used.push(input);
    } catch (error) {
      const what = input.path ?? input.name;
      if (sink.blocks > 0) throw asPartial(error);
      if (inputs.length === 1 || !isSkippable(error)) throw error;
      failure ??= error;
      context.skip(what, reasonOf(error, what));
    }
    progress.add(1);
    await context.yieldToEvents();
  }
  progress.end();
  if (used.length === 0 && failure !== undefined) throw failure;
  return used;
}

/** Half of an input must not slip in, so damage behind accesses that were taken ends it all. */
function asPartial(error: unknown): unknown {
  if (!(error instanceof FormatError) || error instanceof LimitError) return error;
  const { source, offset, line, detail } = error;
  const place = { ...(offset === undefined ? {} : { offset }), ...(line === undefined ? {} : { line }) };
  return new FormatError(source, place, `${detail}; --keep-going uses what comes before`, { cause: error });
}

const isSkippable = (error: unknown) =>
  (error instanceof FormatError && !(error instanceof LimitError)) ||
  (error instanceof Error && (error as NodeJS.ErrnoException).syscall !== undefined);

async function readInput(
  input: BpsInput,
  sink: AccessSink,
  setting: ReadSetting,
  context: Context,
): Promise<void> {
  if (input.path === undefined) {
    readPipe(new PipeSource(0, input.name), sink, setting);
    return;
  }
  const source = openInput(input.path);
  try {
    if (isParquet(source.read(0, 4))) {
      await readParquet(input.path, sink, setting.memoryBytes, () => context.yieldToEvents());
      return;
    }
    const format = formatOf(source, setting);
    format.read(source, sink, { codecs: nodeCodecs, ...setting.read });
  } finally {
    source.close();
  }
}

function readPipe(pipe: PipeSource, sink: AccessSink, setting: ReadSetting): void {
  const head = pipe.read(0, ACCESS_HEAD_BYTES);
  if (isParquet(head))
    throw new FormatError(pipe.name, {}, "Parquet cannot be read from a pipe; save it to a file");
  const format = formatOf(pipe, setting);
  const source = format.sequential ? pipe : pipe.hold(setting.memoryBytes);
  format.read(source, sink, { codecs: nodeCodecs, ...setting.read });
}

const formatOf = (source: ByteSource, { format }: ReadSetting) =>
  format === undefined ? detectAccessFormat(source) : accessFormat(format);

/** Knows whether anything of the input has been taken. */
class CountingSink implements AccessSink {
  blocks = 0;
  readonly #sink: AccessSink;
  readonly clock: AccessSink["clock"];
  readonly process: AccessSink["process"];
  readonly file: AccessSink["file"];
  readonly note: AccessSink["note"];

  constructor(sink: AccessSink) {
    this.#sink = sink;
    this.clock = (clock) => sink.clock(clock);
    this.process = (process) => sink.process(process);
    this.file = (file) => sink.file(file);
    this.note = (note) => sink.note(note);
  }

  block(block: Parameters<AccessSink["block"]>[0]): void {
    this.blocks++;
    this.#sink.block(block);
  }
}
