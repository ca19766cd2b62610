/** What traces say beyond counters: which bytes, how often, by whom, and when. */
import { commonLength, IntervalSet } from "../../base/interval-set.ts";
import { Operation, type StripeLayout } from "../../model/index.ts";
import { type CallStretch, isSound, offsetAt } from "./run-calls.ts";

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
  /** What has calls of a rank of which more may come. */
  readonly #open = new Map<number, WayTraces[]>();
  #dropped = 0;

  get empty(): boolean {
    return this.#files.size === 0;
  }

  /** Adds the reads or writes that can be used: sound times, known sizes. */
  add(calls: CallStretch): void {
    const { fileId } = calls.file;
    const key = `${calls.layer} ${fileId}`;
    let file = this.#files.get(key);
    if (file === undefined) {
      file = new FileTraces(fileId, calls.layer);
      this.#files.set(key, file);
    }
    const isWrite = calls.operation === Operation.write;
    const way = isWrite ? file.write : file.read;
    if (way.beginRank(calls.rank)) {
      const open = this.#open.get(calls.rank);
      if (open === undefined) this.#open.set(calls.rank, [way]);
      else open.push(way);
    }
    this.#dropped += way.add(calls);
    const { layout } = calls.file;
    if (layout !== undefined && calls.layer === "POSIX") this.#addOsts(calls, layout, isWrite);
  }

  /** No more calls of this rank will come: what was kept to tell its bytes from others' is let go. */
  endRank(rank: number): void {
    for (const way of this.#open.get(rank) ?? []) way.endRank(rank);
    this.#open.delete(rank);
  }

  #addOsts(calls: CallStretch, layout: StripeLayout, isWrite: boolean): void {
    const { stripeBytes, osts } = layout;
    const cycle = osts.length;
    for (let i = calls.from; i < calls.to; i++) {
      const offset = offsetAt(calls, i);
      const bytes = calls.bytes[i] as number;
      if (!isSound(calls, i) || Number.isNaN(offset) || bytes === 0) continue;
      const seconds = ((calls.endNs[i] as number) - (calls.startNs[i] as number)) / 1e9;
      const first = Math.floor(offset / stripeBytes);
      const last = Math.floor((offset + bytes - 1) / stripeBytes);
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

/** Where a rank was in one direction of one file. */
class RankWay {
  readonly offsets = new IntervalSet();
  nextOffset = Number.NaN;
  size = Number.NaN;
  gap = Number.NaN;
}

/** One direction of one file. */
class WayTraces {
  readonly times = new IntervalSet();
  readonly #offsets = new IntervalSet();
  /** Of ranks of which more calls may come. */
  readonly #open = new Map<number, RankWay>();
  calls = 0;
  bytes = 0;
  nanoseconds = 0;
  firstNs = Number.NaN;
  lastNs = Number.NaN;
  ranks = 0;
  #offsetsKnown = true;
  #distinctByRank = 0;
  consecutive = 0;
  strided = 0;

  /** True when the rank is new here. */
  beginRank(rank: number): boolean {
    if (this.#open.has(rank)) return false;
    this.#open.set(rank, new RankWay());
    this.ranks++;
    return true;
  }

  /** Gives how many calls were dropped. */
  add(calls: CallStretch): number {
    let dropped = 0;
    const rank = this.#open.get(calls.rank) as RankWay;
    for (let i = calls.from; i < calls.to; i++) {
      if (!isSound(calls, i)) {
        dropped++;
        continue;
      }
      const start = (calls.startNs[i] as number) + calls.shiftNs;
      const end = (calls.endNs[i] as number) + calls.shiftNs;
      const bytes = calls.bytes[i] as number;
      this.calls++;
      this.bytes += bytes;
      this.nanoseconds += end - start;
      this.times.add(start, end);
      if (!(this.firstNs <= start)) this.firstNs = start;
      if (!(this.lastNs >= end)) this.lastNs = end;
      this.#addOffset(rank, offsetAt(calls, i), bytes);
    }
    return dropped;
  }

  #addOffset(rank: RankWay, offset: number, bytes: number): void {
    if (Number.isNaN(offset)) {
      this.#offsetsKnown = false;
      rank.nextOffset = Number.NaN;
      return;
    }
    rank.offsets.add(offset, offset + bytes);
    const gap = offset - rank.nextOffset;
    if (gap === 0) this.consecutive++;
    else if (gap === rank.gap && bytes === rank.size) this.strided++;
    rank.gap = gap;
    rank.size = bytes;
    rank.nextOffset = offset + bytes;
  }

  endRank(rank: number): void {
    const offsets = this.#open.get(rank)?.offsets;
    this.#open.delete(rank);
    if (offsets === undefined) return;
    this.#distinctByRank += offsets.length;
    this.#offsets.addAll(offsets);
  }

  finishOffsets(): IntervalSet {
    for (const rank of [...this.#open.keys()]) this.endRank(rank);
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
