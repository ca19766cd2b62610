/** One direction of one file, from its traced calls. */
import { IntervalSet } from "../../base/interval-set.ts";
import { QuantileSketch } from "../../base/quantile-sketch.ts";
import {
  CallDurations,
  type LongCall,
  type Outliers,
  type Percentiles,
  percentilesOf,
} from "../metric/index.ts";
import type { Life } from "./file-order.ts";
import type { SoundCalls } from "./run-calls.ts";

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

  add(calls: SoundCalls, rank: number, life: Life): void {
    const { count, startNs, endNs, bytes, offset } = calls;
    if (count === 0) return;
    const durations = (this.#durations ??= new CallDurations());
    durations.addAll(calls, rank);
    this.calls += count;
    let [first, last, sum, ns] = [startNs[0] as number, endNs[0] as number, 0, 0];
    for (let i = 0; i < count; i++) {
      const start = startNs[i] as number;
      const end = endNs[i] as number;
      sum += bytes[i] as number;
      ns += end - start;
      if (start < first) first = start;
      if (end > last) last = end;
    }
    this.bytes += sum;
    this.nanoseconds += ns;
    if (!(this.firstNs <= first)) this.firstNs = first;
    if (!(this.lastNs >= last)) this.lastNs = last;
    life.firstNs = Math.min(life.firstNs, first);
    life.lastNs = Math.max(life.lastNs, last);
    this.#addOffsets(this.#open.get(rank) as RankWay, calls, offset);
  }

  #addOffsets(rank: RankWay, { count, startNs, endNs, bytes }: SoundCalls, offsets: Float64Array): void {
    let { nextOffset, gap: lastGap, size: lastSize } = rank;
    for (let i = 0; i < count; i++) {
      const offset = offsets[i] as number;
      const size = bytes[i] as number;
      if (Number.isNaN(offset)) {
        this.#offsetsKnown = false;
        nextOffset = Number.NaN;
        continue;
      }
      const gap = offset - nextOffset;
      nextOffset = offset + size;
      rank.offsets.add(offset, nextOffset);
      if (gap === 0) {
        this.consecutive++;
        if (size < BLOCK_BYTES) {
          this.tiny.calls++;
          this.tiny.bytes += size;
          this.tiny.ns += (endNs[i] as number) - (startNs[i] as number);
        }
      } else if (gap === lastGap && size === lastSize) this.strided++;
      lastGap = gap;
      lastSize = size;
    }
    Object.assign(rank, { nextOffset, gap: lastGap, size: lastSize });
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
  calls = 0;
  #bytes = 0;
  #nanoseconds = 0;
  #firstNs = Number.NaN;
  #lastNs = Number.NaN;
  #ranksMost = 0;
  #consecutive = 0;
  #strided = 0;

  add(file: WayTraces): void {
    if (file.sketch !== undefined) this.#sketch.merge(file.sketch.data());
    this.calls += file.calls;
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
      calls: this.calls,
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
