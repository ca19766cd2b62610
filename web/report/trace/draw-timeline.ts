/** The timeline: overview, ruler, lanes with their names, and how many calls are under way. */
import { visibleEntries } from "./lane-index.ts";
import { type Band, type Layout, type Row, visibleRows, xOf } from "./layout.ts";
import { minimapX } from "./minimap.ts";
import { css, mix, type Palette, toPixel } from "./palette.ts";
import { fill, half, type PaintResult, paintLanes, type Pixels } from "./paint-lanes.ts";
import { timeTicks } from "./ruler.ts";
import type { ViewState } from "./state.ts";
import { shorten } from "./shorten.ts";
import { drawSpans } from "./spans.ts";
import { addEntries, newSums, type Sums } from "./sums.ts";
import type { TraceData } from "./trace-data.ts";

export interface Drawing {
  readonly context: CanvasRenderingContext2D;
  readonly data: TraceData;
  readonly state: ViewState;
  readonly palette: Palette;
  readonly layout: Layout;
  /** Device pixels per CSS pixel. */
  readonly ratio: number;
  readonly font: string;
  format(value: number, unit: "bytes" | "seconds"): string;
}

export interface TimelineResult {
  /** Lanes drawn as single calls, and as sums. */
  readonly single: number;
  readonly summed: number;
}

export function drawTimeline(drawing: Drawing): TimelineResult {
  const { context, layout, palette, ratio } = drawing;
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.fillStyle = css(palette.background);
  context.fillRect(0, 0, layout.width, layout.height);
  context.font = drawing.font;
  context.textBaseline = "middle";
  drawOverview(drawing);
  drawRuler(drawing);
  drawSpans(drawing);
  const rows = visibleRows(layout, drawing.state);
  const pinned = drawLanes(drawing, layout.pinned, rows.pinned);
  const lanes = drawLanes(drawing, layout.lanes, rows.lanes);
  drawNames(drawing, layout.pinned, rows.pinned, true);
  drawNames(drawing, layout.lanes, rows.lanes, false);
  drawScrollbar(drawing);
  drawStrip(drawing);
  drawMarks(drawing);
  return { single: pinned.single + lanes.single, summed: pinned.summed + lanes.summed };
}

interface Block {
  readonly image: ImageData;
  readonly words: Uint32Array;
}

const blocksOf = new WeakMap<CanvasRenderingContext2D, Map<string, Block>>();

/** A block of pixels that is used again from frame to frame. */
export function pixelBlock(
  context: CanvasRenderingContext2D,
  name: string,
  width: number,
  height: number,
): Block {
  const blocks = blocksOf.get(context) ?? new Map<string, Block>();
  blocksOf.set(context, blocks);
  let block = blocks.get(name);
  if (block === undefined || block.image.width !== width || block.image.height !== height) {
    const image = context.createImageData(width, height);
    block = { image, words: new Uint32Array(image.data.buffer) };
    blocks.set(name, block);
  }
  return block;
}

function drawLanes(drawing: Drawing, band: Band, rows: readonly Row[]): PaintResult {
  const { context, data, state, palette, layout, ratio } = drawing;
  if (band.height <= 0) return { single: 0, summed: 0, wide: [] };
  const width = Math.round(layout.plotWidth * ratio);
  const height = Math.round(band.height * ratio);
  const { image, words } = pixelBlock(context, band === layout.pinned ? "pinned" : "lanes", width, height);
  const pixels: Pixels = { words, width, height, top: band.y, ratio };
  words.fill(toPixel(palette.background));
  const stripe = toPixel(mix(palette.background, palette.surface, 0.8));
  for (const row of rows) {
    if (row.lane % 2 === 1 && row.height >= 10) {
      const y = Math.round((row.y - band.y) * ratio);
      fill(pixels, 0, width, y, Math.round((row.y + row.height - band.y) * ratio), stripe);
    }
  }
  const grid = toPixel(palette.grid);
  const ticks = timeTicks(state.t0, state.t1, layout.plotWidth / 80);
  for (const value of ticks.values) {
    const x = Math.round((xOf(layout, state, value) - layout.gutter) * ratio);
    fill(pixels, x, x + 1, 0, height, grid);
  }
  const result = paintLanes(pixels, rows, data, state, palette);
  context.putImageData(image, Math.round(layout.gutter * ratio), Math.round(band.y * ratio));
  drawBarTexts(drawing, band, result);
  return result;
}

