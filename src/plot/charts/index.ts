/** The kinds of charts. A new one is a file beside this and a line here. */

import type { Chart } from "../../model/index.ts";
import { bars } from "./bars.ts";
import type { ChartKind } from "./chart.ts";
import { cmf } from "./cmf.ts";
import { culprit } from "./culprit.ts";
import { density } from "./density.ts";
import { heat } from "./heat.ts";
import { points } from "./points.ts";
import { spans } from "./spans.ts";
import { strip } from "./strip.ts";
import { violin } from "./violin.ts";

type Kinds = { readonly [K in Chart["kind"]]: ChartKind<Extract<Chart, { kind: K }>> };

const CHARTS: Kinds = { bars, heat, strip, spans, cmf, violin, density, points, culprit };

/** The kind of a chart, typed as one that takes it. */
export function kindOf(chart: Chart): ChartKind<Chart> {
  return CHARTS[chart.kind] as ChartKind<Chart>;
}
export { type DrawContext, FONT, FONT_SMALL, type FigureTable } from "./chart.ts";
export { quantileOf } from "./cmf.ts";
export { binsOf, guttersOf, isBinned } from "./density.ts";
