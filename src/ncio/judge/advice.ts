/** Advice for a pattern from a sweep: the best method near it, and the gain of another method or layout. */
import { UsageError } from "../../base/errors.ts";
import type { NcioCase, NcioMethod, NcioPoint, NcioSweep, NcioVariable } from "../../model/index.ts";
import { hintsOf, METHOD_WORDS, methodName } from "./methods.ts";
import { type Ratio, ratioOf, type Seen, seen } from "./ratio.ts";
import { type Direction, fastest, type Regions, SweepPoints } from "./series.ts";
import { regionsText, valueText } from "./words.ts";

interface PatternQuery extends Regions {
  readonly case: NcioCase;
  readonly direction: Direction;
  readonly ranks: number;
  /** Current method of the program. */
  readonly method: NcioMethod;
}

/** As in the sweep, where it does not say. */
type AskedPattern = { readonly [Field in keyof PatternQuery]?: PatternQuery[Field] | undefined } & Pick<
  PatternQuery,
  "method"
>;

/** A measured pattern near the one in question, its methods from fast to slow. */
interface Near {
  readonly regions: Regions;
  /** Doublings between the two patterns, of count, size and spacing together. */
  readonly doublings: number;
  readonly points: readonly NcioPoint[];
}

interface Change {
  readonly kind: "method" | "larger regions" | "contiguous file" | "contiguous memory" | "smaller spacing";
  readonly text: string;
  readonly ratio: Ratio;
  readonly seen: Seen;
}

export interface Advice {
  readonly query: PatternQuery;
  readonly near: readonly Near[];
  readonly best: NcioMethod;
  /** Methods without a visible difference to the best. */
  readonly ties: readonly NcioMethod[];
  readonly bandwidthBytesPerSecond: number;
  /** Nearest patterns where the best method is also the fastest, or not seen to be slower. */
  readonly agree: number;
  readonly changes: readonly Change[];
  readonly how: string;
  readonly hints: readonly string[];
  readonly confidence: "high" | "medium" | "low";
  readonly confidenceReason: string;
}

const NEAR = 3;

/** `source` names the sweep in messages. */
export function adviseOn(sweep: NcioSweep, asked: AskedPattern, source = "the sweep"): Advice {
  const points = new SweepPoints(sweep, "native");
  const query = queryOf(points, asked);
  const near = nearestTo(points, query);
  const [first] = near;
  const best = first?.points[0];
  if (first === undefined || best === undefined) {
    const have = points.directions.flatMap((way) =>
      points.cases.filter((one) => points.regions(way, one).length > 0).map((one) => `${one} ${way}`),
    );
    throw new UsageError(
      `${source} has no points of ${query.case} ${query.direction}; it has ${have.join(", ") || "no usable points"}`,
    );
  }
  const ties = first.points
    .slice(1)
    .filter((point) => seen(ratioOf(best, point)) === "no difference seen")
    .map(({ method }) => method);
  return {
    query,
    near,
    best: best.method,
    ties,
    bandwidthBytesPerSecond: best.bandwidthBytesPerSecond,
    agree: near.filter((one) => holdsAt(one, best.method)).length,
    changes: [...methodChange(first, query), ...layoutChanges(points, query, first)],
    how: METHOD_WORDS[best.method].how,
    hints: hintsOf(best.method, query.direction),
    ...trustOf(query, first, best),
  };
}

function queryOf({ sweep, cases, judged }: SweepPoints, asked: AskedPattern): PatternQuery {
  const { defaults } = sweep;
  const size = asked.size ?? defaults.size;
  const spacing = asked.spacing ?? Math.max(size, defaults.spacing);
  if (spacing < size)
    throw new UsageError(
      `--spacing ${spacing} is below the size ${size} of a region; spacing is the distance between region starts`,
    );
  return {
    case: asked.case ?? (cases.includes("c-nc") ? "c-nc" : (cases.at(-1) ?? "c-nc")),
    count: asked.count ?? defaults.count,
    ...{ size, spacing, direction: asked.direction ?? judged },
    ranks: asked.ranks ?? sweep.points[0]?.ranks ?? 1,
    method: asked.method,
  };
}

function nearestTo(points: SweepPoints, query: PatternQuery): Near[] {
  return points
    .regions(query.direction, query.case)
    .map((regions) => ({
      regions,
      doublings: doublingsTo(query, regions),
      points: points
        .methodsAt(query.direction, query.case, regions)
        .sort((a, b) => b.bandwidthBytesPerSecond - a.bandwidthBytesPerSecond),
    }))
    .sort((a, b) => a.doublings - b.doublings)
    .slice(0, NEAR);
}

function doublingsTo(query: PatternQuery, regions: Regions): number {
  return distances(query, regions).reduce((sum, one) => sum + one, 0);
}

