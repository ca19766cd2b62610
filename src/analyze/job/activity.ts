/** Bytes over time and per rank. */
import type { HeatRow } from "../../model/index.ts";
import { addAllRankBytes, addRankBytes, type RankBytes } from "./rank-bytes.ts";
import { TimeGrid } from "./time-grid.ts";
import type { TraceHeat } from "./trace-picture.ts";

export interface Activity {
  /** Where it comes from: the heat map counts what calls moved; traces are spread evenly over each call. */
  readonly source: "HEATMAP" | "DXT" | "calls";
  /** Layer that is shown: of those recorded the lowest with data. */
  readonly layer: string;
  readonly binSeconds: number;
  /** Bytes in each bin of time, all ranks. */
  readonly bytesRead: Float64Array;
  readonly bytesWritten: Float64Array;
  readonly rankBytesRead: RankBytes;
  readonly rankBytesWritten: RankBytes;
  /** Cells: groups of ranks × bins of time, row by row. */
  readonly rows: number;
  readonly ranksPerRow: number;
  readonly cellsRead: Float64Array;
  readonly cellsWritten: Float64Array;
}

/** Columns of a heat map that is put together from several logs or from traces. */
const COLUMNS = 200;
const ROWS = 128;
/** Bins of a single log that are kept as they are; Darshan writes at most 100. */
const BINS_MAX = 1024;
const TEN_YEARS_SECONDS = 3.2e8;
/** Layers that move the data themselves. Their bytes add up, but for DAOS, which DFS calls. */
const LOWEST = ["POSIX", "STDIO", "DFS", "DAOS"];

/** Heat maps of all ranks and layers, in one grid for the layers that move data, one for DAOS and one for MPI-IO. */
export class HeatBuilder {
  readonly #ranks: number;
  readonly #seconds: number;
  readonly #single: boolean;
  readonly #grids = new Map<"moving" | "DAOS" | "above", HeatGrid>();

  /** `single`: one log only, so its own bins are kept as they are. */
  constructor(ranks: number, seconds: number, single: boolean) {
    this.#ranks = Math.max(1, ranks);
    this.#seconds = seconds;
    this.#single = single;
  }

