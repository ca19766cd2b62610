/** Pieces of a file spread over servers: the share of each, and copies between packed data and each server's data. */
import type { Pieces } from "../../pattern/index.ts";
import { copyBytes } from "../copy.ts";
import { localBefore, type Strips } from "../strips.ts";
import { writePlace } from "../wire.ts";

/** The share of each server of some pieces. */
export class Spread {
  readonly strips: Strips;
  readonly bytes: Float64Array;
  readonly pairs: Float64Array;

  constructor(strips: Strips) {
    this.strips = strips;
    this.bytes = new Float64Array(strips.servers);
    this.pairs = new Float64Array(strips.servers);
  }

  clear(): this {
    this.bytes.fill(0);
    this.pairs.fill(0);
    return this;
  }

  /** The largest share of a server. */
  get bytesMax(): number {
    return this.bytes.reduce((most, one) => Math.max(most, one), 0);
  }

  /** Adds pieces `from` to `to`. */
  add({ offsets, lengths }: Pieces, from: number, to: number): void {
    const { servers, bytes: strip } = this.strips;
    for (let i = from; i < to; i++) {
      const offset = offsets[i] as number;
      const length = lengths[i] as number;
      const index = Math.floor(offset / strip);
      if (offset - index * strip + length <= strip) {
        const server = index % servers;
        this.bytes[server]! += length;
        this.pairs[server]!++;
      } else this.addLong(offset, length);
    }
  }

  addLong(offset: number, length: number): void {
    const { strips } = this;
    const { servers, bytes: strip } = strips;
    const first = Math.floor(offset / strip);
    const touched = Math.min(servers, Math.floor((offset + length - 1) / strip) - first + 1);
    for (let i = 0; i < touched; i++) {
      const server = (first + i) % servers;
      this.bytes[server]! +=
        localBefore(strips, server, offset + length) - localBefore(strips, server, offset);
      this.pairs[server]!++;
    }
  }
}

/** Buffers of each server's data and pairs while pieces are walked. */
export interface Staging {
  readonly buffers: readonly (Buffer | undefined)[];
  /** The next byte of data in each buffer. */
  readonly at: Float64Array;
  /** The next pair in each buffer; not for datatypes and reads. */
  readonly pairAt: Float64Array | undefined;
}

/**
 * Moves the data of pieces `from` to `to`, packed from `place`, into the buffers of their servers (`scatter`) or out of them.
 * Returns the place after the last.
 */
export function movePieces(
  { offsets, lengths }: Pieces,
  from: number,
  to: number,
  strips: Strips,
  data: Uint8Array,
  place: number,
  staging: Staging,
  scatter: boolean,
): number {
  const { servers, bytes: strip } = strips;
  const { buffers, at } = staging;
  let next = place;
  for (let i = from; i < to; i++) {
    let offset = offsets[i] as number;
    let left = lengths[i] as number;
    while (left > 0) {
      const index = Math.floor(offset / strip);
      const server = index % servers;
      const part = Math.min(left, (index + 1) * strip - offset);
      const buffer = buffers[server] as Buffer;
      const there = at[server] as number;
      if (scatter) copyBytes(data, next, buffer, there, part);
      else copyBytes(buffer, there, data, next, part);
      at[server] = there + part;
      next += part;
      offset += part;
      left -= part;
    }
  }
  return next;
}

/** Writes the pair of each piece and server; a piece in several strips of a server has one pair there. */
export function writePairs(
  { offsets, lengths }: Pieces,
  from: number,
  to: number,
  strips: Strips,
  staging: Staging,
) {
  const { servers, bytes: strip } = strips;
  const { buffers, pairAt } = staging;
  if (pairAt === undefined) return;
  for (let i = from; i < to; i++) {
    const offset = offsets[i] as number;
    const length = lengths[i] as number;
    const first = Math.floor(offset / strip);
    const touched = Math.min(servers, Math.floor((offset + length - 1) / strip) - first + 1);
    for (let n = 0; n < touched; n++) {
      const server = (first + n) % servers;
      const start = localBefore(strips, server, offset);
      const buffer = buffers[server] as Buffer;
      const at = pairAt[server] as number;
      writePlace(buffer, at, start);
      buffer.writeUInt32LE(localBefore(strips, server, offset + length) - start, at + 8);
      pairAt[server] = at + 12;
    }
  }
}
