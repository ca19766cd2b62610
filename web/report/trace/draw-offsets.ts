/** Offset in one file against time. */
import { lowerBound, visibleEntries } from "./lane-index.ts";
import { gutterOf } from "./layout.ts";
import { css, mix, type Palette, toPixel } from "./palette.ts";
import { fill, type Pixels } from "./paint-lanes.ts";
import { pixelBlock } from "./draw-timeline.ts";
import { niceStep, timeTicks } from "./ruler.ts";
import type { ViewState } from "./state.ts";
import type { TraceData } from "./trace-data.ts";

interface OffsetDrawing {
  readonly context: CanvasRenderingContext2D;
  readonly data: TraceData;
  readonly state: ViewState;
  readonly palette: Palette;
  readonly width: number;
  readonly ratio: number;
  readonly font: string;
  format(value: number, unit: "bytes"): string;
}

export interface OffsetResult {
  readonly kind: "calls" | "cells" | "none";
  /** Drawn calls, and those of the window whose offset is not known. */
  readonly calls: number;
  readonly unknown: number;
}

export const OFFSETS_HEIGHT = 240;
const TOP = 6;
const BOTTOM = 20;
const RIGHT = 10;
/** Stripe lines closer than this would be a grey area. */
const STRIPE_PIXELS = 6;
/** Pixels that calls may take in a frame, some 5 ms; calls beyond are drawn one column wide. */
const AREA_MAX = 12e6;

