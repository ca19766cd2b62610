/** For tests: everything that a format of accesses hands out, as plain arrays. */
import { type ByteSource, bytesSource } from "../base/source.ts";
import {
  CALL_LAYERS,
  type CallClock,
  type CallFile,
  type CallProcess,
  type CallSink,
  Operation,
  noteText,
} from "../model/calls.ts";
import type { CallReader, CallReadOptions } from "./input-format.ts";

/** Set in `CollectedAccess.flags` beside those of the model. */
export const WRITE_FLAG = 1;

export interface CollectedAccess {
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
  /** NaN when the input does not say. */
  readonly moved: number;
  readonly offset: number;
  readonly pid: number;
  readonly path: string;
  readonly layer: string;
  readonly flags: number;
}

/** A note with its sentence as it stands for one input. */
export interface ToldNote {
  readonly id: string;
  readonly count: number;
  readonly text: string;
}

export interface Collected {
  readonly clock: CallClock | undefined;
  readonly processes: readonly CallProcess[];
  readonly files: readonly CallFile[];
  readonly notes: readonly ToldNote[];
  /** Row by row; `start` and `end` in nanoseconds since the epoch of the clock. */
  readonly accesses: readonly CollectedAccess[];
}

/** Reads `input` (bytes, text, or a source) and checks on the way that the reader keeps the rules of a sink. */
export function collectAccesses(
  format: { readonly calls: CallReader },
  input: Uint8Array | string | ByteSource,
  options: CallReadOptions & { readonly name?: string } = {},
): Collected {
  const { sink, collected } = collectingSink();
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  format.calls(bytes instanceof Uint8Array ? bytesSource(bytes, options.name) : bytes, sink, options);
  return collected();
}

/** A sink that keeps everything. */
export function collectingSink(): { readonly sink: CallSink; readonly collected: () => Collected } {
  let clock: CallClock | undefined;
  const processes: CallProcess[] = [];
  const files: CallFile[] = [];
  const notes: ToldNote[] = [];
  const accesses: CollectedAccess[] = [];
  const sink: CallSink = {
    clock(given) {
      if (clock !== undefined) throw new Error("a second clock");
      clock = given;
    },
    process: (process) => processes.push(process) - 1,
    file: (file) => files.push(file) - 1,
    note: (note) => void notes.push({ id: note.id, count: note.count, text: noteText(note) }),
    block(block) {
      if (clock === undefined) throw new Error("a block before the clock");
      for (let i = 0; i < block.count; i++) {
        const process = processes[block.process[i] as number];
        const file = files[block.file[i] as number];
        if (process === undefined || file === undefined) throw new Error("an unknown process or file");
        if ((block.operation[i] as number) > Operation.write) continue;
        accesses.push({
          start: block.startNs[i] as number,
          end: block.endNs[i] as number,
          bytes: block.bytes[i] as number,
          moved: block.movedBytes?.[i] ?? Number.NaN,
          offset: block.offset?.[i] ?? Number.NaN,
          pid: process.pid,
          path: file.path,
          layer: CALL_LAYERS[block.layer[i] as number] as string,
          flags: (block.flags[i] as number) | (block.operation[i] === Operation.write ? WRITE_FLAG : 0),
        });
      }
    },
  };
  return { sink, collected: () => ({ clock, processes, files, notes, accesses }) };
}
