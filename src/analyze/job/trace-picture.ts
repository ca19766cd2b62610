/** Calls of a job as the trace viewer wants them: bins of lanes × time always, single calls when they are few. */
import {
  Operation,
  type Trace,
  type TraceBins,
  type TraceFile,
  type TraceOffsets,
} from "../../model/index.ts";
import { KeptCalls, type PictureOptions } from "./kept-calls.ts";
import { OffsetGrid } from "./offset-grid.ts";
import { addRankBytes, type RankBytes } from "./rank-bytes.ts";
import { TimeGrid } from "./time-grid.ts";
import type { CallStretch, SoundCalls } from "./run-calls.ts";

/** Bytes of one layer: groups of ranks × time (planes calls, read, written, busy), and per rank. */
export interface TraceHeat {
  readonly grid: TimeGrid;
  readonly ranksPerLane: number;
  readonly layer: string;
  readonly rankBytesRead: RankBytes;
  readonly rankBytesWritten: RankBytes;
}

const RANK_LANES = 128;
const COLUMNS = 1024;
/** Files with a lane of their own while reading; the smallest makes room for a larger one. */
const FILE_LANES = 64;
const FILES_SHOWN = 32;
const OFFSET_FILES = 6;

/** Planes of the grids. */
const CALLS = 0;
const READ = 1;
const WRITTEN = 2;
const BUSY = 3;

export class TracePicture {
  readonly #ranks: number;
  readonly #seconds: number;
  readonly #ranksPerLane: number;
  readonly #layers: LayerGrids[] = [];
  /** Every file by its id; the number is its place in `#files`. */
  readonly #fileNumbers = new Map<bigint, number>();
  readonly #files: FileSums[] = [];
  readonly #laneOwners: (FileSums | undefined)[] = new Array(FILE_LANES).fill(undefined);
  readonly #calls: KeptCalls;
  /** Of the calls that are added, in seconds. */
  #starts = new Float64Array(0);
  #ends = new Float64Array(0);
  #busy = new Float64Array(0);
  #ones = new Float64Array(0);

  constructor(ranks: number, seconds: number, options: PictureOptions) {
    this.#ranks = Math.max(1, ranks);
    this.#seconds = seconds;
    this.#calls = new KeptCalls(options);
    this.#ranksPerLane = Math.ceil(this.#ranks / RANK_LANES);
  }