  add(row: HeatRow, rank: number, shiftSeconds: number): void {
    const bins = row.bytesRead.length;
    const whole = bins * row.binSeconds;
    if (!(whole > 0 && whole < TEN_YEARS_SECONDS) || rank < 0 || rank >= this.#ranks) return;
    const kind = row.layer === "DAOS" ? "DAOS" : LOWEST.includes(row.layer) ? "moving" : "above";
    let grid = this.#grids.get(kind);
    if (grid === undefined) {
      const columns = this.#single && bins <= BINS_MAX ? bins : COLUMNS;
      const seconds = !this.#single && this.#seconds > 0 ? this.#seconds : whole + shiftSeconds;
      grid = new HeatGrid(this.#ranks, columns, seconds);
      this.#grids.set(kind, grid);
    }
    grid.add(row, rank, shiftSeconds);
  }

  finish(): Activity | undefined {
    const [moving, daos, above] = (["moving", "DAOS", "above"] as const).map((kind) => this.#grids.get(kind));
    if (moving !== undefined && daos !== undefined && !moving.has("DFS")) moving.addAll(daos);
    const made = [moving, daos, above].find((grid) => grid !== undefined && !grid.empty)?.finish();
    return made && untilEnd(made, this.#seconds);
  }
}

/** Recorders double the width of all bins when time has left them, so that half of them or more may lie after the run. */
function untilEnd(activity: Activity, runSeconds: number): Activity {
  const { bytesRead, bytesWritten, rows, binSeconds } = activity;
  const columns = bytesRead.length;
  let kept = runSeconds > 0 ? Math.min(columns, Math.ceil(runSeconds / binSeconds - 1e-9)) : columns;
  for (let column = kept; column < columns; column++)
    if ((bytesRead[column] as number) + (bytesWritten[column] as number) > 0) kept = column + 1;
  if (kept === columns) return activity;
  const cut = (cells: Float64Array) => {
    const left = new Float64Array(rows * kept);
    for (let row = 0; row < rows; row++)
      left.set(cells.subarray(row * columns, row * columns + kept), row * kept);
    return left;
  };
  return {
    ...activity,
    bytesRead: bytesRead.slice(0, kept),
    bytesWritten: bytesWritten.slice(0, kept),
    cellsRead: cut(activity.cellsRead),
    cellsWritten: cut(activity.cellsWritten),
  };
}

class HeatGrid {
  readonly #layers = new Set<string>();
  readonly #grid: TimeGrid;
  readonly #ranksPerRow: number;
  readonly #rankRead = new Map<number, number>();
  readonly #rankWritten = new Map<number, number>();
  empty = true;

  constructor(ranks: number, columns: number, seconds: number) {
    this.#ranksPerRow = Math.ceil(ranks / ROWS);
    this.#grid = new TimeGrid(Math.ceil(ranks / this.#ranksPerRow), columns, 2, seconds);
  }

  add(row: HeatRow, rank: number, shiftSeconds: number): void {
    const lane = Math.floor(rank / this.#ranksPerRow);
    for (let bin = 0; bin < row.bytesRead.length; bin++) {
      const read = row.bytesRead[bin] as number;
      const written = row.bytesWritten[bin] as number;
      if (read === 0 && written === 0) continue;
      this.empty = false;
      this.#layers.add(row.layer);
      addRankBytes(this.#rankRead, rank, read);
      addRankBytes(this.#rankWritten, rank, written);
      this.#spread(lane, bin * row.binSeconds + shiftSeconds, row.binSeconds, [read, written]);
    }
  }

  has(layer: string): boolean {
    return this.#layers.has(layer);
  }

  /** Of the same ranks. */
  addAll(other: HeatGrid): void {
    const { columns, columnSeconds, planes } = other.#grid;
    const [read, written] = planes as [Float64Array, Float64Array];
    read.forEach((bytes, cell) => {
      const amounts = [bytes, written[cell] as number];
      if (amounts[0] === 0 && amounts[1] === 0) return;
      this.#spread(Math.floor(cell / columns), (cell % columns) * columnSeconds, columnSeconds, amounts);
    });
    addAllRankBytes(this.#rankRead, other.#rankRead);
    addAllRankBytes(this.#rankWritten, other.#rankWritten);
    for (const layer of other.#layers) this.#layers.add(layer);
    this.empty &&= other.empty;
  }

  /** Rounding must not spill into the next bin of the same width. */
  #spread(lane: number, start: number, seconds: number, amounts: readonly number[]): void {
    this.#grid.spread(lane, start + seconds * 1e-9, start + seconds * (1 - 1e-9), amounts);
  }

  finish(): Activity {
    const layer =
      LOWEST.filter((name) => this.#layers.has(name)).join(" + ") || [...this.#layers].join(" + ");
    return activityOf(this.#grid, this.#ranksPerRow, "HEATMAP", layer, this.#rankRead, this.#rankWritten);
  }
}

/** The same from the bins of traced calls, in fewer columns. */
export function activityOfTrace(
  { grid, ranksPerLane, layer, rankBytesRead, rankBytesWritten }: TraceHeat,
  source: Activity["source"],
): Activity {
  const joined = 8;
  const columns = grid.columns / joined;
  const small = new TimeGrid(grid.lanes, columns, 2, grid.seconds);
  for (const [from, to] of [
    [1, 0],
    [2, 1],
  ] as const) {
    const source = grid.planes[from] as Float64Array;
    const target = small.planes[to] as Float64Array;
    source.forEach((value, cell) => {
      const at = Math.floor(cell / joined);
      target[at] = (target[at] as number) + value;
    });
  }
  return activityOf(small, ranksPerLane, source, layer, rankBytesRead, rankBytesWritten);
}

function activityOf(
  grid: TimeGrid,
  ranksPerRow: number,
  source: Activity["source"],
  layer: string,
  rankBytesRead: RankBytes,
  rankBytesWritten: RankBytes,
): Activity {
  const [cellsRead, cellsWritten] = grid.planes as [Float64Array, Float64Array];
  const perColumn = (cells: Float64Array) => {
    const sums = new Float64Array(grid.columns);
    cells.forEach((value, cell) => {
      sums[cell % grid.columns] = (sums[cell % grid.columns] as number) + value;
    });
    return sums;
  };
  return {
    source,
    layer,
    binSeconds: grid.columnSeconds,
    bytesRead: perColumn(cellsRead),
    bytesWritten: perColumn(cellsWritten),
    rankBytesRead,
    rankBytesWritten,
    rows: grid.lanes,
    ranksPerRow,
    cellsRead,
    cellsWritten,
  };
}
