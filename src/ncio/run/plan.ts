/** A benchmark run as data: the points of a sweep in order, and their requirements. */
import { UsageError } from "../../base/errors.ts";
import { formatBytes } from "../../base/units.ts";
import { type NcioMethod, type NcioVariable, regionsAt } from "../../model/index.ts";
import { type AccessCase, dataBytes, endOf, type PatternSpec, patternOf } from "../pattern/index.ts";
import type { MethodOptions } from "../method/index.ts";

/** Defaults of the paper (Ching et al., section 4.1). */
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

/** Measurement parameters of a run. */
export interface Measuring {
  readonly repeats: number;
  readonly warmUps: number;
  readonly pauseSeconds: number;
  /** Delay of the last rank. */
  readonly lateSeconds: number;
  readonly verify: boolean;
  readonly method: MethodOptions;
  /** MPI-IO hints in addition to those of the method. */
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
      /** Non-default modes of the servers: `BLOCKING_SYNC`. */
      readonly modes: readonly string[];
    }
  | { readonly kind: "memory" }
  | { readonly kind: "null" };

export interface RunPlan {
  readonly points: readonly PointPlan[];
  readonly measuring: Measuring;
  readonly backend: BackendPlan;
  /** Base name of the file; concurrent runs must not share one. */
  readonly file: string;
}

/** Points of a sweep. */
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
            // Sweeps share the point with all defaults; it is measured once.
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
  /** Memory of the largest rank: its buffer, and buffers of methods. */
  readonly rankBytes: number;
  readonly dataBytes: number;
}

/** Also checks the patterns: fails on the first invalid one. */
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

/** Refuses runs beyond the machine's capacity with one line, before anything starts. */
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