/** Bytes on calls that are wide enough. */
function drawBarTexts(
  { context, data, layout, palette, ratio, format }: Drawing,
  band: Band,
  { wide }: PaintResult,
) {
  if (wide.length === 0) return;
  context.save();
  context.beginPath();
  context.rect(layout.gutter, band.y, layout.plotWidth, band.height);
  context.clip();
  context.textAlign = "left";
  for (const { call, x, y, width, height } of wide) {
    const text = format(data.trace.calls.bytes[call] as number, "bytes");
    const space = width / ratio - 8;
    if (context.measureText(text).width > space) continue;
    const full = data.trace.calls.write[call] === 1 ? palette.write : palette.read;
    context.fillStyle = luminance(full) > 0.45 ? "rgba(0, 0, 0, 0.85)" : "rgba(255, 255, 255, 0.95)";
    context.fillText(text, layout.gutter + x / ratio + 4, band.y + (y + height / 2) / ratio);
  }
  context.restore();
}

function luminance([red, green, blue]: readonly [number, number, number]): number {
  return (0.299 * red + 0.587 * green + 0.114 * blue) / 255;
}

function drawNames(
  { context, data, state, palette, layout }: Drawing,
  band: Band,
  rows: readonly Row[],
  pinned: boolean,
) {
  if (band.height <= 0) return;
  context.save();
  context.beginPath();
  context.rect(0, band.y, layout.gutter, band.height);
  context.clip();
  context.textAlign = "left";
  const every = Math.max(1, Math.ceil(13 / Math.max(1, rows[0]?.height ?? 13)));
  const markedRow = rows.find(({ lane }) => lane === state.marked);
  for (const { lane, y, height } of rows) {
    const marked = state.marked === lane;
    if (marked) {
      context.fillStyle = css(palette.metadata, 0.25);
      context.fillRect(0, y, layout.gutter, height);
    }
    if (lane % every !== 0 && !marked && !pinned) continue;
    if (markedRow !== undefined && !marked && Math.abs(markedRow.y - y) < 13 && !pinned) continue;
    const name = `${pinned ? "⌃ " : ""}${data.laneName(state.lanesBy, state.layer, lane)}`;
    context.fillStyle = css(marked || pinned ? palette.text : palette.muted);
    context.fillText(shorten(context, name, layout.gutter - 10), 2, Math.max(y + height / 2, band.y + 6));
  }
  context.restore();
  context.fillStyle = css(palette.grid);
  context.fillRect(layout.gutter - 1, band.y, 1, band.height);
  if (pinned) context.fillRect(0, band.y + band.height + 1, layout.width, 2);
}

function drawRuler({ context, state, palette, layout }: Drawing): void {
  const { y, height } = layout.ruler;
  context.fillStyle = css(palette.surface);
  context.fillRect(0, y, layout.width, height);
  const ticks = timeTicks(state.t0, state.t1, layout.plotWidth / 80);
  context.fillStyle = css(palette.muted);
  context.textAlign = "left";
  context.fillText(ticks.base === "" ? "time" : `${ticks.base} +`, 2, y + height / 2);
  for (const value of ticks.values) {
    const x = xOf(layout, state, value);
    context.fillStyle = css(palette.muted);
    context.fillRect(Math.round(x), y + height - 5, 1, 5);
    const text = ticks.label(value);
    if (x + 3 + context.measureText(text).width < layout.width)
      context.fillText(text, x + 3, y + height / 2 - 1);
  }
}

const overviews = new WeakMap<TraceData, { key: string; sums: Sums; split: boolean }>();

