/**
 * Lanes as pixels. Everything is written into one block of 32-bit pixels and put on the canvas at once: a cell is then
 * a store, not a call of the canvas, and a full screen of cells takes some milliseconds.
 */
import type { Row } from "./layout.ts";
import { type LaneIndex, slotsNeeded, visibleEntries } from "./lane-index.ts";
import { LEVELS, mix, type Palette, toPixel } from "./palette.ts";
import type { ViewState } from "./state.ts";
import { addEntries, clearSums, newSums, type Scale, spreadCells, type Sums, visibleCells } from "./sums.ts";
import type { Level, TraceData } from "./trace-data.ts";

export interface Pixels {
  readonly words: Uint32Array;
  /** Device pixels. */
  readonly width: number;
  readonly height: number;
  /** Top of the block on the canvas, CSS pixels. */
  readonly top: number;
  readonly ratio: number;
}

export interface PaintResult {
  /** Lanes drawn as single calls and as sums. */
  readonly single: number;
  readonly summed: number;
  /** Calls drawn one by one that are wide enough for text, in device pixels of the block. */
  readonly wide: readonly { call: number; x: number; y: number; width: number; height: number }[];
}

const WIDE_MAX = 300;
/** One call per this many CSS pixels and more of them are drawn as sums. */
const PIXELS_PER_CALL = 2;

interface DenseLane {
  readonly row: Row;
  readonly sums: Sums;
}

const pool: Sums[] = [];

export function paintLanes(
  pixels: Pixels,
  rows: readonly Row[],
  data: TraceData,
  state: ViewState,
  palette: Palette,
): PaintResult {
  const { width, ratio } = pixels;
  const scale: Scale = { t0: state.t0, columnsPerSecond: width / (state.t1 - state.t0) };
  const busy = state.colourBy === "busy";
  const dense: DenseLane[] = [];
  const wide: { call: number; x: number; y: number; width: number; height: number }[] = [];
  let single = 0;
  const nextSums = () => {
    let sums = pool[dense.length];
    if (sums === undefined || sums.columns !== width) pool[dense.length] = sums = newSums(width);
    else clearSums(sums);
    return sums;
  };
  if (data.hasCalls(state.t0, state.t1)) {
    const index = data.index(state.lanesBy, state.layer);
    for (const row of rows) {
      const [from, to] = visibleEntries(index, row.lane, state.t0, state.t1);
      if (from >= to) continue;
      if (!busy && (to - from) * PIXELS_PER_CALL * ratio < width) {
        paintCalls(pixels, row, index, from, to, scale, state, palette, wide);
        single++;
        continue;
      }
      const sums = nextSums();
      addEntries(index, from, to, scale, busy ? "time" : "bytes", sums);
      dense.push({ row, sums });
    }
  } else {
    const level = data.levelFor(state.lanesBy, state.layer, (state.t1 - state.t0) / width);
    if (level !== undefined)
      for (const row of rows) {
        const sums = nextSums();
        if (sumCells(level, row.lane, scale, state, sums)) dense.push({ row, sums });
      }
  }
  if (busy) paintBusy(pixels, dense, data, state, palette);
  else paintDirections(pixels, dense, state, palette);
  return { single, summed: dense.length, wide };
}

/** False when the lane has nothing in the window. Busy seconds go to `read`, as bins do not tell directions apart. */
function sumCells(level: Level, lane: number, scale: Scale, state: ViewState, sums: Sums): boolean {
  const { bins, cellSeconds, starts } = level;
  if (lane >= bins.lanes) return false;
  const first = Math.max(0, Math.floor(state.t0 / cellSeconds));
  const last = Math.floor(state.t1 / cellSeconds);
  const [from, to] = visibleCells(
    bins.cell,
    starts,
    lane,
    bins.columns,
    first,
    Math.min(last, bins.columns - 1),
  );
  if (from >= to) return false;
  const base = lane * bins.columns;
  const spread = (values: Float64Array, out: Float64Array) =>
    spreadCells(bins.cell, from, to, base, cellSeconds, scale, values, out, sums.columns);
  if (state.colourBy === "busy") {
    spread(bins.busySeconds, sums.read);
    // Seconds in calls per second: cells narrower than a pixel added up, wider ones repeated.
    const perPixel = Math.max(cellSeconds, 1 / scale.columnsPerSecond);
    for (let x = 0; x < sums.columns; x++) (sums.read[x] as number) /= perPixel;
    return true;
  }
  spread(bins.bytesRead, sums.read);
  spread(bins.bytesWritten, sums.write);
  return true;
}

/** Top and bottom of the part of a row for reads or writes, in device pixels of the block. */
export function half(
  row: Row,
  state: ViewState,
  write: boolean,
  top: number,
  ratio: number,
): [number, number] {
  const gap = row.height >= 8 ? 1 : 0;
  const y0 = Math.round((row.y - top) * ratio);
  const y1 = Math.max(y0 + 1, Math.round((row.y + row.height - gap - top) * ratio));
  if (!(state.reads && state.writes)) return [y0, y1];
  const middle = (y0 + y1) >> 1;
  return write ? [middle, y1] : [y0, middle];
}

