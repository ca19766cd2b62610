/** List requests: each server gets the pairs of its local file. */
import type { FilePieces } from "../../storage.ts";
import { HEADER_BYTES, Op, PAIR_BYTES } from "../wire.ts";
import { readAcross, writeAcross } from "./contiguous.ts";
import type { ServersFile } from "./file.ts";
import { Call } from "./message.ts";
import { movePieces, Spread, type Staging, writePairs } from "./spread.ts";

const COUNT_BYTES = 4;

export class ListRequests {
  readonly #file: ServersFile;
  readonly #spread: Spread;

  constructor(file: ServersFile) {
    this.#file = file;
    this.#spread = new Spread(file.storage.strips);
  }

  write(pieces: FilePieces, data: Uint8Array): Promise<void> {
    return this.#fits(pieces, 0, pieces.count)
      ? this.#send(pieces, 0, pieces.count, data, true)
      : this.#halves(pieces, 0, pieces.count, data, true);
  }

  read(pieces: FilePieces, into: Uint8Array): Promise<void> {
    return this.#fits(pieces, 0, pieces.count)
      ? this.#send(pieces, 0, pieces.count, into, false)
      : this.#halves(pieces, 0, pieces.count, into, false);
  }

  /** Computes the share of each server in the spread. */
  #fits(pieces: FilePieces, from: number, to: number): boolean {
    const spread = this.#spread.clear();
    spread.add(pieces, from, to);
    return spread.bytesMax <= this.#file.storage.limits.dataBytes;
  }

  /** Too large for one message: first one half of the pieces, then the other. */
  async #halves(
    pieces: FilePieces,
    from: number,
    to: number,
    data: Uint8Array,
    writing: boolean,
  ): Promise<void> {
    if (to - from === 1) {
      const at = pieces.offsets[from] as number;
      await (writing ? writeAcross(this.#file, at, data) : readAcross(this.#file, at, data));
      return;
    }
    const middle = (from + to) >>> 1;
    let cut = 0;
    for (let i = from; i < middle; i++) cut += pieces.lengths[i] as number;
    const parts = [
      { from, to: middle, data: data.subarray(0, cut) },
      { from: middle, to, data: data.subarray(cut) },
    ];
    for (const part of parts) {
      if (this.#fits(pieces, part.from, part.to))
        await this.#send(pieces, part.from, part.to, part.data, writing);
      else await this.#halves(pieces, part.from, part.to, part.data, writing);
    }
  }

  #send(pieces: FilePieces, from: number, to: number, data: Uint8Array, writing: boolean): Promise<void> {
    const { storage } = this.#file;
    const { strips, pool } = storage;
    const { pairs, bytes } = this.#spread;
    const frames: (Buffer | undefined)[] = [];
    const lengths: number[] = [];
    const pairAt = new Float64Array(strips.servers).fill(HEADER_BYTES + COUNT_BYTES);
    const at = new Float64Array(strips.servers);
    let messages = 0;
    for (let server = 0; server < strips.servers; server++) {
      const count = pairs[server] as number;
      if (count === 0) continue;
      messages++;
      const head = HEADER_BYTES + COUNT_BYTES + count * PAIR_BYTES;
      const length = head + (writing ? (bytes[server] as number) : 0);
      const frame = pool.take(length);
      frame.writeUInt32LE(count, HEADER_BYTES);
      frames[server] = frame;
      lengths[server] = length;
      at[server] = head;
    }
    const staging: Staging = { buffers: frames, at, pairAt };
    writePairs(pieces, from, to, strips, staging);
    if (writing) {
      movePieces(pieces, from, to, strips, data, 0, staging, true);
      return sendWrites(this.#file, Op.writeList, frames, lengths, bytes, messages);
    }
    const reads = sendReads(this.#file, Op.readList, frames, lengths, bytes, messages);
    return reads.then((answers) => {
      const out = { buffers: answers, at: new Float64Array(strips.servers), pairAt: undefined };
      movePieces(pieces, from, to, strips, data, 0, out, false);
      for (const buffer of answers) if (buffer !== undefined) pool.give(buffer);
    });
  }
}

/** Sends the frame of each server; `bytes` of each are data. */
export function sendWrites(
  file: ServersFile,
  op: Op,
  frames: readonly (Buffer | undefined)[],
  lengths: readonly number[],
  bytes: Float64Array,
  messages: number,
): Promise<void> {
  const { traffic } = file.storage;
  const call = new Call(messages);
  for (const [server, frame] of frames.entries()) {
    if (frame === undefined) continue;
    const link = file.link(server);
    const data = bytes[server] as number;
    traffic.messages++;
    traffic.movedBytes += data;
    link.send(op, file.handle(server), frame, lengths[server] as number, link.message(call, frame, data));
  }
  return call.promise;
}

/** The same for reads; returns the data of each server, in buffers of the pool. */
export async function sendReads(
  file: ServersFile,
  op: Op,
  frames: readonly (Buffer | undefined)[],
  lengths: readonly number[],
  bytes: Float64Array,
  messages: number,
): Promise<(Buffer | undefined)[]> {
  const { traffic, pool } = file.storage;
  const call = new Call(messages);
  const answers: (Buffer | undefined)[] = [];
  for (const [server, frame] of frames.entries()) {
    if (frame === undefined) continue;
    const link = file.link(server);
    const data = bytes[server] as number;
    const into = pool.take(data);
    answers[server] = into;
    traffic.messages++;
    traffic.movedBytes += data;
    link.send(
      op,
      file.handle(server),
      frame,
      lengths[server] as number,
      link.reading(call, frame, data, into, 0),
    );
  }
  await call.promise;
  return answers;
}
