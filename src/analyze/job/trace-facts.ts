/** What traces say beyond counters: which bytes, how often, by whom, and when. */
import { commonLength, IntervalSet } from "../../base/interval-set.ts";
import type { OpsBlock, StripeLayout } from "../../model/index.ts";

export interface TraceFacts {
  /** Calls of each layer; a layer's calls contain those of the layer below. */
  readonly layers: readonly TraceLayerFacts[];
  readonly files: readonly TraceFileFacts[];
  /** Calls with times or sizes that make no sense, left out. */
  readonly dropped: number;
}

interface TraceLayerFacts {
  readonly layer: string;
  readonly read: TraceWay;
  readonly write: TraceWay;
  /** Seconds with a call of either direction under way. */
  readonly busySeconds: number;
}

/** One file in one layer. */
export interface TraceFileFacts {
  readonly fileId: string;
  readonly layer: string;
  readonly read: TraceWay;
  readonly write: TraceWay;
  readonly busySeconds: number;
  /** Bytes that were written and, at any time, read. */
  readonly writtenAndReadBytes: number;
}

export interface TraceWay {
  readonly calls: number;
  readonly bytes: number;
  /** Seconds in calls, summed. */
  readonly seconds: number;
  /** Seconds with at least one call under way: T of C02. */
  readonly busySeconds: number;
  /** Start of the first and end of the last call, seconds; NaN without calls. */
  readonly firstSeconds: number;
  readonly lastSeconds: number;
  /** Ranks with such calls; for a whole layer those of the file that most ranks used. */
  readonly ranks: number;
  /** Different bytes that were touched; NaN when offsets are not known (and for whole layers). */
  readonly distinctBytes: number;
  /** Different bytes of each rank, summed: above `distinctBytes` when ranks touched the same. */
  readonly distinctByRankBytes: number;
  /** Calls that began where the previous one of the rank ended. */
  readonly consecutiveCalls: number;
  /** Calls of the same size at the same gap (not zero) as the two before: a strided pattern. */
  readonly stridedCalls: number;
}

/** Gathers facts from blocks of calls; memory follows the gaps between calls, not their number. */
export class TraceFactsBuilder {
  readonly #files = new Map<string, FileTraces>();
  readonly #osts = new Map<number, OstSums>();
  #dropped = 0;

  get empty(): boolean {
    return this.#files.size === 0;
  }

  /** Calls that can be used: sound times, known sizes. Adds them, moved by `shiftNs`. */
  add(block: OpsBlock, rank: number, shiftNs: number): void {
    const key = `${block.layer} ${block.fileId}`;
    let file = this.#files.get(key);
    if (file === undefined) {
      file = new FileTraces(block.fileId, block.layer);
      this.#files.set(key, file);
    }
    this.#dropped += file.write.add(block, rank, 0, block.writes, shiftNs);
    this.#dropped += file.read.add(block, rank, block.writes, block.count, shiftNs);
    if (block.layout !== undefined && block.layer === "POSIX") this.#addOsts(block, block.layout);
  }

