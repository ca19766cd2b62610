/** Durations of calls: percentiles and outliers. */
import { withRoom } from "../../base/room.ts";
import { QuantileSketch, type SketchData } from "../../base/quantile-sketch.ts";

/** Nearest rank; exact for up to 256 calls, within 0.8 % for more. */
export interface Percentiles {
  readonly p50Seconds: number;
  readonly p95Seconds: number;
  readonly p99Seconds: number;
  readonly maxSeconds: number;
}

/** Outliers: calls far longer than similar ones. */
export interface Outliers<Call> {
  /** Number of outliers. */
  readonly calls: number;
  /** Calls that took longer are outliers. */
  readonly overSeconds: number;
  /** The longest of them, longest first. */
  readonly longest: readonly Call[];
}

export interface LongCall {
  readonly durationNs: number;
  readonly startNs: number;
  /** In the file; NaN when not known. */
  readonly offset: number;
  readonly bytes: number;
  /** What the collection numbers calls by: a rank, or a clock. */
  readonly owner: number;
}

/** The first `count` rows of these. */
interface TimedRows {
  readonly count: number;
  readonly startNs: Float64Array;
  readonly endNs: Float64Array;
  readonly offset: Float64Array;
  readonly bytes: Float64Array;
}

/** Plain data, for another thread. */
export interface DurationsData {
  readonly sketch: SketchData;
  readonly longest: Float64Array;
}

/** Of a file and direction: kept calls, and numbers of a kept call. */
const KEPT = 4;
const FIELDS = 5;
const OUTLIER_FACTOR = 10;
/** Shorter delays are ticks of the scheduler. */
const OUTLIER_NS_MIN = 1e6;
/** Minimum number of calls for a 95th percentile. */
const OUTLIER_CALLS_MIN = 20;

export class CallDurations {
  readonly sketch = new QuantileSketch();
  #longest = new Float64Array(0);
  #kept = 0;
  /** Only longer calls are among the longest. Never a small integer, of which the engine would make another kind of field. */
  floorNs = Number.NEGATIVE_INFINITY;

  get memoryBytes(): number {
    return this.sketch.memoryBytes + this.#longest.byteLength + 64;
  }

  add(durationNs: number, startNs: number, offset: number, bytes: number, owner: number): void {
    this.sketch.add(durationNs);
    if (durationNs > this.floorNs) this.keep(durationNs, startNs, offset, bytes, owner);
  }

  /** Calls of one owner. */
  addAll(calls: TimedRows, owner: number): void {
    const { count, startNs, endNs, offset, bytes } = calls;
    this.sketch.addDifferences(endNs, startNs, 0, count);
    for (let i = 0; i < count; i++) {
      const ns = (endNs[i] as number) - (startNs[i] as number);
      if (ns > this.floorNs)
        this.keep(ns, startNs[i] as number, offset[i] as number, bytes[i] as number, owner);
    }
  }

  /** Puts a call among the longest, if it is one. */
  keep(durationNs: number, startNs: number, offset: number, bytes: number, owner: number): void {
    if (!(durationNs > this.floorNs)) return;
    let at = this.#kept;
    if (at < KEPT) {
      this.#kept++;
      if (this.#longest.length < this.#kept * FIELDS) this.#makeRoom();
    } else at = this.#shortest();
    this.#longest.set([durationNs, startNs, offset, bytes, owner], at * FIELDS);
    if (this.#kept === KEPT) this.floorNs = this.#longest[this.#shortest() * FIELDS] as number;
  }

  /** Adds calls of another collection; `owner` replaces their number. */
  merge({ sketch, longest }: DurationsData, owner?: number): void {
    this.sketch.merge(sketch);
    for (const one of callsIn(longest))
      this.keep(one.durationNs, one.startNs, one.offset, one.bytes, owner ?? one.owner);
  }

  data(): DurationsData {
    return { sketch: this.sketch.data(), longest: this.#longest.slice(0, this.#kept * FIELDS) };
  }

  get percentiles(): Percentiles | null {
    return percentilesOf(this.sketch);
  }

  /** Null: too few calls. */
  get outliers(): Outliers<LongCall> | null {
    return outliersOf(this.sketch, callsIn(this.#longest.subarray(0, this.#kept * FIELDS)));
  }

  #makeRoom(): void {
    this.#longest = withRoom(this.#longest, this.#kept === 1 ? FIELDS : KEPT * FIELDS);
  }

  #shortest(): number {
    let shortest = 0;
    for (let at = 1; at < this.#kept; at++)
      if ((this.#longest[at * FIELDS] as number) < (this.#longest[shortest * FIELDS] as number))
        shortest = at;
    return shortest;
  }
}

export function percentilesOf(sketch: QuantileSketch): Percentiles | null {
  if (sketch.count === 0) return null;
  return {
    p50Seconds: sketch.quantile(0.5) / 1e9,
    p95Seconds: sketch.quantile(0.95) / 1e9,
    p99Seconds: sketch.quantile(0.99) / 1e9,
    maxSeconds: sketch.most / 1e9,
  };
}

/** `calls` are the longest that were kept. */
export function outliersOf<Call extends LongCall>(
  sketch: QuantileSketch,
  calls: readonly Call[],
): Outliers<Call> | null {
  if (sketch.count < OUTLIER_CALLS_MIN) return null;
  const overNs = Math.max(OUTLIER_NS_MIN, OUTLIER_FACTOR * sketch.quantile(0.95));
  const longest = calls
    .filter(({ durationNs }) => durationNs > overNs)
    .sort((a, b) => b.durationNs - a.durationNs || a.startNs - b.startNs);
  const above = sketch.most > overNs ? sketch.countAbove(overNs) : 0;
  return { calls: Math.max(above, longest.length), overSeconds: overNs / 1e9, longest };
}

export function callsIn(longest: Float64Array): LongCall[] {
  return Array.from({ length: longest.length / FIELDS }, (_, at) => {
    const [durationNs, startNs, offset, bytes, owner] = longest.subarray(at * FIELDS, (at + 1) * FIELDS);
    return { durationNs, startNs, offset, bytes, owner } as LongCall;
  });
}