  /** A rank that the job does not have counts as its last one. */
  add({ rank: given, layer: name, file: { fileId }, operation }: CallStretch, calls: SoundCalls): void {
    const rank = Math.min(Math.max(given, 0), this.#ranks - 1);
    const layer = this.#layerOf(name);
    const file = this.#fileOf(fileId);
    const isWrite = operation === Operation.write;
    const { count, bytes, offset } = calls;
    let sum = 0;
    for (let i = 0; i < count; i++) sum += bytes[i] as number;
    this.#claimLane(file, sum);
    if (file.lane >= 0) layer.offsetGrid(file, this.#seconds).add(isWrite, calls);
    this.#setSeconds(calls);
    const [starts, ends] = [this.#starts, this.#ends];
    const amounts = [
      { plane: CALLS, values: this.#ones },
      { plane: isWrite ? WRITTEN : READ, values: bytes },
      { plane: BUSY, values: this.#busy },
    ];
    layer.byRank.spreadAll(Math.floor(rank / this.#ranksPerLane), starts, ends, amounts, count);
    layer.byFile.spreadAll(file.lane < 0 ? FILE_LANES : file.lane, starts, ends, amounts, count);
    layer.calls += count;
    if (calls.endOffset > file.endOffset) file.endOffset = calls.endOffset;
    addRankBytes(isWrite ? layer.rankBytesWritten : layer.rankBytesRead, rank, sum);
    const ofFile = isWrite ? file.written : file.read;
    ofFile[layer.index] = (ofFile[layer.index] ?? 0) + sum;
    this.#calls.add({ count, starts, ends, bytes, offset }, rank, file.number, {
      layer: layer.index,
      isWrite,
    });
  }

  #setSeconds({ count, startNs, endNs }: SoundCalls): void {
    if (this.#starts.length < count) {
      this.#starts = new Float64Array(count);
      this.#ends = new Float64Array(count);
      this.#busy = new Float64Array(count);
      this.#ones = new Float64Array(count).fill(1);
    }
    const [starts, ends, busy] = [this.#starts, this.#ends, this.#busy];
    for (let i = 0; i < count; i++) {
      starts[i] = (startNs[i] as number) / 1e9;
      ends[i] = (endNs[i] as number) / 1e9;
      busy[i] = (ends[i] as number) - (starts[i] as number);
    }
  }

  #lowestLayer(): number {
    const posix = this.#layers.findIndex(({ name }) => name === "POSIX");
    return posix >= 0 ? posix : 0;
  }

  #layerOf(name: string): LayerGrids {
    let layer = this.#layers.find((one) => one.name === name);
    if (layer === undefined) {
      layer = new LayerGrids(
        name,
        this.#layers.length,
        Math.ceil(this.#ranks / this.#ranksPerLane),
        this.#seconds,
      );
      this.#layers.push(layer);
    }
    return layer;
  }

  #fileOf(id: bigint): FileSums {
    let number = this.#fileNumbers.get(id);
    if (number === undefined) {
      number = this.#files.length;
      this.#fileNumbers.set(id, number);
      this.#files.push(new FileSums(id, number));
    }
    return this.#files[number] as FileSums;
  }

  /** Gives the file a lane when one is free, or when the file that has least would have less than what comes. */
  #claimLane(file: FileSums, coming: number): void {
    if (file.lane >= 0) return;
    let lane = this.#laneOwners.indexOf(undefined);
    if (lane < 0) {
      lane = 0;
      this.#laneOwners.forEach((owner, index) => {
        if ((owner?.bytes ?? 0) < (this.#laneOwners[lane]?.bytes ?? 0)) lane = index;
      });
      const loser = this.#laneOwners[lane] as FileSums;
      if (loser.bytes >= coming + file.bytes) return;
      loser.lane = -1;
      for (const layer of this.#layers) {
        layer.byFile.foldLane(lane, FILE_LANES);
        layer.offsets.delete(loser.number);
      }
    }
    this.#laneOwners[lane] = file;
    file.lane = lane;
  }

  /** Cells of the lowest layer for a heat map: groups of ranks × time. */
  heat(): TraceHeat | undefined {
    const layer = this.#layers[this.#lowestLayer()];
    if (layer === undefined) return undefined;
    const { byRank: grid, name, rankBytesRead, rankBytesWritten } = layer;
    return { grid, ranksPerLane: this.#ranksPerLane, layer: name, rankBytesRead, rankBytesWritten };
  }

  finish(
    factsOf: (fileId: string) => { path: string; stripeBytes: number; stripeCount: number },
    hint: string,
  ): Trace | undefined {
    if (this.#layers.length === 0) return undefined;
    const lowest = this.#lowestLayer();
    const shown = this.#files
      .filter(({ lane }) => lane >= 0)
      .sort((a, b) => b.bytesOf(lowest) - a.bytesOf(lowest) || b.bytes - a.bytes || a.number - b.number)
      .slice(0, FILES_SHOWN);
    const places = new Map(shown.map(({ number }, place) => [number, place]));
    const seconds = Math.max(...this.#layers.map(({ byRank }) => byRank.seconds));
    // Without a known end each grid is as long as its own calls asked for.
    for (const layer of this.#layers) layer.reach(seconds);
    const { window } = this.#calls.options;
    return {
      seconds,
      ranks: this.#ranks,
      files: shown.map((file): TraceFile => {
        const facts = factsOf(String(file.id));
        return {
          fileId: String(file.id),
          ...facts,
          bytesRead: file.read[lowest] ?? file.read.find((bytes) => bytes > 0) ?? 0,
          bytesWritten: file.written[lowest] ?? file.written.find((bytes) => bytes > 0) ?? 0,
          endOffset: file.endOffset,
        };
      }),
      filesTotal: this.#files.length,
      layers: this.#layers.map(({ name, calls }) => ({ name, calls })),
      calls: this.#calls.finish(places, shown.length),
      coverage: this.#calls.isTooMany
        ? { kind: "none" }
        : window === undefined
          ? { kind: "all" }
          : { kind: "window", ...window },
      hint: this.#calls.isTooMany || window !== undefined ? hint : "",
      bins: this.#layers.flatMap((layer) => [
        binsOf(layer.byRank, "rank", layer.index, this.#ranksPerLane),
        binsOf(lanesInOrder(layer.byFile, shown), "file", layer.index, 1),
      ]),
      offsets: this.#layers.flatMap((layer) =>
        shown.slice(0, OFFSET_FILES).flatMap((file, place) => {
          const grid = layer.offsets.get(file.number);
          return grid === undefined ? [] : [offsetsOf(grid, place, layer.index, seconds, file.endOffset)];
        }),
      ),
    };
  }
}

class FileSums {
  readonly id: bigint;
  readonly number: number;
  lane = -1;
  endOffset = 0;
  /** By layer. */
  readonly read: number[] = [];
  readonly written: number[] = [];

  constructor(id: bigint, number: number) {
    this.id = id;
    this.number = number;
  }

  bytesOf(layer: number): number {
    return (this.read[layer] ?? 0) + (this.written[layer] ?? 0);
  }

  get bytes(): number {
    return [...this.read, ...this.written].reduce((sum, bytes) => sum + (bytes ?? 0), 0);
  }
}

class LayerGrids {
  readonly name: string;
  readonly index: number;
  readonly byRank: TimeGrid;
  readonly byFile: TimeGrid;
  /** By number of the file. */
  readonly offsets = new Map<number, OffsetGrid>();
  calls = 0;
  readonly rankBytesRead = new Map<number, number>();
  readonly rankBytesWritten = new Map<number, number>();

  constructor(name: string, index: number, lanes: number, seconds: number) {
    this.name = name;
    this.index = index;
    this.byRank = new TimeGrid(lanes, COLUMNS, 4, seconds);
    this.byFile = new TimeGrid(FILE_LANES + 1, COLUMNS, 4, seconds);
  }

  reach(seconds: number): void {
    this.byRank.reach(seconds);
    this.byFile.reach(seconds);
    for (const grid of this.offsets.values()) grid.reachTime(seconds);
  }

  offsetGrid(file: FileSums, seconds: number): OffsetGrid {
    let grid = this.offsets.get(file.number);
    if (grid === undefined) this.offsets.set(file.number, (grid = new OffsetGrid(seconds)));
    return grid;
  }
}

/** The lanes of the files that are shown, in their order, and all others in one lane behind them. */
function lanesInOrder(grid: TimeGrid, shown: readonly FileSums[]): TimeGrid {
  const ordered = new TimeGrid(shown.length + 1, grid.columns, grid.planes.length, grid.seconds);
  const taken = new Map(shown.map(({ lane }, place) => [lane, place]));
  for (let lane = 0; lane < grid.lanes; lane++) {
    const to = taken.get(lane) ?? shown.length;
    grid.planes.forEach((values, plane) => {
      const target = ordered.planes[plane] as Float64Array;
      for (let column = 0; column < grid.columns; column++) {
        const at = to * grid.columns + column;
        target[at] = (target[at] as number) + (values[lane * grid.columns + column] as number);
      }
    });
  }
  return ordered;
}

function binsOf(grid: TimeGrid, lanesBy: "rank" | "file", layer: number, ranksPerLane: number): TraceBins {
  const calls = grid.planes[CALLS] as Float64Array;
  const filled: number[] = [];
  for (let cell = 0; cell < calls.length; cell++) if ((calls[cell] as number) > 0) filled.push(cell);
  const take = (plane: number) =>
    Float64Array.from(filled, (cell) => (grid.planes[plane] as Float64Array)[cell] as number);
  return {
    lanesBy,
    layer,
    ranksPerLane,
    lanes: grid.lanes,
    columns: grid.columns,
    cell: Uint32Array.from(filled),
    calls: take(CALLS),
    bytesRead: take(READ),
    bytesWritten: take(WRITTEN),
    busySeconds: take(BUSY),
  };
}

/** Cells over [0, seconds] × [0, endOffset]; the grid may reach further on both axes. */
function offsetsOf(
  grid: OffsetGrid,
  file: number,
  layer: number,
  seconds: number,
  endOffset: number,
): TraceOffsets {
  const rows = Math.max(1, Math.min(grid.rows, Math.ceil((endOffset / grid.endOffset) * grid.rows)));
  const columns = Math.max(1, Math.min(grid.columns, Math.round((seconds / grid.seconds) * grid.columns)));
  const cells: number[] = [];
  const places: number[] = [];
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const at = row * grid.columns + column;
      if ((grid.read[at] as number) > 0 || (grid.written[at] as number) > 0) {
        cells.push(row * columns + column);
        places.push(at);
      }
    }
  }
  return {
    file,
    layer,
    rows,
    columns,
    rowBytes: grid.endOffset / grid.rows,
    cell: Uint32Array.from(cells),
    bytesRead: Float64Array.from(places, (at) => grid.read[at] as number),
    bytesWritten: Float64Array.from(places, (at) => grid.written[at] as number),
  };
}
