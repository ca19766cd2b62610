/** Bytes over time and per rank. */
import type { HeatRow } from "../../model/streams.ts";
import { TimeGrid } from "./time-grid.ts";

export interface Activity {
  /** Where it comes from: the heat map counts what calls moved; traces are spread evenly over each call. */
  readonly source: "HEATMAP" | "DXT";
  /** Layer that is shown: of those recorded the lowest with data. */
  readonly layer: string;
  readonly binSeconds: number;
  /** Bytes in each bin of time, all ranks. */
  readonly bytesRead: Float64Array;
  readonly bytesWritten: Float64Array;
  /** Bytes of each rank. */
  readonly rankBytesRead: Float64Array;
  readonly rankBytesWritten: Float64Array;
  /** Cells: groups of ranks × bins of time, row by row. */
  readonly rows: number;
  readonly ranksPerRow: number;
  readonly cellsRead: Float64Array;
  readonly cellsWritten: Float64Array;
}

/** Columns of a heat map that is put together from several logs or from traces. */
const COLUMNS = 200;
const ROWS = 128;
/** Layers that move the data themselves; they do not nest in one another, so their bytes add up. */
const LOWEST = ["POSIX", "STDIO", "DFS", "DAOS"];

/** Heat maps of all ranks and layers, in one grid for the layers that move data and one for MPI-IO. */
export class HeatBuilder {
  readonly #ranks: number;
  readonly #seconds: number;
  readonly #single: boolean;
  readonly #grids = new Map<boolean, HeatGrid>();

  /** `single`: one log only, so its own bins are kept as they are. */
  constructor(ranks: number, seconds: number, single: boolean) {
    this.#ranks = Math.max(1, ranks);
    this.#seconds = seconds;
    this.#single = single;
  }

  add(row: HeatRow, rank: number, shiftSeconds: number): void {
    const bins = row.bytesRead.length;
    if (!(row.binSeconds > 0) || bins === 0 || rank < 0 || rank >= this.#ranks) return;
    const lowest = LOWEST.includes(row.layer);
    let grid = this.#grids.get(lowest);
    if (grid === undefined) {
      const whole = bins * row.binSeconds;
      grid = this.#single
        ? new HeatGrid(this.#ranks, bins, whole)
        : new HeatGrid(this.#ranks, COLUMNS, this.#seconds > 0 ? this.#seconds : whole + shiftSeconds);
      this.#grids.set(lowest, grid);
    }
    grid.add(row, rank, shiftSeconds);
  }

  finish(): Activity | undefined {
    for (const lowest of [true, false]) {
      const grid = this.#grids.get(lowest);
      if (grid !== undefined && !grid.empty) return grid.finish();
    }
    return undefined;
  }
}

class HeatGrid {
  readonly #layers = new Set<string>();
  readonly #grid: TimeGrid;
  readonly #ranksPerRow: number;
  readonly #rankRead: Float64Array;
  readonly #rankWritten: Float64Array;
  empty = true;

  constructor(ranks: number, columns: number, seconds: number) {
    this.#ranksPerRow = Math.ceil(ranks / ROWS);
    this.#grid = new TimeGrid(Math.ceil(ranks / this.#ranksPerRow), columns, 2, seconds);
    this.#rankRead = new Float64Array(ranks);
    this.#rankWritten = new Float64Array(ranks);
  }

  add(row: HeatRow, rank: number, shiftSeconds: number): void {
    const lane = Math.floor(rank / this.#ranksPerRow);
    for (let bin = 0; bin < row.bytesRead.length; bin++) {
      const read = row.bytesRead[bin] as number;
      const written = row.bytesWritten[bin] as number;
      if (read === 0 && written === 0) continue;
      this.empty = false;
      this.#layers.add(row.layer);
      this.#rankRead[rank] = (this.#rankRead[rank] as number) + read;
      this.#rankWritten[rank] = (this.#rankWritten[rank] as number) + written;
      const start = bin * row.binSeconds + shiftSeconds;
      // Rounding must not spill into the next bin of the same width.
      const end = start + row.binSeconds * (1 - 1e-9);
      this.#grid.spread(lane, start + row.binSeconds * 1e-9, end, [read, written]);
    }
  }

  finish(): Activity {
    const layer =
      LOWEST.filter((name) => this.#layers.has(name)).join(" + ") || [...this.#layers].join(" + ");
    return activityOf(this.#grid, this.#ranksPerRow, "HEATMAP", layer, this.#rankRead, this.#rankWritten);
  }
}

/** The same from the bins of traced calls, in fewer columns. */
export function activityOfTrace(
  { grid, ranksPerLane, layer }: { grid: TimeGrid; ranksPerLane: number; layer: string },
  rankRead: Float64Array,
  rankWritten: Float64Array,
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
  return activityOf(small, ranksPerLane, "DXT", layer, rankRead, rankWritten);
}

function activityOf(
  grid: TimeGrid,
  ranksPerRow: number,
  source: Activity["source"],
  layer: string,
  rankBytesRead: Float64Array,
  rankBytesWritten: Float64Array,
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
