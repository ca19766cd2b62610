/**
 * Where the fastest method changes along a variable. A method leads while none is faster by more than the spreads; a crossover
 * lies between the last value where one is seen to be faster and the first where the other is. Its position is interpolated:
 * the logarithm of the ratio is taken as linear between two measured values, over the logarithm of the variable.
 */
import type { NcioCase, NcioMethod, NcioPoint, NcioVariable } from "../../model/index.ts";
import { ratioOf, type Seen, seen } from "./ratio.ts";
import { type At, type Direction, fastest, type SweepPoints } from "./series.ts";

export interface Crossover {
  /** Faster method below, and above. */
  readonly from: NcioMethod;
  readonly to: NcioMethod;
  readonly at: number;
  /** Measured values that it lies between. */
  readonly between: readonly [number, number];
}

/** A method leads from one measured value to another, both included. */
interface Lead {
  readonly method: NcioMethod;
  readonly first: number;
  readonly last: number;
  /** Methods without a visible difference to it at any of these values. */
  readonly ties: readonly NcioMethod[];
}

export interface Leaders {
  readonly direction: Direction;
  readonly variable: NcioVariable;
  readonly case: NcioCase;
  readonly values: readonly number[];
  readonly leads: readonly Lead[];
  readonly crossovers: readonly Crossover[];
}

export interface Pair {
  readonly direction: Direction;
  readonly variable: NcioVariable;
  readonly case: NcioCase;
  readonly first: NcioMethod;
  readonly second: NcioMethod;
  readonly crossovers: readonly Crossover[];
  /** Without a crossover: the faster method in the whole range. */
  readonly throughout: NcioMethod | "no difference seen" | undefined;
  /** Values where both were measured. */
  readonly range: readonly [number, number];
}

/** One for each variable and case with a choice of methods: at least two values and two methods. */
export function leadersOf(points: SweepPoints, direction: Direction): Leaders[] {
  return points.variables.flatMap((variable) =>
    points.cases.flatMap((accessCase) => {
      const series = seriesOf(points, direction, variable, accessCase);
      const found = leaders(series);
      return found === undefined ? [] : [{ direction, variable, case: accessCase, ...found }];
    }),
  );
}

export function pairsOf(points: SweepPoints, direction: Direction): Pair[] {
  return points.variables.flatMap((variable) =>
    points.cases.flatMap((accessCase) => {
      const series = [...seriesOf(points, direction, variable, accessCase)];
      return series.flatMap(([first, a], i) =>
        series.slice(i + 1).flatMap(([second, b]): Pair[] => {
          const steps = stepsOf(a, b);
          if (steps.length < 2) return [];
          const crossovers = crossings(first, second, steps);
          return [
            {
              ...{ direction, variable, case: accessCase, first, second, crossovers },
              throughout: crossovers.length > 0 ? undefined : throughout(first, second, steps),
              range: [(steps[0] as Step).value, (steps.at(-1) as Step).value],
            },
          ];
        }),
      );
    }),
  );
}

type Series = ReadonlyMap<NcioMethod, readonly At[]>;

function seriesOf(
  points: SweepPoints,
  direction: Direction,
  variable: NcioVariable,
  accessCase: NcioCase,
): Series {
  return new Map(
    points.methods.flatMap((method) => {
      const at = points.series(direction, variable, accessCase, method);
      return at.length === 0 ? [] : [[method, at] as const];
    }),
  );
}

interface Step {
  readonly value: number;
  /** Logarithm of the first over the second. */
  readonly log: number;
  readonly seen: Seen;
}

function stepsOf(a: readonly At[], b: readonly At[]): Step[] {
  return a.flatMap(({ value, point }) => {
    const other = b.find((one) => one.value === value)?.point;
    if (other === undefined) return [];
    const ratio = ratioOf(point, other);
    return [{ value, log: Math.log(ratio.value), seen: seen(ratio) }];
  });
}

function crossings(first: NcioMethod, second: NcioMethod, steps: readonly Step[]): Crossover[] {
  const found: Crossover[] = [];
  let before: number | undefined;
  steps.forEach((step, i) => {
    if (step.seen === "no difference seen") return;
    const last = before === undefined ? undefined : steps[before];
    if (last !== undefined && last.seen !== step.seen) {
      const [from, to] = step.seen === "faster" ? [second, first] : [first, second];
      found.push({
        ...{ from, to },
        at: zeroOf(steps.slice(before, i + 1)),
        between: [last.value, step.value],
      });
    }
    before = i;
  });
  return found;
}