  #addOsts(block: OpsBlock, layout: StripeLayout): void {
    const { stripeBytes, osts } = layout;
    const cycle = osts.length;
    for (let i = 0; i < block.count; i++) {
      if (!isSound(block, i) || !((block.offset[i] as number) >= 0)) continue;
      const offset = block.offset[i] as number;
      const bytes = block.bytes[i] as number;
      if (!Number.isFinite(offset) || bytes === 0) continue;
      const seconds = ((block.endNs[i] as number) - (block.startNs[i] as number)) / 1e9;
      const first = Math.floor(offset / stripeBytes);
      const last = Math.floor((offset + bytes - 1) / stripeBytes);
      const isWrite = i < block.writes;
      // Each of the first stripes stands for all later ones of its OST: whole rounds, and the end of the last one.
      for (let stripe = first; stripe <= Math.min(last, first + cycle - 1); stripe++) {
        const rounds = Math.floor((last - stripe) / cycle);
        const from = Math.max(offset, stripe * stripeBytes);
        const end = Math.min(offset + bytes, (stripe + rounds * cycle + 1) * stripeBytes);
        const to = rounds === 0 ? end : (stripe + 1) * stripeBytes;
        const later =
          rounds === 0 ? 0 : (rounds - 1) * stripeBytes + end - (stripe + rounds * cycle) * stripeBytes;
        const amount = to - from + later;
        const share = amount / bytes;
        this.#ost(osts[stripe % cycle] as number).add(isWrite, amount, seconds * share, share);
      }
    }
  }

  #ost(ost: number): OstSums {
    let sums = this.#osts.get(ost);
    if (sums === undefined) this.#osts.set(ost, (sums = new OstSums()));
    return sums;
  }

  /** Load per OST of the traced calls; empty when no layout was known. */
  get osts(): ReadonlyMap<number, OstSums> {
    return this.#osts;
  }

  finish(): TraceFacts | undefined {
    if (this.#files.size === 0) return undefined;
    const layers = new Map<string, { read: LayerTraces; write: LayerTraces; both: IntervalSet }>();
    const files: TraceFileFacts[] = [];
    for (const file of this.#files.values()) {
      let layer = layers.get(file.layer);
      if (layer === undefined) {
        layer = { read: new LayerTraces(), write: new LayerTraces(), both: new IntervalSet() };
        layers.set(file.layer, layer);
      }
      const both = new IntervalSet();
      both.addAll(file.read.times);
      both.addAll(file.write.times);
      layer.both.addAll(both);
      layer.read.add(file.read);
      layer.write.add(file.write);
      files.push({
        fileId: String(file.fileId),
        layer: file.layer,
        read: file.read.facts(),
        write: file.write.facts(),
        busySeconds: both.length / 1e9,
        writtenAndReadBytes: commonLength(file.read.finishOffsets(), file.write.finishOffsets()),
      });
    }
    return {
      layers: [...layers].map(([layer, { read, write, both }]) => ({
        layer,
        read: read.facts(),
        write: write.facts(),
        busySeconds: both.length / 1e9,
      })),
      files,
      dropped: this.#dropped,
    };
  }
}

/** Whether a call can be counted: ends after it starts, within ten years, and its size is known. */
export function isSound(block: OpsBlock, i: number): boolean {
  const start = block.startNs[i] as number;
  const end = block.endNs[i] as number;
  return (
    start >= 0 && end >= start && end < TEN_YEARS_NS && (block.bytes[i] as number) < Number.POSITIVE_INFINITY
  );
}

const TEN_YEARS_NS = 3.2e17;

export class OstSums {
  bytesRead = 0;
  bytesWritten = 0;
  seconds = 0;
  calls = 0;

  add(isWrite: boolean, bytes: number, seconds: number, calls: number): void {
    if (isWrite) this.bytesWritten += bytes;
    else this.bytesRead += bytes;
    this.seconds += seconds;
    this.calls += calls;
  }
}

class FileTraces {
  readonly fileId: bigint;
  readonly layer: string;
  readonly read = new WayTraces();
  readonly write = new WayTraces();

  constructor(fileId: bigint, layer: string) {
    this.fileId = fileId;
    this.layer = layer;
  }
}

/** One direction of one file. */
class WayTraces {
  readonly times = new IntervalSet();
  readonly #offsets = new IntervalSet();
  /** Of the rank whose calls are coming; ranks follow one another. */
  readonly #rankOffsets = new IntervalSet();
  calls = 0;
  bytes = 0;
  nanoseconds = 0;
  firstNs = Number.NaN;
  lastNs = Number.NaN;
  ranks = 0;
  #offsetsKnown = true;
  #distinctByRank = 0;
  #rank = Number.NaN;
  consecutive = 0;
  strided = 0;
  #nextOffset = Number.NaN;
  #size = Number.NaN;
  #gap = Number.NaN;

