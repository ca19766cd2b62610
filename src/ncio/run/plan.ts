/** What a benchmark run is, as data: the points of a sweep in their order, and what each needs of the machine. */
import { UsageError } from "../../base/errors.ts";
import { formatBytes } from "../../base/units.ts";
import { type NcioMethod, type NcioVariable, regionsAt } from "../../model/index.ts";
import { type AccessCase, dataBytes, endOf, type PatternSpec, patternOf } from "../pattern/index.ts";
import type { MethodOptions } from "../method/index.ts";

/** Of the paper (Ching et al., section 4.1). */
export const PAPER_DEFAULTS = { count: 4096, size: 8, spacing: 128 } as const;
export const PAPER_SWEEPS: Readonly<Record<NcioVariable, readonly number[]>> = {
  count: powers(2048, 1048576),
  size: powers(8, 4096),
  spacing: powers(128, 4096),
};
export const PAPER_REPEATS = 6;
/** Section 5.1: the servers handled 1,024 offset-length pairs at a time. */
export const PAPER_FLOW_PAIRS = 1024;

export const BLOCKING_SYNC = "blocking sync";

/** One method on one pattern. */
export interface PointPlan {
  readonly pattern: PatternSpec;
  readonly method: NcioMethod;
  readonly direction: "write" | "read";
}

/** How every point of a run is measured. */
export interface Measuring {
  readonly repeats: number;
  readonly warmUps: number;
  readonly pauseSeconds: number;
  /** The last rank begins so much later than the others. */
  readonly lateSeconds: number;
  readonly verify: boolean;
  readonly method: MethodOptions;
  /** Hints for MPI-IO beside those of the method. */
  readonly hints: Readonly<Record<string, string>>;
}

export type BackendPlan =
  | { readonly kind: "posix"; readonly folder: string }
  | { readonly kind: "mpiio"; readonly folder: string }
  | {
      readonly kind: "servers";
      readonly addresses: readonly string[];
      readonly token: string;
      readonly stripBytes: number;
      /** How the servers work where that is not the default: `BLOCKING_SYNC`. */
      readonly modes: readonly string[];
    }
  | { readonly kind: "memory" }
  | { readonly kind: "null" };

export interface RunPlan {
  readonly points: readonly PointPlan[];
  readonly measuring: Measuring;
  readonly backend: BackendPlan;
  /** Base name of the file; runs at the same time must not share one. */
  readonly file: string;
}

/** What a sweep measures. */
export interface SweepPlan {
  readonly variables: Readonly<Partial<Record<NcioVariable, readonly number[]>>>;
  readonly defaults: { readonly count: number; readonly size: number; readonly spacing: number };
  readonly cases: readonly AccessCase[];
  readonly methods: readonly NcioMethod[];
  readonly directions: readonly ("write" | "read")[];
  readonly ranks: number;
}

/** The values of one variable, the others at their defaults; each with all cases and methods, directions outermost. */
export function sweepPoints(options: SweepPlan): PointPlan[] {
  const points = new Map<string, PointPlan>();
  for (const direction of options.directions)
    for (const [variable, values] of Object.entries(options.variables))
      for (const value of values)
        for (const accessCase of options.cases)
          for (const method of options.methods) {
            const regions = regionsAt(options.defaults, variable as NcioVariable, value);
            const pattern: PatternSpec = {
              pattern: "ncio",
              ranks: options.ranks,
              case: accessCase,
              ...regions,
            };
            const point = { pattern, method, direction };
            // Sweeps meet where a variable has its default; such a point is measured once.
            points.set(pointKey(point), point);
          }
  return [...points.values()];
}

/** In one line; fails on the first pattern that is none. */
export const layoutOf = (points: readonly PointPlan[]): string =>
  [...new Set(points.map(({ pattern }) => patternOf(pattern).layout))].join("; or ");

export function pointKey({ pattern, method, direction }: PointPlan): string {
  // Spacing does not matter to a pattern without holes.
  const same =
    pattern.pattern === "ncio" && pattern.case === "c-c" ? { ...pattern, spacing: pattern.size } : pattern;
  return JSON.stringify([same, method, direction]);
}

interface Needs {
  readonly fileBytes: number;
  /** Of the largest rank: its buffer, and what methods hold beside it. */
  readonly rankBytes: number;
  readonly dataBytes: number;
}

/** Also the check of the patterns: fails on the first that is none. */
function needsOf(point: PointPlan, bufferBytes: number): Needs {
  const pattern = patternOf(point.pattern);
  let rankBytes = 0;
  let all = 0;
  for (let rank = 0; rank < pattern.ranks; rank++) {
    const { memory, file } = pattern.access(rank);
    const data = dataBytes(file);
    all += data;
    rankBytes = Math.max(rankBytes, endOf(memory) + data + bufferBytes);
  }
  return { fileBytes: pattern.fileBytes, rankBytes, dataBytes: all };
}

/** Refuses in one line what the machine cannot hold, before anything starts. */
export function checkNeeds(
  points: readonly PointPlan[],
  bufferBytes: number,
  limits: { readonly diskBytes: number | undefined; readonly diskName: string; readonly memoryBytes: number },
): void {
  for (const point of points) {
    const needs = needsOf(point, bufferBytes);
    const { ranks } = patternOf(point.pattern);
    const what = describePoint(point);
    if (limits.diskBytes !== undefined && needs.fileBytes > limits.diskBytes)
      throw new UsageError(
        `${what} makes a file of ${formatBytes(needs.fileBytes)}, and ${limits.diskName} has ${formatBytes(limits.diskBytes)} free; use fewer or smaller regions, or another folder`,
      );
    if (needs.rankBytes * ranks > limits.memoryBytes)
      throw new UsageError(
        `${what} needs ${formatBytes(needs.rankBytes * ranks)} of memory in ${ranks} ranks; --memory allows ${formatBytes(limits.memoryBytes)}`,
      );
  }
}

export function describePoint({ pattern, method, direction }: PointPlan): string {
  const shape =
    pattern.pattern === "ncio" || pattern.pattern === "hpio"
      ? `${pattern.case}, ${pattern.count} regions of ${pattern.size} B every ${pattern.spacing} B`
      : pattern.pattern;
  return `${method} ${direction} (${shape})`;
}

function powers(from: number, to: number): number[] {
  const values: number[] = [];
  for (let value = from; value <= to; value *= 2) values.push(value);
  return values;
}
