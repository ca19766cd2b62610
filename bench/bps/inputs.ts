/** Traces as `plimsoll record` leaves them, of any size, from a seed. */
import { closeSync, openSync, writeSync } from "node:fs";
import { Random } from "../../src/base/prng.ts";
import {
  BYTE_ORDER_MARK,
  HEADER,
  HEADER_BYTES,
  MAGIC,
  RECORD_BYTES,
  TRACE_ENDED,
  VERSIONS,
} from "../../src/formats/trace/layout.ts";

export type Order = "in order" | "threads" | "shuffled";

const PIECE = 65_536;
const STEP_NS = 10_000;
const START_NS = 5_000_000_000n;

/**
 * An access every 10 us on average, 7 us long, so about half of the time is covered. `in order`: one thread after the other
 * without overlap in starts; `threads`: in the order of ends, as several threads of a process leave them; `shuffled`: as
 * nothing would leave them, the worst case of a sort.
 */
export function writeTrace(path: string, count: number, order: Order): void {
  const random = new Random(count);
  const descriptor = openSync(path, "w");
  try {
    writeSync(descriptor, header(count));
    const piece = Buffer.alloc(PIECE * RECORD_BYTES);
    const words = new Uint32Array(piece.buffer, piece.byteOffset, piece.length / 4);
    for (let done = 0; done < count; done += PIECE) {
      const rows = Math.min(PIECE, count - done);
      for (let i = 0; i < rows; i++) {
        const at = 8 * i;
        const length = Math.floor(random.unit() * 1.4 * 7000);
        const start = startOf(order, done + i, count, random, length);
        words[at] = 1;
        // Kind 1 (read), no flags, file 1.
        words[at + 1] = 1 | (1 << 16);
        words[at + 2] = 4096;
        words[at + 3] = 0;
        setTime(words, at + 4, start);
        setTime(words, at + 6, start + length);
      }
      writeSync(descriptor, piece, 0, rows * RECORD_BYTES);
    }
  } finally {
    closeSync(descriptor);
  }
}

function startOf(order: Order, row: number, count: number, random: Random, length: number): number {
  if (order === "in order") return row * STEP_NS;
  // Ends rise; starts lie a varying length before them.
  if (order === "threads") return (row + 1) * STEP_NS + Math.floor(random.unit() * STEP_NS) - length;
  return Math.floor(random.unit() * count) * STEP_NS + Math.floor(random.unit() * STEP_NS);
}

function setTime(words: Uint32Array, at: number, ns: number): void {
  const time = Number(START_NS) + ns;
  words[at] = time % 4294967296;
  words[at + 1] = Math.floor(time / 4294967296);
}

function header(count: number): Uint8Array {
  const bytes = new Uint8Array(HEADER_BYTES);
  const view = new DataView(bytes.buffer);
  for (let i = 0; i < MAGIC.length; i++) bytes[i] = MAGIC.charCodeAt(i);
  const u32 = (at: number, value: number) => view.setUint32(at, value, true);
  const u64 = (at: number, value: bigint) => view.setBigUint64(at, value, true);
  u32(HEADER.version, VERSIONS[0] as number);
  u32(HEADER.byteOrder, BYTE_ORDER_MARK);
  u32(HEADER.headerBytes, HEADER_BYTES);
  u32(HEADER.recordBytes, RECORD_BYTES);
  u64(HEADER.count, BigInt(count));
  u64(HEADER.capacity, BigInt(count));
  u32(HEADER.pid, 1);
  view.setInt32(HEADER.rank, -1, true);
  u32(HEADER.flags, TRACE_ENDED);
  u64(HEADER.startMonotonic, START_NS);
  u64(HEADER.startRealtime, START_NS);
  u64(HEADER.endMonotonic, START_NS);
  u64(HEADER.endRealtime, START_NS);
  return bytes;
}