/** Position where the means first cross; the ends have opposite signs. */
function zeroOf(steps: readonly Step[]): number {
  for (let i = 1; i < steps.length; i++) {
    const [a, b] = [steps[i - 1] as Step, steps[i] as Step];
    if (a.log === 0) return a.value;
    if (a.log * b.log > 0) continue;
    const share = a.log / (a.log - b.log);
    return Math.exp(Math.log(a.value) + share * (Math.log(b.value) - Math.log(a.value)));
  }
  return (steps.at(-1) as Step).value;
}

function throughout(first: NcioMethod, second: NcioMethod, steps: readonly Step[]): Pair["throughout"] {
  if (steps.some((step) => step.seen === "faster")) return first;
  return steps.some((step) => step.seen === "slower") ? second : "no difference seen";
}

function leaders(series: Series): Pick<Leaders, "values" | "leads" | "crossovers"> | undefined {
  // A lead needs all methods measured at these values.
  const values = [...(series.values().next().value ?? [])]
    .map(({ value }) => value)
    .filter((value) => [...series.values()].every((at) => at.some((one) => one.value === value)));
  if (values.length < 2 || series.size < 2) return undefined;
  const at = (method: NcioMethod, value: number): NcioPoint | undefined =>
    series.get(method)?.find((one) => one.value === value)?.point;
  const rows = values.map((value) => [...series.keys()].flatMap((method) => at(method, value) ?? []));
  const names = settled(rows, leaderNames(rows));
  const leads: Lead[] = [];
  values.forEach((value, i) => {
    const method = names[i] as NcioMethod;
    const last = leads.at(-1);
    if (last?.method === method) leads[leads.length - 1] = { ...last, last: value };
    else leads.push({ method, first: value, last: value, ties: [] });
  });
  const crossovers = leads.slice(1).flatMap((lead, i) => {
    const from = leads[i] as Lead;
    const steps = stepsOf(series.get(from.method) ?? [], series.get(lead.method) ?? []);
    // The two may cross more than once: take the crossing that ends this lead.
    const all = crossings(from.method, lead.method, steps).filter(({ to }) => to === lead.method);
    const own = all.filter(({ between: [, end] }) => end >= from.last);
    return own.slice(0, 1);
  });
  return { values, leads: leads.map((lead) => withTies(lead, values, rows)), crossovers };
}

/** A leader stays until another method is seen to be faster. */
function leaderNames(rows: readonly (readonly NcioPoint[])[]): NcioMethod[] {
  const names: NcioMethod[] = [];
  for (const row of rows) {
    const best = fastest(row) as NcioPoint;
    const holder = row.find(({ method }) => method === names.at(-1));
    names.push(
      holder !== undefined && seen(ratioOf(best, holder)) !== "faster" ? holder.method : best.method,
    );
  }
  return names;
}

/** A leader that is nowhere seen to be faster than the next one led by chance: its values go to the next one. */
function settled(rows: readonly (readonly NcioPoint[])[], names: readonly NcioMethod[]): NcioMethod[] {
  const found = [...names];
  for (let end = found.length - 1; end > 0; end--) {
    const [now, next] = [found[end - 1] as NcioMethod, found[end] as NcioMethod];
    if (now === next) continue;
    let start = end - 1;
    while (start > 0 && found[start - 1] === now) start--;
    const wins = rows.slice(start, end).some((row) => {
      const a = row.find(({ method }) => method === now);
      const b = row.find(({ method }) => method === next);
      return a !== undefined && (b === undefined || seen(ratioOf(a, b)) === "faster");
    });
    if (!wins) found.fill(next, start, end);
  }
  return found;
}

function withTies(lead: Lead, values: readonly number[], rows: readonly (readonly NcioPoint[])[]): Lead {
  const own = rows.filter(
    (_, i) => (values[i] as number) >= lead.first && (values[i] as number) <= lead.last,
  );
  const others = new Set(own.flatMap((row) => row.map(({ method }) => method)));
  others.delete(lead.method);
  const ties = [...others].filter((method) =>
    own.every((row) => {
      const a = row.find((point) => point.method === lead.method);
      const b = row.find((point) => point.method === method);
      return a !== undefined && b !== undefined && seen(ratioOf(a, b)) !== "faster";
    }),
  );
  return { ...lead, ties };
}
