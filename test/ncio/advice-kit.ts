/** Sweeps with known answers: bandwidths by a formula, spreads as told. */
import type { NcioCase, NcioMethod, NcioPoint, NcioSweep, NcioVariable } from "../../src/model/ncio.ts";

export interface Planted {
  readonly method: NcioMethod;
  readonly case: NcioCase;
  readonly direction: "write" | "read";
  readonly count: number;
  readonly size: number;
  readonly spacing: number;
}

export interface SweepSpec {
  readonly methods?: readonly NcioMethod[];
  readonly cases?: readonly NcioCase[];
  readonly directions?: readonly ("write" | "read")[];
  readonly variables?: Partial<Record<NcioVariable, readonly number[]>>;
  /** Bytes per second. */
  readonly rate: (point: Planted) => number;
  /** Half of the spread, as a share of the mean. */
  readonly noise?: number;
  readonly repeats?: number;
  readonly change?: (point: NcioPoint) => NcioPoint;
}

export const DEFAULTS = { count: 4096, size: 8, spacing: 128 };

export function plantedPoint(planted: Planted, rate: number, noise = 0.05, repeats = 6): NcioPoint {
  const bytes = 4 * planted.count * planted.size;
  return {
    ...planted,
    pattern: "ncio",
    ranks: 4,
    backend: "servers",
    servers: 4,
    launch: "child processes",
    requests: 10,
    messages: 10,
    expectedRequests: 10,
    expectedMessages: 10,
    bytes,
    movedBytes: bytes,
    bandwidthBytesPerSecond: rate,
    bandwidthWithoutSyncBytesPerSecond: 2 * rate,
    seconds: bytes / rate,
    syncSeconds: bytes / rate / 2,
    spread: { low: rate * (1 - noise), high: rate * (1 + noise), relative: 2 * noise },
    repeats,
    warmUps: 1,
    bps: bytes / 512 / (bytes / rate),
    iops: 1,
    arptSeconds: 1,
    verified: true,
    notes: [],
  };
}

/** The points that a sweep plans: one variable at a time, each pattern once. */
export function plantedSweep(spec: SweepSpec): NcioSweep {
  const {
    methods = ["posix", "list", "datatype", "two-phase"],
    cases = ["c-c", "nc-c", "c-nc", "nc-nc"],
    directions = ["write"],
    variables = {
      count: [2048, 4096, 8192, 16384, 32768, 65536],
      size: [8, 32, 128, 512, 4096],
      spacing: [128, 256, 512, 1024, 2048, 4096],
    },
  } = spec;
  const points = new Map<string, NcioPoint>();
  for (const direction of directions)
    for (const [variable, values] of Object.entries(variables))
      for (const value of values)
        for (const accessCase of cases)
          for (const method of methods) {
            // Holes of 120 B stay when regions grow.
            const grown = variable === "size" ? { spacing: value + 120 } : {};
            const regions = { ...DEFAULTS, ...grown, [variable]: value };
            const planted = {
              ...regions,
              spacing: accessCase === "c-c" ? 128 : regions.spacing,
              ...{ method, direction, case: accessCase },
            };
            const point = plantedPoint(planted, spec.rate(planted), spec.noise, spec.repeats);
            points.set(JSON.stringify(planted), spec.change?.(point) ?? point);
          }
  return {
    plimsoll: "ncio-sweep",
    version: 1,
    variables,
    defaults: DEFAULTS,
    machine: "a test",
    startedUnixMs: 0,
    layout: "region i of rank r at (i * ranks + r) * spacing",
    complete: true,
    points: [...points.values()],
  };
}