/** The whole run: how many calls are under way; the window is marked. */
function drawOverview({ context, data, state, palette, layout }: Drawing): void {
  const { y, height } = layout.overview;
  const columns = Math.round(layout.plotWidth);
  const key = `${columns} ${state.layer} ${state.reads} ${state.writes}`;
  let known = overviews.get(data);
  if (known?.key !== key) {
    known = { key, ...concurrency(data, state, data.t0, data.t1, columns) };
    overviews.set(data, known);
  }
  const { sums, split } = known;
  context.fillStyle = css(palette.surface);
  context.fillRect(layout.gutter, y, layout.plotWidth, height);
  fillColumns(
    context,
    sums,
    layout.gutter,
    y + height,
    height - 4,
    maxOf(sums),
    split ? [css(palette.read), css(palette.write)] : [css(palette.metadata), ""],
  );
  context.fillStyle = css(palette.muted);
  context.textAlign = "left";
  context.fillText("whole run", 2, y + height / 2);
  const x0 = Math.round(minimapX(layout, data, state.t0));
  const x1 = Math.max(x0 + 2, Math.round(minimapX(layout, data, state.t1)));
  context.fillStyle = css(palette.background, 0.72);
  context.fillRect(layout.gutter, y, x0 - layout.gutter, height);
  context.fillRect(x1, y, layout.gutter + layout.plotWidth - x1, height);
  if (state.range !== undefined) {
    const from = minimapX(layout, data, state.range.t0);
    const to = minimapX(layout, data, state.range.t1);
    context.fillStyle = css(palette.metadata, 0.25);
    context.fillRect(from, y, Math.max(2, to - from), height);
  }
  context.strokeStyle = css(palette.text, 0.7);
  context.lineWidth = 1;
  context.strokeRect(x0 + 0.5, y + 0.5, x1 - x0 - 1, height - 1);
  if (state.t0 <= data.t0 && state.t1 >= data.t1) return;
  // Handles: the edges can be dragged.
  context.fillStyle = css(palette.text);
  for (const x of [x0, x1]) context.fillRect(x - 2, y + height / 2 - 7, 4, 14);
}

/** Calls under way on average per column; `split` when reads and writes are told apart. */
function concurrency(data: TraceData, state: ViewState, t0: number, t1: number, columns: number) {
  const sums = newSums(columns);
  if (data.hasCalls(t0, t1)) {
    const index = data.allCalls(state.layer);
    const [from, to] = visibleEntries(index, 0, t0, t1);
    addEntries(index, from, to, { t0, columnsPerSecond: columns / (t1 - t0) }, "time", sums);
    if (!state.reads) sums.read.fill(0);
    if (!state.writes) sums.write.fill(0);
    return { sums, split: true };
  }
  const level = data.levelFor("rank", state.layer, (t1 - t0) / columns);
  if (level !== undefined)
    for (let x = 0; x < columns; x++) {
      const time = t0 + ((x + 0.5) * (t1 - t0)) / columns;
      sums.read[x] = level.concurrency[Math.floor(time / level.cellSeconds)] ?? 0;
    }
  return { sums, split: false };
}

function maxOf({ columns, read, write }: Sums): number {
  let max = 0;
  for (let x = 0; x < columns; x++) max = Math.max(max, (read[x] as number) + (write[x] as number));
  return max;
}

/** Columns of reads with writes on top of them. */
function fillColumns(
  context: CanvasRenderingContext2D,
  { columns, read, write }: Sums,
  left: number,
  bottom: number,
  height: number,
  max: number,
  [readColour, writeColour]: readonly [string, string],
): void {
  if (max <= 0) return;
  const scale = height / max;
  for (const [colour, below, values] of [
    [readColour, undefined, read],
    [writeColour, read, write],
  ] as const) {
    context.fillStyle = colour;
    context.beginPath();
    for (let x = 0; x < columns; x++) {
      const value = (values[x] as number) * scale;
      if (value <= 1e-6) continue;
      const under = below === undefined ? 0 : (below[x] as number) * scale;
      context.rect(left + x, bottom - under - Math.max(0.5, value), 1, Math.max(0.5, value));
    }
    context.fill();
  }
}