/** Distance in count, size and spacing; without holes spacing does not matter. */
function distances(query: PatternQuery, { count, size, spacing }: Regions): number[] {
  const far = (a: number, b: number) => Math.abs(Math.log2(a / b));
  return [
    far(query.count, count),
    far(query.size, size),
    ...(query.case === "c-c" ? [] : [far(query.spacing, spacing)]),
  ];
}

function holdsAt({ points }: Near, method: NcioMethod): boolean {
  const [best] = points;
  const own = points.find((point) => point.method === method);
  return best !== undefined && own !== undefined && seen(ratioOf(best, own)) !== "faster";
}

function methodChange({ points }: Near, { method }: PatternQuery): Change[] {
  const [best] = points;
  const now = points.find((point) => point.method === method);
  if (best === undefined || now === undefined || best === now) return [];
  const ratio = ratioOf(best, now);
  const text = `${methodName(best.method)} instead of ${methodName(method)}`;
  return [{ kind: "method", text, ratio, seen: seen(ratio) }];
}

/** The best method on both sides: the gain of the layout alone. */
function layoutChanges(points: SweepPoints, query: PatternQuery, { regions }: Near): Change[] {
  const { direction } = query;
  const bestAt = (accessCase: NcioCase, at: Regions) => fastest(points.methodsAt(direction, accessCase, at));
  const change = (
    kind: Change["kind"],
    text: string,
    to: NcioPoint | undefined,
    from: NcioPoint | undefined,
  ) => {
    if (to === undefined || from === undefined) return [];
    const ratio = ratioOf(to, from);
    return [{ kind, text: `${text}, ${methodName(to.method)}`, ratio, seen: seen(ratio) }];
  };
  const here = bestAt(query.case, regions);
  const [memory, file] = query.case.split("-");
  const along = (
    variable: NcioVariable,
    kind: Change["kind"],
    pick: (values: readonly number[], base: number) => number[],
    words: string,
  ) => {
    const values = valuesOf(points, query, variable);
    const base = nearestValue(values, query[variable]);
    if (base === undefined) return [];
    const at = (value: number) => bestAt(query.case, points.regionsAt(variable, value));
    return pick(values, base).flatMap((value) =>
      change(
        kind,
        `${words} of ${valueText(variable, value)} instead of ${valueText(variable, base)}`,
        at(value),
        at(base),
      ),
    );
  };
  return [
    ...along("size", "larger regions", larger, "regions"),
    ...(file === "nc"
      ? [
          ...change(
            "contiguous file",
            `a contiguous file (${memory}-c)`,
            bestAt(`${memory}-c` as NcioCase, regions),
            here,
          ),
          ...along(
            "spacing",
            "smaller spacing",
            (values, base) => values.filter((value) => value < base).slice(0, 1),
            "a spacing",
          ),
        ]
      : []),
    ...(memory === "nc"
      ? change(
          "contiguous memory",
          `contiguous memory (c-${file})`,
          bestAt(`c-${file}` as NcioCase, regions),
          here,
        )
      : []),
  ];
}

/** About four times as large, and the max. */
function larger(values: readonly number[], base: number): number[] {
  const above = values.filter((value) => value > base);
  const some = above.find((value) => value >= 4 * base);
  return [...new Set([...(some === undefined ? [] : [some]), ...above.slice(-1)])];
}

function valuesOf(
  points: SweepPoints,
  { direction, case: accessCase }: PatternQuery,
  variable: NcioVariable,
): number[] {
  const all = points.methods.flatMap((method) =>
    points.series(direction, variable, accessCase, method).map(({ value }) => value),
  );
  return [...new Set(all)].sort((a, b) => a - b);
}

function nearestValue(values: readonly number[], wanted: number): number | undefined {
  const far = (value: number) => Math.abs(Math.log(value / wanted));
  return values.length === 0 ? undefined : values.reduce((best, one) => (far(one) < far(best) ? one : best));
}

function trustOf(
  query: PatternQuery,
  { regions, doublings }: Near,
  best: NcioPoint,
): Pick<Advice, "confidence" | "confidenceReason"> {
  const reasons: string[] = [];
  const most = Math.max(...distances(query, regions));
  if (doublings === 0) reasons.push("this pattern was measured");
  else
    reasons.push(
      `the nearest measured pattern has ${regionsText(regions, query.case)}${most > 2 ? ", more than four times off in one of them" : ""}`,
    );
  const ranks = best.ranks !== query.ranks;
  if (ranks) reasons.push(`it was measured with ${best.ranks} ranks, not ${query.ranks}`);
  if (!best.verified) reasons.push("no data was stored or verified");
  const confidence = most > 2 || !best.verified ? "low" : doublings > 0 || ranks ? "medium" : "high";
  return { confidence, confidenceReason: reasons.join("; ") };
}
