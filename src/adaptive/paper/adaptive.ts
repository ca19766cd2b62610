/** The adaptive method against MPI-IO: Figs 5, 6 and 7. */

import { OUTPUT_SIZES, outputPoint, WRITERS } from "../sim/experiments/plans.ts";
import type { Method } from "../sim/experiments/series.ts";
import {
  type Check,
  type Evidence,
  fixed,
  gbps,
  judged,
  offLess,
  offRange,
  offValue,
  percent,
  withinPercent,
  worst,
} from "./check.ts";
import { BAND_TEXT, bandOf, offBand } from "./repeats.ts";

const METHOD = "mean bandwidth, adaptive on 512 targets over MPI-IO on 160, same background for both";

/** For a single bandwidth ratio. */
const RATIO_TOLERANCE = 0.1;

const ratio = (evidence: Evidence, sizeMb: number, writers: number, interference: boolean): number =>
  evidence.bandwidth(outputPoint("paper", sizeMb, writers, interference)) /
  evidence.bandwidth(outputPoint("mpi-io", sizeMb, writers, interference));

const ratios = (
  evidence: Evidence,
  sizeMb: number,
  interference: boolean,
  writers: readonly number[] = WRITERS,
) => writers.map((count) => ratio(evidence, sizeMb, count, interference));

const list = (values: readonly number[]): string => values.map(fixed(2)).join(", ");
const under = (interference: boolean): string => (interference ? "interference" : "base");

const small = (writers: number, interference: boolean, published: number): Check => ({
  id: `P2 ${writers} ${under(interference)}`,
  row: "P2",
  place: "IV.A, Fig 5a",
  claim: `Pixie3D small (2 MB), ${writers} processes, ${under(interference)}: adaptive over MPI-IO`,
  published: published.toFixed(2),
  tolerance: withinPercent(RATIO_TOLERANCE),
  method: METHOD,
  weight: 1,
  judge: (evidence) => {
    const value = ratio(evidence, 2, writers, interference);
    return judged([value], value.toFixed(2), offValue(value, published, RATIO_TOLERANCE));
  },
});

/** All ratios within a published range, and both of its ends reached. */
function rangeChecks(
  row: string,
  place: string,
  what: string,
  sizeMb: number,
  conditions: readonly boolean[],
  low: number,
  high: number,
): Check[] {
  const name = conditions.length === 2 ? "" : ` ${under(conditions[0]!)}`;
  const all = (evidence: Evidence) => conditions.flatMap((one) => ratios(evidence, sizeMb, one));
  const common = { row, place, method: METHOD, weight: 1.5 };
  const tests = conditions.flatMap((one) => WRITERS.map((count) => [count, one] as const));
  const extreme = (which: "least" | "most", value: number, published: string, weight: number): Check => ({
    ...common,
    id: `${row} ${which}${name}`,
    claim: `${what}${name === "" ? ", all tests" : `,${name}`}: the ${which === "least" ? "smallest" : "largest"} gain`,
    published,
    tolerance: BAND_TEXT,
    method: `${METHOD}; repeats resample each method separately`,
    weight,
    judge: (evidence) => {
      const of = which === "least" ? Math.min : Math.max;
      const speeds = (method: Method) =>
        tests.map(([count, one]) =>
          evidence.samples(outputPoint(method, sizeMb, count, one)).map((sample) => sample.bandwidth),
        );
      const [ours, theirs] = [speeds("paper"), speeds("mpi-io")];
      const band = bandOf((drawMean) =>
        of(...ours.map((values, i) => drawMean(values) / drawMean(theirs[i] as number[]))),
      );
      const point = of(...all(evidence));
      const simulated = `${point.toFixed(2)}; repeats ${band.low.toFixed(2)} to ${band.high.toFixed(2)}`;
      const beyond = which === "least" ? band.below(value) : 1 - band.below(value);
      const side = which === "least" ? "at or below" : "above";
      return judged(
        [point, band.low, band.middle, band.high],
        simulated,
        offBand(value, band),
        `${percent(beyond)} of the repeats lie ${side} ${value}`,
      );
    },
  });
  return [
    {
      ...common,
      id: `${row} range${name}`,
      claim: `${what}${name === "" ? ", all tests" : `,${name}`}: adaptive over MPI-IO for 512 to 16384 processes`,
      published: `${low} to more than ${high}`,
      tolerance: "5 % below, 10 % above",
      judge: (evidence) => {
        const values = all(evidence);
        const misfits = values.map((value) =>
          worst([offRange(value, low, 99, 0.05), offRange(value, 0.01, high, 0.1)]),
        );
        return judged(values, list(values), worst(misfits));
      },
    },
    extreme("least", low, low.toString(), 0.7),
    extreme("most", high, `more than ${high}`, 1),
  ];
}

