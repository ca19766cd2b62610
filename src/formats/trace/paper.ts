/**
 * The record of the BPS paper (III.B, III.C), to the letter: process id, size in blocks, start, end; 32 bytes. The paper
 * leaves open how they are written; here as four little-endian 64-bit numbers without a header, times in nanoseconds. Such
 * a file cannot say what it is, so its name must end in `.bps32`.
 */
import { FormatError } from "../../base/errors.ts";
import { type CallBlock, type CallClock, CALL_NESTED, Operation, type CallSink } from "../../model/index.ts";
import type { InputFormat } from "../input-format.ts";

const PAPER_SUFFIX = ".bps32";
const RECORD_BYTES = 32;
/** Of the blocks that sizes are counted in. */
const BLOCK_BYTES = 512;
const BLOCK_RECORDS = 1 << 15;
/** Times from here on are of the year 1988 or later, and so times of day. */
const TIMES_OF_DAY_FROM = 1n << 59n;

export const paper = {
  id: "paper",
  label: "records of the BPS paper (.bps32)",
  // How many records there are follows from the length.
  sequential: false,
  recognizes: (_head, name) => name.endsWith(PAPER_SUFFIX),
  calls(source, sink, { blockBytes = BLOCK_BYTES } = {}) {
    const total = Math.floor(source.byteLength / RECORD_BYTES);
    if (source.byteLength > 0 && total === 0)
      throw new FormatError(
        source.name,
        { offset: 0 },
        `a record has ${RECORD_BYTES} bytes, this file has ${source.byteLength}`,
      );
    const processes = new Map<number, number>();
    const file = sink.file({ path: "" });
    const columns = {
      startNs: new Float64Array(BLOCK_RECORDS),
      endNs: new Float64Array(BLOCK_RECORDS),
      bytes: new Float64Array(BLOCK_RECORDS),
      process: new Uint32Array(BLOCK_RECORDS),
      file: new Uint32Array(BLOCK_RECORDS).fill(file),
      operation: new Uint8Array(BLOCK_RECORDS),
      layer: new Uint8Array(BLOCK_RECORDS),
      flags: new Uint8Array(BLOCK_RECORDS),
    };
    let epochNs = 0n;
    for (let done = 0; done < total; ) {
      const bytes = source.read(done * RECORD_BYTES, Math.min(BLOCK_RECORDS, total - done) * RECORD_BYTES);
      const count = Math.floor(bytes.length / RECORD_BYTES);
      if (count === 0) break;
      const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
      if (done === 0) {
        epochNs = view.getBigUint64(16, true);
        if (epochNs < TIMES_OF_DAY_FROM) epochNs = 0n;
        sink.clock({ kind: epochNs === 0n ? "own" : "realtime", epochNs });
      }
      for (let i = 0; i < count; i++) {
        const at = i * RECORD_BYTES;
        const pid = Number(view.getBigUint64(at, true));
        columns.process[i] = processes.get(pid) ?? added(processes, pid, sink);
        columns.bytes[i] = Number(view.getBigInt64(at + 8, true)) * blockBytes;
        columns.startNs[i] = Number(view.getBigUint64(at + 16, true) - epochNs);
        columns.endNs[i] = Number(view.getBigUint64(at + 24, true) - epochNs);
      }
      sink.block({ count, ...columns });
      done += count;
    }
    const rest = source.byteLength % RECORD_BYTES;
    if (rest !== 0)
      sink.note({
        id: "truncated",
        count: 1,
        text: `the last record has only ${rest} of ${RECORD_BYTES} bytes and was skipped`,
      });
  },
} satisfies InputFormat;

function added(processes: Map<number, number>, pid: number, sink: CallSink): number {
  const id = sink.process({ pid });
  processes.set(pid, id);
  return id;
}

/**
 * A sink that writes such records: outermost accesses only, sizes rounded up to whole blocks as the paper's records must
 * be. Reading them back gives the same T and N, and B of the rounded sizes.
 */
export function paperSink(write: (bytes: Uint8Array) => void): CallSink {
  const pids: number[] = [];
  let clock: CallClock = { kind: "own", epochNs: 0n };
  return {
    clock: (given) => {
      clock = given;
    },
    process: ({ pid }) => pids.push(pid) - 1,
    file: () => 0,
    note: () => {},
    block: (block) => write(recordsOf(block, pids, clock)),
  };
}

function recordsOf(block: CallBlock, pids: readonly number[], { epochNs }: CallClock): Uint8Array {
  const view = new DataView(new ArrayBuffer(block.count * RECORD_BYTES));
  let at = 0;
  for (let i = 0; i < block.count; i++) {
    if (((block.flags[i] as number) & CALL_NESTED) !== 0 || (block.operation[i] as number) > Operation.write)
      continue;
    const start = block.startNs[i] as number;
    const end = block.endNs[i] as number;
    const bytes = block.bytes[i] as number;
    // What has no size or no time cannot be written in this form.
    if (!(Number.isFinite(bytes) && Number.isFinite(start) && Number.isFinite(end))) continue;
    view.setBigUint64(at, BigInt(pids[block.process[i] as number] ?? 0), true);
    view.setBigInt64(at + 8, BigInt(Math.ceil(bytes / BLOCK_BYTES)), true);
    view.setBigUint64(at + 16, epochNs + BigInt(Math.round(start)), true);
    view.setBigUint64(at + 24, epochNs + BigInt(Math.round(end)), true);
    at += RECORD_BYTES;
  }
  return new Uint8Array(view.buffer, 0, at);
}
