/** The decoded trace with what is derived from it, made when first asked for. */
import type { Trace, TraceBins, TraceOffsets } from "../../../src/model/index.ts";
import { buildLaneIndex, buildOneLane, type LaneIndex } from "./lane-index.ts";
import { columnConcurrency, laneStarts } from "./sums.ts";

export type LanesBy = "rank" | "file";

/** More lanes than anyone scrolls through; a log may claim any number of ranks. */
const LANES_MAX = 2 ** 17;

export interface Level {
  readonly bins: TraceBins;
  /** Seconds of a column. */
  readonly cellSeconds: number;
  readonly starts: Uint32Array;
  readonly concurrency: Float64Array;
}

interface OffsetLevel {
  readonly cells: TraceOffsets;
  readonly cellSeconds: number;
  readonly starts: Uint32Array;
}

export class TraceData {
  readonly trace: Trace;
  /** The time axis: the run, and calls that lie outside of it. */
  readonly t0: number;
  readonly t1: number;
  readonly #cache = new Map<string, unknown>();

  constructor(trace: Trace) {
    this.trace = trace;
    const { calls } = trace;
    let from = Math.min(0, calls.count > 0 ? (calls.startSeconds[0] as number) : 0);
    let to = trace.seconds;
    for (let i = 0; i < calls.count; i++) {
      const end = calls.endSeconds[i] as number;
      if (end > to && Number.isFinite(end)) to = end;
    }
    if (!Number.isFinite(from)) from = 0;
    this.t0 = from;
    this.t1 = to > from ? to : from + 1;
  }

  get empty(): boolean {
    return this.trace.calls.count === 0 && this.trace.bins.every((bins) => bins.cell.length === 0);
  }

  /** Whether single calls of all of this window are here. */
  hasCalls(t0: number, t1: number): boolean {
    const { coverage } = this.trace;
    if (coverage.kind === "all") return true;
    return coverage.kind === "window" && t0 >= coverage.startSeconds && t1 <= coverage.endSeconds;
  }

  /** Ranks share lanes where bins have them so, and where one lane a rank would be too many. */
  ranksPerLane(layer: number): number {
    const { coverage, ranks } = this.trace;
    if (coverage.kind === "all" && ranks <= LANES_MAX) return 1;
    const levels = this.levels("rank", layer);
    return Math.max(levels[0]?.bins.ranksPerLane ?? 1, Math.ceil(ranks / LANES_MAX));
  }

  lanes(by: LanesBy, layer: number): number {
    const { trace } = this;
    if (by === "rank") return Math.max(1, Math.ceil(trace.ranks / this.ranksPerLane(layer)));
    return trace.files.length + (trace.filesTotal > trace.files.length ? 1 : 0);
  }

  laneName(by: LanesBy, layer: number, lane: number): string {
    const { trace } = this;
    if (by === "file") return trace.files[lane]?.path ?? this.otherFiles;
    const per = this.ranksPerLane(layer);
    if (per === 1) return `rank ${lane}`;
    return `ranks ${lane * per}–${Math.min(trace.ranks, (lane + 1) * per) - 1}`;
  }

  get otherFiles(): string {
    const { files, filesTotal } = this.trace;
    return `${filesTotal - files.length} other files`;
  }

  laneOfCall(by: LanesBy, layer: number, call: number): number {
    const { calls } = this.trace;
    if (by === "file") return calls.file[call] as number;
    return Math.floor((calls.rank[call] as number) / this.ranksPerLane(layer));
  }

  /** Single calls by lane. */
  index(by: LanesBy, layer: number): LaneIndex {
    return this.#once(`index ${by} ${layer}`, () => {
      const { calls } = this.trace;
      const per = this.ranksPerLane(layer);
      const laneOf =
        by === "file"
          ? (i: number) => calls.file[i] as number
          : (i: number) => Math.floor((calls.rank[i] as number) / per);
      return buildLaneIndex(calls, layer, this.lanes(by, layer), laneOf);
    });
  }

  /** All calls of a layer as one lane. */
  allCalls(layer: number): LaneIndex {
    return this.#once(`all ${layer}`, () => buildOneLane(this.trace.calls, layer));
  }

  /** Bins of the lanes that are shown, coarse first; those of other lanes are left out. */
  levels(by: LanesBy, layer: number): readonly Level[] {
    return this.#once(`levels ${by} ${layer}`, () => {
      const all = this.trace.bins.filter(
        (bins) => bins.lanesBy === by && bins.layer === layer && bins.columns > 0,
      );
      const finest = Math.min(...all.map((bins) => bins.ranksPerLane));
      return all
        .filter((bins) => bins.ranksPerLane === finest)
        .sort((a, b) => a.columns - b.columns)
        .map((bins) => {
          const cellSeconds = this.trace.seconds / bins.columns;
          return {
            bins,
            cellSeconds,
            starts: laneStarts(bins.cell, bins.lanes, bins.columns),
            concurrency: columnConcurrency(bins, cellSeconds),
          };
        });
    });
  }

  /** The finest level whose columns are not narrower than a pixel, else the coarsest. */
  levelFor(by: LanesBy, layer: number, secondsPerPixel: number): Level | undefined {
    const levels = this.levels(by, layer);
    return levels.findLast((level) => level.cellSeconds >= secondsPerPixel) ?? levels[0];
  }

  offsetLevel(file: number, layer: number, secondsPerPixel: number): OffsetLevel | undefined {
    const levels = this.#once(`offsets ${file} ${layer}`, () =>
      this.trace.offsets
        .filter(
          (cells) => cells.file === file && cells.layer === layer && cells.columns > 0 && cells.rows > 0,
        )
        .sort((a, b) => a.columns - b.columns)
        .map((cells) => ({
          cells,
          cellSeconds: this.trace.seconds / cells.columns,
          starts: laneStarts(cells.cell, cells.rows, cells.columns),
        })),
    );
    return levels.findLast((level) => level.cellSeconds >= secondsPerPixel) ?? levels[0];
  }

  #once<T>(key: string, make: () => T): T {
    let value = this.#cache.get(key) as T | undefined;
    if (value === undefined) {
      value = make();
      this.#cache.set(key, value);
    }
    return value;
  }
}