const extraLarge: readonly Check[] = [
  {
    id: "P4 16384",
    row: "P4",
    place: "IV.A, Fig 5c",
    claim: "Pixie3D extra large (1 GB), 16384 processes: adaptive over MPI-IO",
    published: "about 4.8",
    tolerance: "10 %",
    method: METHOD,
    weight: 1.5,
    judge: (evidence) => {
      const value = ratio(evidence, 1024, 16384, false);
      return judged([value], value.toFixed(2), offValue(value, 4.8, 0.1));
    },
  },
  ...[false, true].map(
    (interference): Check => ({
      id: `P4 ${under(interference)}`,
      row: "P4",
      place: "IV.A, Fig 5c",
      claim: `extra large, ${under(interference)}: gains of more than 300 % with four or more processes per target`,
      published: "4 or more",
      tolerance: "5 %, at each of 2048 to 16384 processes",
      method: METHOD,
      weight: 1.5,
      judge: (evidence) => {
        const values = ratios(evidence, 1024, interference, [2048, 4096, 8192, 16384]);
        return judged(values, list(values), worst(values.map((value) => offRange(value, 4, 99, 0.05))));
      },
    }),
  ),
];

/** The claim taken literally: 1024 processes are already "a few more" than 512 targets. */
const literal: Check = {
  id: "P4 1024",
  row: "P4",
  place: "IV.A, Fig 5c",
  claim: "extra large, two processes per target, base and interference: gains of more than 300 %",
  published: "4 or more",
  tolerance: "5 %",
  method: METHOD,
  weight: 0.5,
  judge: (evidence) => {
    const values = [false, true].map((interference) => ratio(evidence, 1024, 1024, interference));
    return judged(values, list(values), worst(values.map((value) => offRange(value, 4, 99, 0.05))));
  },
};

const summary: readonly Check[] = [
  {
    id: "P6 XGC1",
    row: "P6",
    place: "I",
    claim: "XGC1 (38 MB), 16384 processes: about twice the average performance",
    published: "about 2",
    tolerance: "25 %",
    method: METHOD,
    weight: 0.7,
    judge: (evidence) => {
      const value = ratio(evidence, 38, 16384, false);
      return judged([value], value.toFixed(2), offValue(value, 2, 0.25));
    },
  },
  {
    id: "P6 Pixie3D",
    row: "P6",
    place: "I",
    claim: "Pixie3D, 16384 processes, 16 TB: more than 4.8 times",
    published: "more than 4.8",
    tolerance: "10 %",
    method: METHOD,
    weight: 0,
    judge: (evidence) => {
      const value = Math.max(ratio(evidence, 1024, 16384, false), ratio(evidence, 1024, 16384, true));
      return judged([value], value.toFixed(2), offRange(value, 4.8, 5.3, 0.1));
    },
  },
];

const NAMES: Readonly<Record<number, string>> = {
  2: "Pixie3D small",
  38: "XGC1",
  128: "Pixie3D large",
  1024: "Pixie3D extra large",
};

