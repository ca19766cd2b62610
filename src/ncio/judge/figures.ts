/** Figures 4 to 6 of the NCIO paper from the points of a sweep: a panel for each case, a bar for each method. */
import { formatCount, formatRate } from "../../base/units.ts";
import type { BarsChart, Figure, NcioCase, NcioPoint, NcioSweep, NcioVariable } from "../../model/index.ts";
import { CASE_WORDS, METHOD_WORDS, methodName, VARIABLE_WORDS } from "./methods.ts";
import { publishedMarks } from "./published.ts";
import { countingRepeats } from "./ratio.ts";
import { type At, type Direction, SweepPoints } from "./series.ts";

interface Quantity {
  readonly id: "bandwidth" | "requests" | "sync";
  readonly title: string;
  readonly axis: BarsChart["value"];
  readonly value: (point: NcioPoint) => number;
  readonly whiskers: boolean;
  readonly about: string;
}

const QUANTITIES: readonly Quantity[] = [
  {
    id: "bandwidth",
    title: "bandwidth",
    axis: { label: "Aggregate bandwidth", unit: "bytes/s", scale: "log" },
    value: ({ bandwidthBytesPerSecond }) => bandwidthBytesPerSecond,
    whiskers: true,
    about:
      "Bytes of all ranks over the time until the last rank is done, sync included; whiskers span the counted repetitions.",
  },
  {
    id: "requests",
    title: "requests",
    axis: { label: "Requests of all ranks", unit: "count", scale: "log" },
    value: ({ requests }) => requests ?? Number.NaN,
    whiskers: false,
    about: "Requests to the storage in one operation of all ranks; the same in all repetitions.",
  },
  {
    id: "sync",
    title: "time of the sync",
    axis: { label: "Time of the sync", unit: "seconds", scale: "log" },
    value: ({ syncSeconds }) => syncSeconds,
    whiskers: false,
    about: "The longest of all ranks, until data is durable; bandwidth includes it.",
  },
];

export type FigureKind = Quantity["id"];

/** All figures: bandwidths first, in the order of the paper. */
export function sweepFigures(sweep: NcioSweep): Figure[] {
  const points = new SweepPoints(sweep);
  return QUANTITIES.flatMap(({ id }) =>
    points.directions.flatMap((direction) =>
      points.variables.flatMap((variable) => panels(points, direction, variable, id)),
    ),
  );
}

/** One panel for each case with points; none without the quantity. */
export function panels(
  points: SweepPoints,
  direction: Direction,
  variable: NcioVariable,
  kind: FigureKind,
): Figure[] {
  const quantity = QUANTITIES.find(({ id }) => id === kind) as Quantity;
  return points.cases.flatMap((accessCase) => {
    const figure = panel(points, direction, variable, accessCase, quantity);
    return figure === undefined ? [] : [figure];
  });
}

function panel(
  points: SweepPoints,
  direction: Direction,
  variable: NcioVariable,
  accessCase: NcioCase,
  quantity: Quantity,
): Figure | undefined {
  const all = points.methods.flatMap((method) => {
    const at = points.series(direction, variable, accessCase, method);
    return at.length === 0 ? [] : [{ method, at }];
  });
  const measured = all.flatMap(({ at }) => at.map(({ point }) => quantity.value(point)));
  if (!measured.some((value) => value > 0)) return undefined;
  const { label, figure, unit } = VARIABLE_WORDS[variable];
  // Without holes spacing does not matter: one group of bars stands for all values, as in the paper.
  const single = accessCase === "c-c" && variable === "spacing";
  const published =
    quantity.id === "bandwidth" && direction === "write" ? publishedMarks(variable, accessCase) : [];
  const values = single ? [Number.NaN] : valuesOf(all.map(({ at }) => at));
  const pick = (at: readonly At[], value: number): NcioPoint | undefined =>
    (single ? at[0] : at.find((one) => one.value === value))?.point;
  return {
    id: `figure-${figure}-${accessCase}${quantity.id === "bandwidth" ? "" : `-${quantity.id}`}${direction === "read" ? "-read" : ""}`,
    title: `Figure ${figure}, ${accessCase}: ${quantity.title} over ${label} (${direction})`,
    caption: `${capital(CASE_WORDS[accessCase])}. ${quantity.about} ${settingText(points, variable, accessCase, all[0]?.at[0]?.point)}`,
    summary: summaryOf(all, quantity, unit, single),
    definition: `N0${figure}@1`,
    options: { case: accessCase, variable, direction },
    chart: {
      kind: "bars",
      direction: "vertical",
      stacked: false,
      categories: values.map((value) => (single ? "any spacing" : `${formatCount(value)}${unit}`)),
      categoryLabel: capital(label),
      value: quantity.axis,
      ...(published.length > 0 && { published }),
      series: all.map(({ method, at }) => {
        const of = (get: (point: NcioPoint) => number) =>
          values.map((value) => {
            const point = pick(at, value);
            return point === undefined ? Number.NaN : get(point);
          });
        return {
          name: methodName(method),
          role: METHOD_WORDS[method].role,
          values: of(quantity.value),
          ...(quantity.whiskers && {
            low: of((point) => whisker(point, point.spread.low)),
            high: of((point) => whisker(point, point.spread.high)),
          }),
        };
      }),
    },
  };
}

/** A single repetition has no spread. */
const whisker = (point: NcioPoint, end: number): number => (countingRepeats(point) > 1 ? end : Number.NaN);

function valuesOf(series: readonly (readonly At[])[]): number[] {
  return [...new Set(series.flatMap((at) => at.map(({ value }) => value)))].sort((a, b) => a - b);
}

function settingText(
  { sweep }: SweepPoints,
  variable: NcioVariable,
  accessCase: NcioCase,
  point: NcioPoint | undefined,
): string {
  const { count, size, spacing } = sweep.defaults;
  const fixed = [
    ...(variable === "count" ? [] : [`${formatCount(count)} regions per rank`]),
    ...(variable === "size" ? [] : [`regions of ${formatCount(size)} B`]),
    ...(variable === "spacing" || accessCase === "c-c"
      ? []
      : variable === "size"
        ? [`holes of ${formatCount(Math.max(0, spacing - size))} B between them`]
        : [`one every ${formatCount(spacing)} B`]),
  ];
  const ranks = point === undefined ? "" : `, ${formatCount(point.ranks)} ranks, ${point.backend}`;
  return `${capital(fixed.join(", "))}${ranks}.`;
}

function summaryOf(
  all: readonly { readonly method: NcioPoint["method"]; readonly at: readonly At[] }[],
  quantity: Quantity,
  unit: string,
  single: boolean,
): string {
  const text = (point: NcioPoint) => {
    const value = quantity.value(point);
    if (Number.isNaN(value)) return "unknown";
    if (quantity.id === "bandwidth") return formatRate(value);
    return quantity.id === "requests" ? formatCount(value) : `${Number(value.toPrecision(3))} s`;
  };
  return `${all
    .map(({ method, at }) => {
      const [first, last] = [at[0] as At, at.at(-1) as At];
      if (single || at.length === 1) return `${methodName(method)} ${text(first.point)}`;
      return `${methodName(method)} goes from ${text(first.point)} at ${formatCount(first.value)}${unit} to ${text(last.point)} at ${formatCount(last.value)}${unit}`;
    })
    .join("; ")}.`;
}

export const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
