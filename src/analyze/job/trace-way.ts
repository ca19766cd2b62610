/** One direction of one file, from its traced calls. */
import { IntervalSet } from "../../base/interval-set.ts";
import { QuantileSketch } from "../../base/quantile-sketch.ts";
import { type CallTimes, TIME_LIMIT_NS } from "../metric/call-times.ts";
import {
  CallDurations,
  type LongCall,
  type Outliers,
  type Percentiles,
  percentilesOf,
} from "../metric/durations.ts";
import type { Life } from "./file-order.ts";
import { type CallStretch, isSound, offsetAt } from "./run-calls.ts";

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
  /** Of durations; null without calls. */
  readonly percentiles: Percentiles | null;
  /** Calls that took far longer than the others; null where calls are few (and for whole layers). */
  readonly outliers: Outliers<TracedCall> | null;
  /** Calls of less than a block that began where the previous one of the rank ended. */
  readonly tinyAppends: { readonly calls: number; readonly bytes: number; readonly seconds: number };
}

/** One call, on the clock of the job. */
interface TracedCall {
  readonly startSeconds: number;
  readonly seconds: number;
  readonly rank: number;
  readonly offset: number | null;
  readonly bytes: number;
}

/** File system block and page of most systems. */
const BLOCK_BYTES = 4096;

/** Where a rank was in one direction of one file. */
class RankWay {
  readonly offsets = new IntervalSet();
  nextOffset = Number.NaN;
  size = Number.NaN;
  gap = Number.NaN;
}

/** One direction of one file. */
export class WayTraces {
  /** Made with the first call: most files are only read or only written. */
  #durations: CallDurations | undefined;
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
  readonly tiny = { calls: 0, bytes: 0, ns: 0 };

  get sketch(): QuantileSketch | undefined {
    return this.#durations?.sketch;
  }

  /** True when the rank is new here. */
  beginRank(rank: number): boolean {
    if (this.#open.has(rank)) return false;
    this.#open.set(rank, new RankWay());
    this.ranks++;
    return true;
  }

  /** Gives how many calls were dropped; the others' times go to `times`. */
  add(calls: CallStretch, tally: number, times: CallTimes, life: Life): number {
    let dropped = 0;
    const durations = (this.#durations ??= new CallDurations());
    const rank = this.#open.get(calls.rank) as RankWay;
    for (let i = calls.from; i < calls.to; i++) {
      if (!isSound(calls, i)) {
        dropped++;
        continue;
      }
      const start = Math.round((calls.startNs[i] as number) + calls.shiftNs);
      const end = Math.round((calls.endNs[i] as number) + calls.shiftNs);
      if (!(start >= 0 && end < TIME_LIMIT_NS)) {
        dropped++;
        continue;
      }
      const bytes = calls.bytes[i] as number;
      this.calls++;
      this.bytes += bytes;
      this.nanoseconds += end - start;
      const offset = offsetAt(calls, i);
      durations.add(end - start, start, offset, bytes, calls.rank);
      // One more than the offset; 0 when it is not known.
      times.add(start, end, tally, Number.isInteger(offset) ? offset + 1 : 0);
      if (!(this.firstNs <= start)) this.firstNs = start;
      if (!(this.lastNs >= end)) this.lastNs = end;
      if (start < life.firstNs) life.firstNs = start;
      if (end > life.lastNs) life.lastNs = end;
      this.#addOffset(rank, offset, bytes, end - start);
    }
    return dropped;
  }

  #addOffset(rank: RankWay, offset: number, bytes: number, ns: number): void {
    if (Number.isNaN(offset)) {
      this.#offsetsKnown = false;
      rank.nextOffset = Number.NaN;
      return;
    }
    rank.offsets.add(offset, offset + bytes);
    const gap = offset - rank.nextOffset;
    if (gap === 0) {
      this.consecutive++;
      if (bytes < BLOCK_BYTES) {
        this.tiny.calls++;
        this.tiny.bytes += bytes;
        this.tiny.ns += ns;
      }
    } else if (gap === rank.gap && bytes === rank.size) this.strided++;
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

  facts(busySeconds: number): TraceWay {
    const offsets = this.finishOffsets();
    const outliers = this.#durations?.outliers ?? null;
    return {
      calls: this.calls,
      bytes: this.bytes,
      seconds: this.nanoseconds / 1e9,
      busySeconds,
      firstSeconds: this.firstNs / 1e9,
      lastSeconds: this.lastNs / 1e9,
      ranks: this.ranks,
      distinctBytes: this.#offsetsKnown ? offsets.length : Number.NaN,
      distinctByRankBytes: this.#offsetsKnown ? this.#distinctByRank : Number.NaN,
      consecutiveCalls: this.consecutive,
      stridedCalls: this.strided,
      percentiles: this.#durations?.percentiles ?? null,
      outliers: outliers && { ...outliers, longest: outliers.longest.map(tracedCall) },
      tinyAppends: { calls: this.tiny.calls, bytes: this.tiny.bytes, seconds: this.tiny.ns / 1e9 },
    };
  }
}

const tracedCall = ({ startNs, durationNs, owner, offset, bytes }: LongCall): TracedCall => ({
  startSeconds: startNs / 1e9,
  seconds: durationNs / 1e9,
  rank: owner,
  offset: Number.isNaN(offset) ? null : offset,
  bytes,
});

/** One direction of a layer, over its files. */
export class LayerTraces {
  readonly #sketch = new QuantileSketch();
  readonly #tiny = { calls: 0, bytes: 0, seconds: 0 };
  #calls = 0;
  #bytes = 0;
  #nanoseconds = 0;
  #firstNs = Number.NaN;
  #lastNs = Number.NaN;
  #ranksMost = 0;
  #consecutive = 0;
  #strided = 0;

  add(file: WayTraces): void {
    if (file.sketch !== undefined) this.#sketch.merge(file.sketch.data());
    this.#calls += file.calls;
    this.#bytes += file.bytes;
    this.#nanoseconds += file.nanoseconds;
    if (!(this.#firstNs <= file.firstNs) && file.calls > 0) this.#firstNs = file.firstNs;
    if (!(this.#lastNs >= file.lastNs) && file.calls > 0) this.#lastNs = file.lastNs;
    this.#ranksMost = Math.max(this.#ranksMost, file.ranks);
    this.#consecutive += file.consecutive;
    this.#strided += file.strided;
    this.#tiny.calls += file.tiny.calls;
    this.#tiny.bytes += file.tiny.bytes;
    this.#tiny.seconds += file.tiny.ns / 1e9;
  }

  facts(busySeconds: number): TraceWay {
    return {
      calls: this.#calls,
      bytes: this.#bytes,
      seconds: this.#nanoseconds / 1e9,
      busySeconds,
      firstSeconds: this.#firstNs / 1e9,
      lastSeconds: this.#lastNs / 1e9,
      ranks: this.#ranksMost,
      distinctBytes: Number.NaN,
      distinctByRankBytes: Number.NaN,
      consecutiveCalls: this.#consecutive,
      stridedCalls: this.#strided,
      percentiles: percentilesOf(this.#sketch),
      outliers: null,
      tinyAppends: this.#tiny,
    };
  }
}
