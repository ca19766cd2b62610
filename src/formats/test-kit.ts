/** For tests: everything that a format of accesses hands out, as plain arrays. */
import { type ByteSource, bytesSource } from "../base/source.ts";
import {
  type AccessClock,
  type AccessFile,
  type AccessProcess,
  type AccessSink,
  noteText,
} from "../model/access-stream.ts";
import type { AccessFormat, AccessReadOptions } from "./access-format.ts";

export interface CollectedAccess {
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
  /** NaN when the input does not say. */
  readonly moved: number;
  readonly offset: number;
  readonly pid: number;
  readonly path: string;
  readonly flags: number;
}

/** A note with its sentence as it stands for one input. */
export interface ToldNote {
  readonly id: string;
  readonly count: number;
  readonly text: string;
}

export interface Collected {
  readonly clock: AccessClock | undefined;
  readonly processes: readonly AccessProcess[];
  readonly files: readonly AccessFile[];
  readonly notes: readonly ToldNote[];
  /** Row by row; `start` and `end` in nanoseconds since the epoch of the clock. */
  readonly accesses: readonly CollectedAccess[];
}

/** Reads `input` (bytes, text, or a source) and checks on the way that the reader keeps the rules of a sink. */
export function collectAccesses(
  format: AccessFormat,
  input: Uint8Array | string | ByteSource,
  options: AccessReadOptions & { readonly name?: string } = {},
): Collected {
  const { sink, collected } = collectingSink();
  const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
  format.read(bytes instanceof Uint8Array ? bytesSource(bytes, options.name) : bytes, sink, options);
  return collected();
}

/** A sink that keeps everything. */
export function collectingSink(): { readonly sink: AccessSink; readonly collected: () => Collected } {
  let clock: AccessClock | undefined;
  const processes: AccessProcess[] = [];
  const files: AccessFile[] = [];
  const notes: ToldNote[] = [];
  const accesses: CollectedAccess[] = [];
  const sink: AccessSink = {
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
        accesses.push({
          start: block.startNs[i] as number,
          end: block.endNs[i] as number,
          bytes: block.bytes[i] as number,
          moved: block.movedBytes?.[i] ?? Number.NaN,
          offset: block.offset?.[i] ?? Number.NaN,
          pid: process.pid,
          path: file.path,
          flags: block.flags[i] as number,
        });
      }
    },
  };
  return { sink, collected: () => ({ clock, processes, files, notes, accesses }) };
}
