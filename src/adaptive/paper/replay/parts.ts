/** The parts of a replay: the experiments of each, and the checks that use them. */
import { UsageError } from "../../../base/errors.ts";
import {
  adaptivePlan,
  allTargetsPlan,
  fig1Plan,
  HOURLY,
  hourlySeries,
  OUTPUT_SIZES,
  xtpPlan,
} from "../../sim/experiments/plans.ts";
import type { Series } from "../../sim/experiments/series.ts";

export interface Effort {
  /** Per point of Fig 1; 40 in the paper. */
  readonly fig1: number;
  /** Per point of Figs 5 to 7; "at least five" in the paper. */
  readonly output: number;
  /** Max tests per line of Table I; the paper has 320 to 2581. */
  readonly tests: number;
  /** Pairs of tests three minutes apart, for Fig 3. */
  readonly pairs: number;
  /** Seeds and steps of the comparison of policies. */
  readonly seeds: number;
  readonly steps: number;
  /** Samples per point of the sweep for numbers that are hard to meet together. */
  readonly tradeoff: number;
}

export const PAPER_EFFORT: Effort = {
  fig1: 40,
  output: 20,
  tests: Number.POSITIVE_INFINITY,
  pairs: 40,
  seeds: 2,
  steps: 3,
  tradeoff: 6,
};

/** This many samples per point everywhere; Table I has ten times as many tests. */
export const effortOf = (samples: number): Effort => ({
  fig1: samples,
  output: samples,
  tests: 10 * samples,
  pairs: Math.min(40, 4 * samples),
  seeds: samples < 5 ? 1 : 2,
  steps: 3,
  tradeoff: Math.min(6, samples),
});

export const PARTS = [
  "fig1",
  "fig2",
  "fig3",
  "table1",
  "xtp",
  "fig5",
  "fig6",
  "fig7",
  "policies",
  "tradeoff",
] as const;
type Part = (typeof PARTS)[number];

/** The series of a part. Hourly tests have a seed of their own. */
export function seriesOf(part: Part, effort: Effort, seed: number): Series[] {
  const output = (sizes: readonly number[], withInterference = true) =>
    adaptivePlan(effort.output, seed).filter(
      ({ sizeMb, interference }) => sizes.includes(sizeMb) && (withInterference || !interference),
    );
  const hourly = (lines: readonly (typeof HOURLY)[number][]) =>
    lines.map((line) => hourlySeries(line, Math.min(line.tests, effort.tests), seed + 1));
  switch (part) {
    case "fig1":
      return fig1Plan(effort.fig1, seed);
    case "fig2":
    case "table1":
      return hourly(HOURLY);
    case "fig3":
      return hourly(HOURLY.slice(0, 1));
    case "xtp":
      return xtpPlan(effort.fig1, seed);
    case "fig5":
      return [...output([2, 128, 1024]), ...allTargetsPlan(effort.output, seed)];
    case "fig6":
      return output([38]);
    case "fig7":
      return output(OUTPUT_SIZES, false);
    case "policies":
    case "tradeoff":
      return [];
  }
}

/** Parts required by the checks of a row; none for facts. */
const ROW_PARTS: Readonly<Record<string, readonly Part[]>> = {
  I2: ["fig1"],
  I3: ["fig1"],
  I4: ["fig1"],
  I5: ["fig1"],
  I6: ["fig1"],
  I7: ["xtp"],
  E1: ["table1"],
  E2: ["table1"],
  E3: ["table1"],
  E4: ["table1"],
  E5: ["fig3"],
  P2: ["fig5"],
  P3: ["fig5"],
  P4: ["fig5"],
  P5: ["fig6"],
  P6: ["fig5", "fig6"],
  P7: ["fig7"],
  P8: ["fig5"],
  N2: ["fig5"],
};

const FACT_ROWS = ["J1", "J2", "J3", "J4", "F0", "X0", "N1", "I1", "A1", "P0", "P1"] as const;

/** Values of `--only`: parts, and rows of checks. */
export const ONLY_NAMES: readonly string[] = [...PARTS, ...Object.keys(ROW_PARTS), ...FACT_ROWS];

export interface Selection {
  readonly parts: readonly Part[];
  /** Rows of checks to judge; undefined for all. */
  readonly rows: ReadonlySet<string> | undefined;
}

const isPart = (name: string): name is Part => (PARTS as readonly string[]).includes(name);

/** Selects runs and checks for a list of parts and rows; everything for an empty list. */
export function selectionOf(
  names: readonly string[],
  suggest: (name: string, known: readonly string[]) => string = () => "",
): Selection {
  if (names.length === 0) return { parts: PARTS, rows: undefined };
  const parts = new Set<Part>();
  const rows = new Set<string>();
  for (const name of names) {
    const known = ONLY_NAMES.find((one) => one.toLowerCase() === name.toLowerCase());
    if (known === undefined)
      throw new UsageError(
        `--only ${name}: unknown part${suggest(name, ONLY_NAMES)} (parts: ${PARTS.join(", ")}; or a row of checks, such as I6)`,
      );
    if (isPart(known)) {
      parts.add(known);
      for (const [row, of] of Object.entries(ROW_PARTS)) if (of.includes(known)) rows.add(row);
    } else {
      rows.add(known);
      for (const part of ROW_PARTS[known] ?? []) parts.add(part);
    }
  }
  return { parts: PARTS.filter((part) => parts.has(part)), rows };
}