const spreads = OUTPUT_SIZES.map(
  (sizeMb): Check => ({
    id: `P7 ${sizeMb}MB`,
    row: "P7",
    place: "IV.C, Fig 7",
    claim: `${NAMES[sizeMb]}: write times vary less with the adaptive method with 4 or more writers per target`,
    published: "lower",
    tolerance: "at each of 2048 to 16384 processes",
    method: "standard deviation of run times over samples, base conditions",
    weight: 1.5,
    judge: (evidence) => {
      const counts = WRITERS.filter((count) => count >= 2048);
      const pairs = counts.map((count) => [
        evidence.spread(outputPoint("paper", sizeMb, count, false)),
        evidence.spread(outputPoint("mpi-io", sizeMb, count, false)),
      ]);
      const text = pairs.map(([a, b]) => `${a!.toPrecision(3)} against ${b!.toPrecision(3)}`);
      return judged(
        pairs.flat(),
        `${text.join(", ")} s`,
        worst(pairs.map(([a, b]) => offLess(a!, b!, 0.25))),
      );
    },
  }),
);

const gap: Check = {
  id: "P7 gap",
  row: "P7",
  place: "IV.C, Fig 7c",
  claim: "extra large: the difference is quite large in some cases",
  published: "quite large",
  tolerance: "at least 1.5 times at one process count, and the largest of all sizes in seconds",
  method: "standard deviation of run times over samples, base conditions",
  weight: 0.5,
  judge: (evidence) => {
    const counts = WRITERS.filter((count) => count >= 2048);
    const most = (sizeMb: number, of: (a: number, b: number) => number) =>
      Math.max(
        ...counts.map((count) =>
          of(
            evidence.spread(outputPoint("paper", sizeMb, count, false)),
            evidence.spread(outputPoint("mpi-io", sizeMb, count, false)),
          ),
        ),
      );
    const factor = most(1024, (a, b) => b / a);
    const seconds = OUTPUT_SIZES.map((size) => most(size, (a, b) => b - a));
    const others = Math.max(...seconds.slice(0, -1));
    const misfit = worst([
      offLess(1.5, factor, 0.25),
      offLess(others, Math.max(seconds.at(-1)!, 1e-9), 0.25),
    ]);
    return judged(
      [factor, ...seconds],
      `${factor.toFixed(1)} times, ${seconds.at(-1)!.toFixed(0)} s`,
      misfit,
    );
  },
};

const scale: readonly Check[] = [
  {
    id: "P8",
    row: "P8",
    place: "IV",
    claim: "672 targets: no penalty against 512",
    published: "no penalty",
    tolerance: "3 %",
    method: "adaptive, 128 MB, 2048 and 16384 processes, mean bandwidth",
    weight: 0,
    judge: (evidence) => {
      const values = [2048, 16384].map(
        (count) =>
          evidence.bandwidth({ ...outputPoint("paper", 128, count, false), targets: 672 }) /
          evidence.bandwidth(outputPoint("paper", 128, count, false)),
      );
      return judged(values, list(values), worst(values.map((value) => offRange(value, 1, 99, 0.03))));
    },
  },
  {
    id: "N2",
    row: "N2",
    place: "I",
    claim: "the goal: more than 50 % of the theoretical peak of 60 GB/s, consistently",
    published: "more than 30 GB/s",
    tolerance: "mean at 8192 and 16384 processes, 128 MB and 1 GB",
    method: "adaptive, base conditions",
    weight: 0,
    judge: (evidence) => {
      const values = [128, 1024].flatMap((size) =>
        [8192, 16384].map((count) => evidence.bandwidth(outputPoint("paper", size, count, false))),
      );
      return judged(
        values,
        `${values.map(gbps).join(", ")} GB/s`,
        worst(values.map((one) => offLess(30000, one, 0.05))),
      );
    },
  },
];

export const ADAPTIVE: readonly Check[] = [
  small(8192, false, 1.1),
  small(16384, false, 1.1),
  small(8192, true, 1.03),
  small(16384, true, 1.35),
  ...rangeChecks("P3", "IV.A, Fig 5b", "Pixie3D large (128 MB)", 128, [false], 1.01, 4.5),
  ...rangeChecks("P3", "IV.A, Fig 5b", "Pixie3D large (128 MB)", 128, [true], 1.62, 5.3),
  ...extraLarge,
  literal,
  ...rangeChecks("P5", "IV.B, Fig 6", "XGC1 (38 MB)", 38, [false, true], 1.3, 3.24),
  ...summary,
  ...spreads,
  gap,
  ...scale,
];