function drawStrip({ context, data, state, palette, layout }: Drawing): void {
  const { y, height } = layout.strip;
  const columns = Math.round(layout.plotWidth);
  const { sums, split } = concurrency(data, state, state.t0, state.t1, columns);
  const max = maxOf(sums);
  const top = max <= 1 ? 1 : Math.ceil(max);
  context.fillStyle = css(palette.surface);
  context.fillRect(layout.gutter, y, layout.plotWidth, height);
  const colours = split
    ? ([css(palette.read), css(palette.write)] as const)
    : ([css(palette.metadata), ""] as const);
  fillColumns(context, sums, layout.gutter, y + height, height - 6, top, colours);
  context.fillStyle = css(palette.muted);
  context.textAlign = "left";
  context.fillText(layout.gutter < 100 ? "under way" : "calls in progress", 2, y + height / 2);
  context.textAlign = "right";
  context.fillText(String(top), layout.gutter - 4, y + 8);
  context.fillText("0", layout.gutter - 4, y + height - 7);
}

function drawScrollbar({ context, state, palette, layout }: Drawing): void {
  if (layout.scrollMax <= 0) return;
  const { y, height } = layout.lanes;
  const total = layout.laneCount * layout.laneHeight;
  const size = Math.max(20, (height * height) / total);
  const at = y + (state.scroll / layout.scrollMax) * (height - size);
  context.fillStyle = css(palette.surface);
  context.fillRect(layout.width - 9, y, 9, height);
  context.fillStyle = css(palette.muted, 0.6);
  context.fillRect(layout.width - 8, at, 7, size);
}

/** The selected range, the pointer's time, the selected call. */
function drawMarks(drawing: Drawing): void {
  const { context, state, palette, layout } = drawing;
  const bottom = layout.strip.y + layout.strip.height;
  context.save();
  context.beginPath();
  context.rect(layout.gutter, layout.ruler.y, layout.plotWidth, bottom - layout.ruler.y);
  context.clip();
  if (state.range !== undefined) {
    const x0 = xOf(layout, state, state.range.t0);
    const x1 = xOf(layout, state, state.range.t1);
    context.fillStyle = css(palette.metadata, 0.18);
    context.fillRect(x0, layout.ruler.y, x1 - x0, bottom - layout.ruler.y);
    context.fillStyle = css(palette.metadata, 0.9);
    for (const x of [x0, x1]) context.fillRect(Math.round(x), layout.ruler.y, 1, bottom - layout.ruler.y);
    context.fillRect(x0, layout.ruler.y + layout.ruler.height - 3, x1 - x0, 3);
  }
  if (state.pointerTime !== undefined) {
    context.fillStyle = css(palette.text, 0.35);
    context.fillRect(
      Math.round(xOf(layout, state, state.pointerTime)),
      layout.ruler.y,
      1,
      bottom - layout.ruler.y,
    );
  }
  drawSelection(drawing);
  context.restore();
}

function drawSelection({ context, data, state, palette, layout }: Drawing): void {
  const { selection } = state;
  if (selection === undefined) return;
  let lane: number;
  let t0: number;
  let t1: number;
  let write: boolean | undefined;
  if (selection.kind === "cell") ({ lane, t0, t1 } = selection);
  else {
    const { calls } = data.trace;
    if (calls.layer[selection.call] !== state.layer) return;
    lane = data.laneOfCall(state.lanesBy, state.layer, selection.call);
    t0 = calls.startSeconds[selection.call] as number;
    t1 = calls.endSeconds[selection.call] as number;
    write = calls.write[selection.call] === 1;
  }
  const rows = visibleRows(layout, state);
  const x0 = xOf(layout, state, t0);
  const x1 = Math.max(x0 + 2, xOf(layout, state, t1));
  context.strokeStyle = css(palette.text);
  context.lineWidth = 2;
  for (const row of [...rows.pinned, ...rows.lanes]) {
    if (row.lane !== lane) continue;
    const [y0, y1] =
      write === undefined || state.colourBy === "busy"
        ? [row.y, row.y + row.height - 1]
        : half(row, state, write, 0, 1);
    context.strokeRect(x0 - 1, y0, x1 - x0 + 2, y1 - y0);
  }
}
