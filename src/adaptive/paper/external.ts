/** External interference: Table I, Figs 2 and 3. */

import { coefficientOfVariation, mean, quantile, sorted } from "../../base/statistics.ts";
import { HOURLY, type Hourly, hourlySeries } from "../sim/experiments/plans.ts";
import { type Check, type Evidence, judged, offBy, offValue, percent, worst } from "./check.ts";

const PUBLISHED: Readonly<Record<Hourly["id"], { row: string; mean: number; sd: number; cov: number }>> = {
  jaguar: { row: "E1", mean: 17800, sd: 10700, cov: 0.6009 },
  franklin: { row: "E2", mean: 6220, sd: 2500, cov: 0.4022 },
  "xtp two jobs": { row: "E3", mean: 789, sd: 344, cov: 0.4368 },
  "xtp one job": { row: "E4", mean: 1440, sd: 128, cov: 0.0886 },
};

const testsOf = (evidence: Evidence, line: Hourly) => evidence.samples(hourlySeries(line, 0, 0));
const JAGUAR = HOURLY[0];

function tableChecks(line: Hourly): Check[] {
  const published = PUBLISHED[line.id];
  const common = {
    row: published.row,
    place: "Table I, Fig 2",
    method: `${line.writers} writers of 128 MB on ${line.targets} targets of ${line.machine}, a file each`,
    weight: 1.5,
  };
  const speeds = (evidence: Evidence) => testsOf(evidence, line).map((one) => one.bandwidth);
  return [
    {
      ...common,
      id: `${published.row} mean`,
      claim: `${line.id}: mean bandwidth of hourly tests`,
      published: `${published.mean} MB/s`,
      tolerance: "10 %",
      judge: (evidence) => {
        const value = mean(speeds(evidence));
        return judged([value], `${value.toFixed(0)} MB/s`, offValue(value, published.mean, 0.1));
      },
    },
    {
      ...common,
      id: `${published.row} CoV`,
      claim: `${line.id}: coefficient of variation of hourly tests`,
      published: `${(100 * published.cov).toFixed(2)} %`,
      tolerance: "10 points",
      judge: (evidence) => {
        const value = coefficientOfVariation(speeds(evidence), 1);
        return judged([value], percent(value), offBy(value, published.cov, 0.1));
      },
    },
  ];
}

const imbalances = (evidence: Evidence) => sorted(testsOf(evidence, JAGUAR).map((one) => one.imbalance));

export const EXTERNAL: readonly Check[] = [
  ...HOURLY.flatMap(tableChecks),
  {
    id: "E5 mean",
    row: "E5",
    place: "II.2",
    claim: "mean imbalance factor (slowest over fastest write time) of all tests",
    published: "7.12",
    tolerance: "25 %",
    method: "hourly tests of Jaguar",
    weight: 1.5,
    judge: (evidence) => {
      const value = mean(imbalances(evidence));
      return judged([value], value.toFixed(2), offValue(value, 7.12, 0.25));
    },
  },
  {
    id: "E5 tests",
    row: "E5",
    place: "II.2, Fig 3",
    claim: "two tests three minutes apart had factors of 3.44 and 1.86: neither is rare",
    published: "1.86 and 3.44",
    tolerance: "both between the 5 % and the 95 % quantile",
    method: "hourly tests of Jaguar",
    weight: 1,
    judge: (evidence) => {
      const all = imbalances(evidence);
      const low = quantile(all, 0.05);
      const high = quantile(all, 0.95);
      const simulated = `${low.toFixed(2)} to ${high.toFixed(2)}, median ${quantile(all, 0.5).toFixed(2)}`;
      const misfit = worst([0, 1 + Math.log(low / 1.86) / 0.1, 1 + Math.log(3.44 / high) / 0.1]);
      return judged([low, high], simulated, misfit);
    },
  },
];
