/** Calls of inputs on their way to other programs, and files that are written piece by piece. */
import { once } from "node:events";
import { setImmediate as nextTurn } from "node:timers/promises";
import { createGzip } from "node:zlib";
import type { Listener } from "../base/listener.ts";
import { CallCollection, type CollectionOptions, type OrderedCalls } from "../formats/export/index.ts";
import { type CallNote, joinedNotes, noteText } from "../model/index.ts";
import { FileSpill } from "../node/file-spill.ts";
import { createOutput, temporaryPath } from "../node/output-file.ts";
import { findInputs, gatherCalls, withoutTwins } from "./job/index.ts";
import { holdPipes } from "./held-pipes.ts";
import { nodeHost } from "./node.ts";

interface ExportOptions extends Pick<CollectionOptions, "window" | "minDurationNs" | "by"> {
  readonly keepGoing: boolean;
  /** Where calls that do not fit into memory may lie for a while. */
  readonly spillPath: string;
  readonly callsMax?: number;
}

/** Reads all calls and hands them to `use`, in order. */
export async function withCalls<T>(
  words: readonly string[],
  options: ExportOptions,
  listener: Listener,
  use: (calls: OrderedCalls, collection: CallCollection) => Promise<T>,
): Promise<T> {
  const { paths, host } = holdPipes(words, nodeHost);
  const inputs = withoutTwins(findInputs(paths, ["calls"], host, listener), host, listener);
  const { window, minDurationNs, by, callsMax } = options;
  const spill = new FileSpill(options.spillPath);
  try {
    let originNs: number | undefined;
    if (window !== undefined) {
      // A window counts from the start of the run, which only a first reading knows.
      const survey = new CallCollection({ minDurationNs: Number.POSITIVE_INFINITY });
      await gatherCalls(inputs, survey, options, host);
      originNs = survey.originNs;
    }
    const notes: CallNote[] = [];
    const collection = new CallCollection({
      spill,
      ...(window === undefined ? {} : { window, originNs: originNs as number }),
      ...(minDurationNs === undefined ? {} : { minDurationNs }),
      ...(by === undefined ? {} : { by }),
      ...(callsMax === undefined ? {} : { callsMax }),
    });
    await gatherCalls(inputs, collection, { ...options, onNote: (note) => notes.push(note) }, host, listener);
    for (const note of joinedNotes(notes, () => "")) listener.note?.(noteText(note));
    return await use(collection.finish(), collection);
  } finally {
    spill.close();
  }
}

/** Writes pieces to a file that appears when it is whole; compressed when its name ends in .gz. Gives its bytes. */
export async function writePieces(
  pieces: Iterable<Uint8Array>,
  path: string,
  listener: Listener,
): Promise<number> {
  const partial = listener.partialOutput?.(temporaryPath(path));
  const output = createOutput(path);
  let bytes = 0;
  const append = (piece: Uint8Array) => {
    output.append(piece);
    bytes += piece.length;
  };
  try {
    if (/\.gz$/i.test(path)) await compress(pieces, append);
    else
      for (const piece of pieces) {
        append(piece);
        await listener.yieldToEvents?.();
      }
    output.commit();
    partial?.done();
    return bytes;
  } catch (error) {
    output.abort();
    throw error;
  }
}

/** What may wait for the compressor: enough that it never waits for the encoder's next piece, little beside the calls. */
const WAITING_BYTES = 8 << 20;

/** Level 1 keeps up with the encoder, in a thread beside it; it takes its next piece when events have their turn. */
async function compress(pieces: Iterable<Uint8Array>, append: (piece: Uint8Array) => void): Promise<void> {
  const gzip = createGzip({ level: 1, chunkSize: 1 << 20 });
  gzip.on("data", append);
  const ended = once(gzip, "end");
  for (const piece of pieces) {
    gzip.write(piece);
    if (gzip.writableLength > WAITING_BYTES) await once(gzip, "drain");
    else await nextTurn();
  }
  gzip.end();
  await ended;
}