  /** Adds calls [from, to) of the block; gives how many were dropped. */
  add(block: OpsBlock, rank: number, from: number, to: number, shiftNs: number): number {
    let dropped = 0;
    if (from < to && rank !== this.#rank) this.#beginRank(rank);
    for (let i = from; i < to; i++) {
      if (!isSound(block, i)) {
        dropped++;
        continue;
      }
      const start = (block.startNs[i] as number) + shiftNs;
      const end = (block.endNs[i] as number) + shiftNs;
      const bytes = block.bytes[i] as number;
      this.calls++;
      this.bytes += bytes;
      this.nanoseconds += end - start;
      this.times.add(start, end);
      if (!(this.firstNs <= start)) this.firstNs = start;
      if (!(this.lastNs >= end)) this.lastNs = end;
      this.#addOffset(block.offset[i] as number, bytes);
    }
    return dropped;
  }

  #addOffset(offset: number, bytes: number): void {
    if (!(offset < Number.POSITIVE_INFINITY)) {
      this.#offsetsKnown = false;
      this.#nextOffset = Number.NaN;
      return;
    }
    this.#rankOffsets.add(offset, offset + bytes);
    const gap = offset - this.#nextOffset;
    if (gap === 0) this.consecutive++;
    else if (gap === this.#gap && bytes === this.#size) this.strided++;
    this.#gap = gap;
    this.#size = bytes;
    this.#nextOffset = offset + bytes;
  }

  #beginRank(rank: number): void {
    this.#endRank();
    this.#rank = rank;
    this.ranks++;
    this.#nextOffset = Number.NaN;
    this.#gap = Number.NaN;
  }

  #endRank(): void {
    this.#distinctByRank += this.#rankOffsets.length;
    this.#offsets.addAll(this.#rankOffsets);
    this.#rankOffsets.clear();
  }

  finishOffsets(): IntervalSet {
    this.#endRank();
    return this.#offsets;
  }

  facts(): TraceWay {
    const offsets = this.finishOffsets();
    return {
      calls: this.calls,
      bytes: this.bytes,
      seconds: this.nanoseconds / 1e9,
      busySeconds: this.times.length / 1e9,
      firstSeconds: this.firstNs / 1e9,
      lastSeconds: this.lastNs / 1e9,
      ranks: this.ranks,
      distinctBytes: this.#offsetsKnown ? offsets.length : Number.NaN,
      distinctByRankBytes: this.#offsetsKnown ? this.#distinctByRank : Number.NaN,
      consecutiveCalls: this.consecutive,
      stridedCalls: this.strided,
    };
  }
}

/** One direction of a layer, over its files. */
class LayerTraces {
  readonly #times = new IntervalSet();
  #calls = 0;
  #bytes = 0;
  #nanoseconds = 0;
  #firstNs = Number.NaN;
  #lastNs = Number.NaN;
  #ranksMost = 0;
  #consecutive = 0;
  #strided = 0;

  add(file: WayTraces): void {
    this.#times.addAll(file.times);
    this.#calls += file.calls;
    this.#bytes += file.bytes;
    this.#nanoseconds += file.nanoseconds;
    if (!(this.#firstNs <= file.firstNs) && file.calls > 0) this.#firstNs = file.firstNs;
    if (!(this.#lastNs >= file.lastNs) && file.calls > 0) this.#lastNs = file.lastNs;
    this.#ranksMost = Math.max(this.#ranksMost, file.ranks);
    this.#consecutive += file.consecutive;
    this.#strided += file.strided;
  }

  facts(): TraceWay {
    return {
      calls: this.#calls,
      bytes: this.#bytes,
      seconds: this.#nanoseconds / 1e9,
      busySeconds: this.#times.length / 1e9,
      firstSeconds: this.#firstNs / 1e9,
      lastSeconds: this.#lastNs / 1e9,
      ranks: this.#ranksMost,
      distinctBytes: Number.NaN,
      distinctByRankBytes: Number.NaN,
      consecutiveCalls: this.#consecutive,
      stridedCalls: this.#strided,
    };
  }
}
