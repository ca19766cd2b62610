/** Axes, grids and scales by Observable Plot, in pixels that the caller has laid out. */

import { axisX, axisY, gridX, gridY, type Markish, plot } from "@observablehq/plot";
import { FONT_SMALL } from "./charts/index.ts";
import { childrenText, tag } from "./svg.ts";

export interface FrameAxis {
  readonly scale: "linear" | "log";
  readonly domain: readonly [number, number];
  readonly ticks: readonly number[];
  readonly format: (value: number) => string;
  readonly grid: boolean;
  /** Hidden axes scale, but have no marks; the caller writes names beside them. */
  readonly shown: boolean;
}

interface FrameOptions {
  readonly document: Document;
  /** Edges of the plot area; y from the top. */
  readonly left: number;
  readonly right: number;
  readonly top: number;
  readonly bottom: number;
  /** Pixels kept free at the left and at the bottom of the plot area, for values that a scale cannot hold. */
  readonly gutterX?: number;
  readonly gutterY?: number;
  readonly x: FrameAxis;
  /** `down` puts the smallest value at the top. */
  readonly y: FrameAxis & { readonly down?: boolean };
  /** Drawn above grids, below axes. */
  readonly marks?: readonly Markish[];
}

export interface Frame {
  readonly body: string;
  x(value: number): number;
  y(value: number): number;
}

/** A figure never asks for more pixels than these, so margins right and below need not be known. */
const MARGIN = 4;

export function frame(options: FrameOptions): Frame {
  const { document, left, right, top, bottom, x, y, marks = [], gutterX = 0, gutterY = 0 } = options;
  const lines = { stroke: "var(--plot-grid)", strokeOpacity: 1 };
  const axis = {
    color: "var(--plot-muted)",
    label: null,
    tickSize: 4,
    tickPadding: 3,
    fontSize: FONT_SMALL,
  };
  const svg = plot({
    document,
    width: right + MARGIN,
    height: bottom + MARGIN,
    marginLeft: left,
    marginRight: MARGIN,
    marginTop: top,
    marginBottom: MARGIN,
    x: { type: x.scale, domain: x.domain, range: [left + gutterX, right], axis: null },
    y: {
      ...{ type: y.scale, domain: y.domain, axis: null },
      range: y.down ? [top, bottom - gutterY] : [bottom - gutterY, top],
    },
    marks: [
      x.grid ? gridX(x.ticks, lines) : null,
      y.grid ? gridY(y.ticks, lines) : null,
      ...marks,
      // Not as tickFormat: on log scales that leaves out what is no power of ten.
      x.shown ? axisX(x.ticks, { ...axis, text: x.format }) : null,
      y.shown ? axisY(y.ticks, { ...axis, text: y.format }) : null,
    ],
  });
  const [scaleX, scaleY] = [svg.scale("x"), svg.scale("y")];
  return {
    // Plot says on its root that text is centred, and we keep only what is inside.
    body: tag("g", { "text-anchor": "middle" }, childrenText(svg)),
    x: (value) => scaleX?.apply(value) as number,
    y: (value) => scaleY?.apply(value) as number,
  };
}