interface OffsetPlot {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

export function offsetPlot(width: number): OffsetPlot {
  const left = gutterOf(width);
  return { left, top: TOP, width: Math.max(20, width - left - RIGHT), height: OFFSETS_HEIGHT - TOP - BOTTOM };
}

export function drawOffsets(drawing: OffsetDrawing): OffsetResult {
  const { context, data, state, palette, width, ratio } = drawing;
  const plot = offsetPlot(width);
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = css(palette.background);
  context.fillRect(0, 0, width, OFFSETS_HEIGHT);
  context.font = drawing.font;
  context.textBaseline = "middle";
  const block = pixelBlock(
    context,
    "offsets",
    Math.round(plot.width * ratio),
    Math.round(plot.height * ratio),
  );
  const { image, words } = block;
  const pixels: Pixels = { words, width: image.width, height: image.height, top: plot.top, ratio };
  words.fill(toPixel(palette.background));
  const ticks = timeTicks(state.t0, state.t1, plot.width / 80);
  const grid = toPixel(palette.grid);
  for (const value of ticks.values) {
    const x = Math.round(((value - state.t0) / (state.t1 - state.t0)) * pixels.width);
    fill(pixels, x, x + 1, 0, pixels.height, grid);
  }
  const stripes = drawStripes(drawing, pixels);
  const result = data.hasCalls(state.t0, state.t1)
    ? paintCalls(drawing, pixels)
    : paintCells(drawing, pixels);
  context.putImageData(image, Math.round(plot.left * ratio), Math.round(plot.top * ratio));
  drawAxes(drawing, plot, stripes);
  return result;
}

/** Faint lines at multiples of the stripe size; whether they are there. */
function drawStripes({ data, state, palette }: OffsetDrawing, pixels: Pixels): boolean {
  const stripe = data.trace.files[state.file]?.stripeBytes ?? 0;
  const perByte = pixels.height / (state.y1 - state.y0);
  if (stripe <= 0 || stripe * perByte < STRIPE_PIXELS * pixels.ratio) return false;
  const line = toPixel(mix(palette.background, palette.metadata, 0.3));
  for (let at = Math.ceil(state.y0 / stripe) * stripe; at <= state.y1; at += stripe) {
    const y = pixels.height - 1 - Math.round((at - state.y0) * perByte);
    fill(pixels, 0, pixels.width, y, y + 1, line);
  }
  return true;
}

function paintCalls({ data, state, palette }: OffsetDrawing, pixels: Pixels): OffsetResult {
  const index = data.index("file", state.layer);
  if (state.file >= index.lanes) return { kind: "none", calls: 0, unknown: 0 };
  const { offset } = data.trace.calls;
  const [from, to] = visibleEntries(index, state.file, state.t0, state.t1);
  const perSecond = pixels.width / (state.t1 - state.t0);
  const perByte = pixels.height / (state.y1 - state.y0);
  const colours = [toPixel(palette.read), toPixel(palette.write)];
  const inside = toPixel(mix(palette.background, palette.read, 0.35));
  const thin = Math.ceil(pixels.ratio);
  let area = 0;
  let calls = 0;
  let unknown = 0;
  for (let i = from; i < to; i++) {
    const write = index.write[i] as number;
    if (write === 1 ? !state.writes : !state.reads) continue;
    if ((index.end[i] as number) < state.t0) continue;
    const at = offset[index.call[i] as number] as number;
    if (Number.isNaN(at)) {
      unknown++;
      continue;
    }
    calls++;
    const bottom = pixels.height - Math.floor((at - state.y0) * perByte);
    const top = Math.min(
      bottom - thin,
      pixels.height - Math.floor((at + (index.bytes[i] as number) - state.y0) * perByte),
    );
    if (bottom <= 0 || top >= pixels.height) continue;
    const x0 = Math.max(0, Math.floor(((index.start[i] as number) - state.t0) * perSecond));
    let x1 = Math.max(x0 + thin, Math.floor(((index.end[i] as number) - state.t0) * perSecond));
    area += (Math.min(x1, pixels.width) - x0) * (Math.min(bottom, pixels.height) - Math.max(0, top));
    if (area > AREA_MAX) x1 = x0 + 1;
    fill(pixels, x0, x1, top, bottom, colours[write] as number);
    // Reads are frames, writes are filled: colour is not alone.
    const edge = thin;
    if (write === 0 && x1 - x0 > 4 * edge && bottom - top > 4 * edge)
      fill(pixels, x0 + edge, x1 - edge, top + edge, bottom - edge, inside);
  }
  return { kind: "calls", calls, unknown };
}

/** The lowest and the highest byte of the file that the window has. */
export function offsetSpan(data: TraceData, state: ViewState): [number, number] | undefined {
  let low = Number.POSITIVE_INFINITY;
  let high = Number.NEGATIVE_INFINITY;
  if (data.hasCalls(state.t0, state.t1)) {
    const index = data.index("file", state.layer);
    if (state.file >= index.lanes) return undefined;
    const [from, to] = visibleEntries(index, state.file, state.t0, state.t1);
    for (let i = from; i < to; i++) {
      const at = data.trace.calls.offset[index.call[i] as number] as number;
      if (Number.isNaN(at) || (index.end[i] as number) < state.t0) continue;
      if (index.write[i] === 1 ? !state.writes : !state.reads) continue;
      low = Math.min(low, at);
      high = Math.max(high, at + (index.bytes[i] as number));
    }
  } else {
    const level = data.offsetLevel(state.file, state.layer, 0);
    if (level === undefined) return undefined;
    const { cell, columns, rowBytes } = level.cells;
    for (const at of cell) {
      const start = (at % columns) * level.cellSeconds;
      if (start > state.t1 || start + level.cellSeconds < state.t0) continue;
      low = Math.min(low, Math.floor(at / columns) * rowBytes);
      high = Math.max(high, (Math.floor(at / columns) + 1) * rowBytes);
    }
  }
  return low < high ? [low, high] : undefined;
}

function paintCells({ data, state, palette }: OffsetDrawing, pixels: Pixels): OffsetResult {
  const level = data.offsetLevel(state.file, state.layer, (state.t1 - state.t0) / pixels.width);
  if (level === undefined) return { kind: "none", calls: 0, unknown: 0 };
  const { cells, cellSeconds, starts } = level;
  const { rowBytes } = cells;
  const perSecond = pixels.width / (state.t1 - state.t0);
  const perByte = pixels.height / (state.y1 - state.y0);
  const first = Math.max(0, Math.floor(state.t0 / cellSeconds));
  const last = Math.floor(state.t1 / cellSeconds);
  let max = 0;
  for (let i = 0; i < cells.cell.length; i++)
    max = Math.max(max, cells.bytesRead[i] as number, cells.bytesWritten[i] as number);
  for (let row = 0; row < cells.rows; row++) {
    const bottom = pixels.height - Math.floor((row * rowBytes - state.y0) * perByte);
    const top = Math.min(bottom - 1, pixels.height - Math.floor(((row + 1) * rowBytes - state.y0) * perByte));
    if (bottom <= 0 || top >= pixels.height) continue;
    const base = row * cells.columns;
    const end = starts[row + 1] as number;
    for (let i = lowerBound(cells.cell, base + first, starts[row] as number, end); i < end; i++) {
      const column = (cells.cell[i] as number) - base;
      if (column > last) break;
      const x0 = Math.floor((column * cellSeconds - state.t0) * perSecond);
      const x1 = Math.max(x0 + 1, Math.floor(((column + 1) * cellSeconds - state.t0) * perSecond));
      const read = state.reads ? (cells.bytesRead[i] as number) : 0;
      const written = state.writes ? (cells.bytesWritten[i] as number) : 0;
      if (read + written === 0) continue;
      const levels = written >= read ? palette.writeLevels : palette.readLevels;
      const share = Math.sqrt(Math.sqrt(Math.max(read, written) / max));
      const word = levels[Math.min(levels.length - 1, Math.floor(share * levels.length))] as number;
      fill(pixels, x0, x1, top, bottom, word);
    }
  }
  return { kind: "cells", calls: 0, unknown: 0 };
}

function drawAxes(
  { context, state, palette, format }: OffsetDrawing,
  plot: OffsetPlot,
  stripes: boolean,
): void {
  const ticks = timeTicks(state.t0, state.t1, plot.width / 80);
  context.fillStyle = css(palette.muted);
  context.textAlign = "left";
  const below = plot.top + plot.height + BOTTOM / 2 + 1;
  context.fillText(ticks.base === "" ? (stripes ? "— stripes" : "") : `${ticks.base} +`, 2, below);
  for (const value of ticks.values) {
    const x = plot.left + ((value - state.t0) / (state.t1 - state.t0)) * plot.width;
    const text = ticks.label(value);
    if (x + context.measureText(text).width < plot.left + plot.width + RIGHT)
      context.fillText(text, x + 2, below);
  }
  context.textAlign = "right";
  const step = niceStep((state.y1 - state.y0) / 5);
  for (let at = Math.ceil(state.y0 / step) * step; at <= state.y1 * (1 + 1e-12); at += step) {
    const y = plot.top + plot.height * (1 - (at - state.y0) / (state.y1 - state.y0));
    context.fillText(
      format(at, "bytes"),
      plot.left - 5,
      Math.min(plot.top + plot.height - 5, Math.max(plot.top + 5, y)),
    );
    context.fillRect(plot.left - 4, Math.round(y), 4, 1);
  }
  context.fillStyle = css(palette.grid);
  context.fillRect(plot.left - 1, plot.top, 1, plot.height);
  context.fillRect(plot.left, plot.top + plot.height, plot.width, 1);
  if (state.range !== undefined) {
    const x = (time: number) =>
      plot.left + Math.min(1, Math.max(0, (time - state.t0) / (state.t1 - state.t0))) * plot.width;
    context.fillStyle = css(palette.metadata, 0.18);
    context.fillRect(x(state.range.t0), plot.top, x(state.range.t1) - x(state.range.t0), plot.height);
  }
  if (state.pointerTime !== undefined) {
    const x = plot.left + ((state.pointerTime - state.t0) / (state.t1 - state.t0)) * plot.width;
    if (x >= plot.left && x <= plot.left + plot.width) {
      context.fillStyle = css(palette.text, 0.35);
      context.fillRect(Math.round(x), plot.top, 1, plot.height);
    }
  }
}
