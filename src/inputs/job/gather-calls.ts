/** All calls of some inputs into one collection, for whoever writes them for other programs. */
import { FormatError } from "../../base/errors.ts";
import type { Listener } from "../../base/listener.ts";
import type { ByteSource } from "../../base/source.ts";
import { detectFormat } from "../../formats/catalogue.ts";
import type { CallCollection } from "../../formats/export/index.ts";
import type { InputFormat } from "../../formats/input-format.ts";
import { type CallNote, sinkBefore } from "../../model/index.ts";
import { readCalls, sharedNames } from "./calls.ts";
import { type InputFile, skipReason } from "./files.ts";
import type { InputHost } from "./host.ts";
import type { JobOptions } from "./read.ts";
import { renamed } from "./traces.ts";

/** For the database that reads Parquet. */
const MEMORY_BYTES = 2 ** 30;

interface GatherOptions {
  readonly keepGoing: boolean;
  readonly rename?: JobOptions["rename"] | undefined;
  readonly onNote?: (note: CallNote) => void;
}

export async function gatherCalls(
  inputs: readonly InputFile[],
  into: CallCollection,
  { keepGoing, onNote = () => {}, rename }: GatherOptions,
  host: InputHost,
  listener: Listener = {},
): Promise<void> {
  const progress = listener.progress?.({ label: "reading", total: inputs.length, unit: "inputs" });
  const reading = {
    format: (source: ByteSource) => detectFormat(source, "calls"),
    read: { keepGoing },
    memoryBytes: MEMORY_BYTES,
  };
  const names = sharedNames(inputs, host);
  let failure: unknown;
  let read = 0;
  for (const { path = "" } of inputs) {
    const before = into.count;
    let hasCounters = false;
    const sinkOf = ({ counters }: InputFormat) => {
      hasCounters = counters !== undefined;
      const taking = into.sink({ startsAtZero: hasCounters });
      const sink = sinkBefore(taking, {
        note(note) {
          taking.note(note);
          onNote(note);
        },
      });
      return rename === undefined ? sink : renamed(sink, rename);
    };
    try {
      await readCalls(path, sinkOf, { ...reading, names }, host, listener);
      read++;
    } catch (error) {
      if (!(error instanceof FormatError)) throw error;
      // Half of an input must not slip in.
      const isEmpty = into.count === before;
      if (inputs.length === 1) throw hasCounters && isEmpty ? withOtherTables(error) : error;
      if (!isEmpty) throw error;
      failure ??= error;
      listener.skip?.(path, skipReason(error, path));
    }
    progress?.add(1);
    await listener.yieldToEvents?.();
  }
  progress?.end();
  if (read === 0 && failure !== undefined) throw failure;
}

/** A log without calls still has counters. */
function withOtherTables(error: FormatError): FormatError {
  const { source, offset, detail } = error;
  const place = offset === undefined ? {} : { offset };
  const hint = "its counters: plimsoll report, or --table files or counters";
  return new FormatError(source, place, `${detail}; ${hint}`, { cause: error });
}
