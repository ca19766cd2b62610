/** Copies one piece from its sources to its place in a file, as a process group: read, checksummed, written. */
import { assert } from "../../../base/assert.ts";
import {
  type BpStatistics,
  type BpType,
  CHUNK_BYTES,
  type GroupLayout,
  hasStatistics,
  layOutGroup,
  MinMax,
  type SourceSlab,
} from "../../../formats/bp/index.ts";
import { crc32 } from "../../../node/crc32.ts";
import { groupOf, groupOffset, type Range, type Stage, type StagedGroup } from "../stage/stage.ts";
import type { Buffers } from "./buffers.ts";
import { packStatistics, type PieceInfo } from "./piece-info.ts";

interface PieceTask {
  readonly range: Range;
  /** First byte of the lease. */
  readonly offset: number;
  /** Bytes of the lease. */
  readonly room: number;
  /** Checked between buffers. */
  isCancelled(): boolean;
  /** Reports further bytes written. */
  progress(bytes: number): void;
}

interface PieceTools {
  readonly stage: Stage;
  readonly buffers: Buffers;
  /** Identity of the file. */
  readonly identity: string;
  read(into: Uint8Array, at: number): Promise<void>;
  write(bytes: Uint8Array, at: number): Promise<void>;
}

/** Undefined when it was cancelled. */
export async function writePiece(task: PieceTask, tools: PieceTools): Promise<PieceInfo | undefined> {
  const { stage, buffers } = tools;
  const group = groupOf(stage, task.range);
  const layout = layOutGroup(group.plan);
  const at = groupOffset(task.offset, layout.payloadOffsets[0] ?? 0);
  assert(at >= task.offset && at + layout.length <= task.offset + task.room, "a group lies within its lease");
  assert(buffers.bytes % CHUNK_BYTES === 0, "a buffer holds whole chunks");
  const sums = new Sums(stage, group.slabs);
  const done = layout.length <= buffers.bytes ? await writeWhole() : await writeStreamed();
  if (!done) return undefined;
  const statistics = packStatistics(sums.statistics());
  return { identity: tools.identity, group: at, sums: sums.sums(), statistics };

  /** A small group is assembled in one buffer and written with one call. */
  async function writeWhole(): Promise<boolean> {
    const buffer = await buffers.take(true);
    try {
      for (let i = 0; i < group.slabs.length; i++) {
        const slab = group.slabs[i] as SourceSlab;
        const start = layout.payloadOffsets[i] as number;
        const data = buffer.subarray(start, start + slab.bytes);
        await tools.read(data, slab.at);
        sums.add(i, data);
      }
      if (task.isCancelled()) return false;
      for (const { bytes, offset } of headers(finalLayout(group, sums, layout))) buffer.set(bytes, offset);
      await tools.write(buffer.subarray(0, layout.length), at);
      task.progress(task.range.to - task.range.from);
      return true;
    } finally {
      buffers.give(buffer);
    }
  }

  /** One buffer is filled while the previous one is written; headers come last, when their statistics are known. */
  async function writeStreamed(): Promise<boolean> {
    let writing: Promise<void> | undefined;
    try {
      for (const { slab, index, from, length } of spans(group.slabs, buffers.bytes)) {
        const buffer = await buffers.take(writing === undefined);
        const data = buffer.subarray(0, length);
        try {
          await tools.read(data, slab.at + from);
        } catch (error) {
          buffers.give(buffer);
          throw error;
        }
        sums.add(index, data);
        const before = writing;
        writing = undefined;
        try {
          await before;
          if (task.isCancelled()) {
            buffers.give(buffer);
            return false;
          }
        } catch (error) {
          buffers.give(buffer);
          throw error;
        }
        writing = tools.write(data, at + (layout.payloadOffsets[index] as number) + from).then(
          () => {
            buffers.give(buffer);
            task.progress(length);
          },
          (error: unknown) => {
            buffers.give(buffer);
            throw error;
          },
        );
        // Its failure is handled at the next await.
        writing.catch(() => {});
      }
      await writing;
    } finally {
      await writing?.catch(() => {});
    }
    if (task.isCancelled()) return false;
    for (const { bytes, offset } of headers(finalLayout(group, sums, layout)))
      await tools.write(bytes, at + offset);
    return true;
  }
}

/** With statistics, if `planned` reserved room for them. */
function finalLayout({ plan, slabs }: StagedGroup, sums: Sums, planned: GroupLayout): GroupLayout {
  const statistics = sums.statistics();
  const variables = plan.variables.map((variable, i) => {
    const known = statistics[i];
    return known === undefined ? variable : { ...variable, statistics: known };
  });
  const layout = slabs.length === 0 ? layOutGroup(plan) : layOutGroup({ ...plan, variables });
  assert(layout.length === planned.length, "statistics fit into the reserved room");
  return layout;
}

function* headers({ parts }: GroupLayout): Generator<{ bytes: Uint8Array; offset: number }> {
  let offset = 0;
  for (const part of parts) {
    if (part.kind === "bytes") yield { bytes: part.bytes, offset };
    offset += part.kind === "bytes" ? part.bytes.length : part.length;
  }
}

/** The data of each box in parts of a buffer's size. */
function* spans(slabs: readonly SourceSlab[], bytes: number) {
  for (let index = 0; index < slabs.length; index++) {
    const slab = slabs[index] as SourceSlab;
    for (let from = 0; from < slab.bytes; from += bytes)
      yield { slab, index, from, length: Math.min(bytes, slab.bytes - from) };
  }
}

/** Checksums and statistics of the boxes of a piece, from their data in order. */
class Sums {
  readonly #ranges: (MinMax | undefined)[];
  readonly #sums: Uint32Array;
  #count = 0;

  constructor(stage: Stage, slabs: readonly SourceSlab[]) {
    this.#ranges = slabs.map(({ variable }) => {
      const type = stage.variables[variable]?.type as BpType;
      return hasStatistics(type) ? new MinMax(type) : undefined;
    });
    this.#sums = new Uint32Array(slabs.reduce((sum, { bytes }) => sum + Math.ceil(bytes / CHUNK_BYTES), 0));
  }

  /** Data of box `i`; whole chunks, but for its end. */
  add(i: number, data: Uint8Array): void {
    for (let at = 0; at < data.length; at += CHUNK_BYTES) {
      // Both process a chunk at a time while it is in the CPU cache.
      const chunk = data.subarray(at, at + CHUNK_BYTES);
      this.#sums[this.#count++] = crc32(chunk);
      this.#ranges[i]?.add(chunk);
    }
  }

  sums(): Uint32Array {
    assert(this.#count === this.#sums.length, "every chunk of every box has one checksum");
    return this.#sums;
  }

  statistics(): (BpStatistics | undefined)[] {
    return this.#ranges.map((range) => range?.statistics());
  }
}
