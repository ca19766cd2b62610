/** A matrix of coloured cells in few bytes. */

import type { Classes } from "./classes.ts";
import { coordinate, rectPath, tag } from "./svg.ts";

export interface Cells {
  readonly rows: number;
  readonly columns: number;
  /** Row by row. */
  readonly values: Float64Array;
  /** Edges in pixels; rows may run upwards. */
  readonly xs: Float64Array;
  readonly ys: Float64Array;
}

/**
 * One path per class, neighbours of a row joined. Rows of equal height are strokes along the row in units of cells,
 * "M12 3h4": a third of the bytes of rectangles.
 */
export function cellPaths({ rows, columns, values, xs, ys }: Cells, classes: Classes): string {
  const regular = isRegular(xs) && isRegular(ys);
  const paths: string[] = Array.from({ length: Math.max(0, classes.bounds.length - 1) }, () => "");
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; ) {
      const of = classes.of(values[row * columns + column]!);
      let end = column + 1;
      while (end < columns && classes.of(values[row * columns + end]!) === of) end++;
      if (of >= 0)
        paths[of] += regular
          ? `M${column} ${row}h${end - column}`
          : rectPath(
              xs[column]!,
              Math.min(ys[row]!, ys[row + 1]!),
              xs[end]! - xs[column]!,
              Math.abs(ys[row + 1]! - ys[row]!),
            );
      column = end;
    }
  }
  const tags = paths.map((d, index) => {
    if (d === "") return "";
    return tag("path", regular ? { d, stroke: classes.colour(index) } : { d, fill: classes.colour(index) });
  });
  if (!regular) return tag("g", { "shape-rendering": "crispEdges" }, tags.join(""));
  const scale = `${precise((xs[columns]! - xs[0]!) / columns)} ${precise((ys[rows]! - ys[0]!) / rows)}`;
  const start = `${coordinate(xs[0]!)} ${coordinate(ys[0]! + (ys[1]! - ys[0]!) / 2)}`;
  return tag(
    "g",
    {
      ...{ transform: `translate(${start}) scale(${scale})`, "shape-rendering": "crispEdges" },
      ...{ "stroke-width": 1, fill: "none" },
    },
    tags.join(""),
  );
}

/** Scale factors are multiplied by hundreds of cells: two decimals would move the last by pixels. */
function precise(value: number): string {
  return String(Number(value.toFixed(5)));
}

function isRegular(edges: Float64Array): boolean {
  const count = edges.length - 1;
  const step = (edges[count]! - edges[0]!) / count;
  return edges.every((edge, index) => Math.abs(edge - (edges[0]! + index * step)) < 0.2);
}