function paintCalls(
  pixels: Pixels,
  row: Row,
  index: LaneIndex,
  from: number,
  to: number,
  { t0, columnsPerSecond }: Scale,
  state: ViewState,
  palette: Palette,
  wide: { call: number; x: number; y: number; width: number; height: number }[],
): void {
  const { ratio, top } = pixels;
  const colours = [toPixel(palette.read), toPixel(palette.write)];
  const edges = [palette.read, palette.write].map((full) => toPixel(mix(full, palette.background, 0.45)));
  for (let direction = 0; direction < 2; direction++) {
    if (direction === 0 ? !state.reads : !state.writes) continue;
    const [y0, y1] = half(row, state, direction === 1, top, ratio);
    const slots = Math.max(
      1,
      Math.min(slotsNeeded(index, from, to, direction), Math.floor((y1 - y0) / (2 * ratio))),
    );
    for (let i = from; i < to; i++) {
      if (index.write[i] !== direction) continue;
      const x0 = Math.max(0, Math.floor(((index.start[i] as number) - t0) * columnsPerSecond));
      const end = Math.floor(((index.end[i] as number) - t0) * columnsPerSecond);
      if (end < 0 || x0 >= pixels.width) continue;
      const x1 = Math.min(pixels.width, Math.max(x0 + Math.ceil(ratio), end));
      const slot = Math.min(slots - 1, index.slot[i] as number);
      const top0 = y0 + Math.floor(((y1 - y0) * slot) / slots);
      const top1 = y0 + Math.floor(((y1 - y0) * (slot + 1)) / slots);
      fill(pixels, x0, x1, top0, top1, colours[direction] as number);
      // A paler end keeps neighbours apart.
      if (x1 - x0 >= 4 * ratio) fill(pixels, x1 - 1, x1, top0, top1, edges[direction] as number);
      if (x1 - x0 > 44 * ratio && top1 - top0 >= 10 * ratio && wide.length < WIDE_MAX)
        wide.push({ call: index.call[i] as number, x: x0, y: top0, width: x1 - x0, height: top1 - top0 });
    }
  }
}

function paintDirections(
  pixels: Pixels,
  dense: readonly DenseLane[],
  state: ViewState,
  palette: Palette,
): void {
  let max = 0;
  for (const { sums } of dense)
    for (let x = 0; x < sums.columns; x++) {
      if (state.reads && (sums.read[x] as number) > max) max = sums.read[x] as number;
      if (state.writes && (sums.write[x] as number) > max) max = sums.write[x] as number;
    }
  if (max === 0) return;
  // In steps of two, so that colours hold still while the view moves.
  max = 2 ** Math.ceil(Math.log2(max));
  for (const { row, sums } of dense) {
    if (state.reads)
      paintValues(
        pixels,
        half(row, state, false, pixels.top, pixels.ratio),
        sums.read,
        max,
        palette.readLevels,
      );
    if (state.writes)
      paintValues(
        pixels,
        half(row, state, true, pixels.top, pixels.ratio),
        sums.write,
        max,
        palette.writeLevels,
      );
  }
}

/** Fourth roots: four decades of bytes are told apart. */
function paintValues(
  pixels: Pixels,
  [y0, y1]: readonly [number, number],
  values: Float64Array,
  max: number,
  levels: Uint32Array,
): void {
  // What differences of sums leave behind is not a call.
  const least = max * 1e-11;
  const row = clampRow(pixels, y0);
  const at = row * pixels.width;
  for (let x = 0; x < pixels.width; x++) {
    const value = values[x] as number;
    if (value <= least) continue;
    const share = Math.sqrt(Math.sqrt(value / max));
    pixels.words[at + x] = levels[share >= 1 ? LEVELS - 1 : Math.floor(share * LEVELS)] as number;
  }
  repeatRow(pixels, row, y0, y1);
}

function paintBusy(
  pixels: Pixels,
  dense: readonly DenseLane[],
  data: TraceData,
  state: ViewState,
  palette: Palette,
): void {
  const full = busyFull(dense, data, state);
  for (const { row, sums } of dense) {
    const gap = row.height >= 8 ? 1 : 0;
    const y0 = Math.round((row.y - pixels.top) * pixels.ratio);
    const y1 = Math.round((row.y + row.height - gap - pixels.top) * pixels.ratio);
    const at = clampRow(pixels, y0) * pixels.width;
    for (let x = 0; x < pixels.width; x++) {
      const share =
        ((state.reads ? (sums.read[x] as number) : 0) + (state.writes ? (sums.write[x] as number) : 0)) /
        full;
      if (share <= 1e-9) continue;
      pixels.words[at + x] = palette.busyLevels[
        share >= 1 ? LEVELS - 1 : Math.floor(share * LEVELS)
      ] as number;
    }
    repeatRow(pixels, clampRow(pixels, y0), y0, y1);
  }
}

/** Calls under way that count as fully busy: one per rank of a lane; for files, as many as the busiest cell has. */
function busyFull(dense: readonly DenseLane[], data: TraceData, state: ViewState): number {
  if (state.lanesBy === "rank") return data.ranksPerLane(state.layer);
  let max = 1;
  for (const { sums } of dense)
    for (let x = 0; x < sums.columns; x++) {
      const both = (sums.read[x] as number) + (sums.write[x] as number);
      if (both > max) max = both;
    }
  return max;
}

function clampRow(pixels: Pixels, y: number): number {
  return Math.min(pixels.height - 1, Math.max(0, y));
}

function repeatRow(pixels: Pixels, from: number, y0: number, y1: number): void {
  const { words, width, height } = pixels;
  for (let y = Math.max(0, y0); y < Math.min(height, y1); y++)
    if (y !== from) words.copyWithin(y * width, from * width, (from + 1) * width);
}

/** A rectangle, cut to the block. */
export function fill(pixels: Pixels, x0: number, x1: number, y0: number, y1: number, word: number): void {
  const { words, width, height } = pixels;
  const from = Math.max(0, x0);
  const to = Math.min(width, x1);
  if (from >= to) return;
  for (let y = Math.max(0, y0); y < Math.min(height, y1); y++)
    words.fill(word, y * width + from, y * width + to);
}
