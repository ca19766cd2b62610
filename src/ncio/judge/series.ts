/** Points of a sweep by method and case, over the values of one variable. */
import {
  type NcioCase,
  type NcioMethod,
  type NcioPoint,
  type NcioRegions,
  type NcioSweep,
  type NcioVariable,
  regionsAt,
} from "../../model/index.ts";
import { CASE_ORDER, METHOD_ORDER, VARIABLE_ORDER } from "./methods.ts";

export type Direction = NcioPoint["direction"];

export interface At {
  readonly value: number;
  readonly point: NcioPoint;
}

/** A region pattern, independent of method and case. */
export type Regions = NcioRegions;

/** A sweep with indexed points. */
export class SweepPoints {
  readonly sweep: NcioSweep;
  readonly directions: readonly Direction[];
  readonly methods: readonly NcioMethod[];
  readonly cases: readonly NcioCase[];
  readonly variables: readonly NcioVariable[];
  readonly #byKind = new Map<string, NcioPoint[]>();

  /** `native`: without points whose back end made requests of another kind. */
  constructor(sweep: NcioSweep, which: "all" | "native" = "all") {
    this.sweep = sweep;
    const points = which === "all" ? sweep.points : sweep.points.filter((point) => !isFallback(point));
    const has = (test: (point: NcioPoint) => boolean) => points.some(test);
    this.directions = (["write", "read"] as const).filter((one) => has(({ direction }) => direction === one));
    this.methods = METHOD_ORDER.filter((one) => has(({ method }) => method === one));
    this.cases = CASE_ORDER.filter((one) => has((point) => point.case === one));
    this.variables = VARIABLE_ORDER.filter((one) => (sweep.variables[one]?.length ?? 0) > 0);
    for (const point of points) {
      const key = `${point.direction} ${point.case} ${point.method}`;
      const list = this.#byKind.get(key);
      if (list === undefined) this.#byKind.set(key, [point]);
      else list.push(point);
    }
  }

  /** Writes, as in the paper; reads if only those were measured. */
  get judged(): Direction {
    return this.directions[0] ?? "write";
  }

  of(direction: Direction, accessCase: NcioCase, method: NcioMethod): readonly NcioPoint[] {
    return this.#byKind.get(`${direction} ${accessCase} ${method}`) ?? [];
  }

  /** Ascending points along one variable, the others at their defaults. Without holes there is one point for all spacings. */
  series(
    direction: Direction,
    variable: NcioVariable,
    accessCase: NcioCase,
    method: NcioMethod,
  ): readonly At[] {
    const values = this.sweep.variables[variable] ?? [];
    const found: At[] = [];
    for (const value of values) {
      const point = this.find(direction, accessCase, method, this.regionsAt(variable, value));
      if (point === undefined || found.some((one) => one.point === point)) continue;
      found.push({ value, point });
    }
    return found.sort((a, b) => a.value - b.value);
  }

  regionsAt(variable: NcioVariable, value: number): Regions {
    return regionsAt(this.sweep.defaults, variable, value);
  }

  find(
    direction: Direction,
    accessCase: NcioCase,
    method: NcioMethod,
    { count, size, spacing }: Regions,
  ): NcioPoint | undefined {
    return this.of(direction, accessCase, method).find(
      (point) =>
        point.count === count && point.size === size && (accessCase === "c-c" || point.spacing === spacing),
    );
  }

  /** The distinct measured regions of a case, in the order of the sweep. */
  regions(direction: Direction, accessCase: NcioCase): Regions[] {
    const found = new Map<string, Regions>();
    for (const method of this.methods)
      for (const { count, size, spacing } of this.of(direction, accessCase, method))
        found.set(`${count} ${size} ${spacing}`, { count, size, spacing });
    return [...found.values()];
  }

  /** All methods on the same regions. */
  methodsAt(direction: Direction, accessCase: NcioCase, regions: Regions): NcioPoint[] {
    return this.methods.flatMap((method) => this.find(direction, accessCase, method, regions) ?? []);
  }
}

export const fastest = (points: readonly NcioPoint[]): NcioPoint | undefined =>
  points.reduce<NcioPoint | undefined>(
    (best, one) =>
      best === undefined || one.bandwidthBytesPerSecond > best.bandwidthBytesPerSecond ? one : best,
    undefined,
  );

/** The back end lacks such requests and made others: the point does not measure its method. */
const isFallback = ({ notes, method }: NcioPoint): boolean =>
  notes.some((note) => note.includes(`has no ${method} requests`));
