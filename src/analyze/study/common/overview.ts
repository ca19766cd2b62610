/** What stands beside the headline of a study: how far each finding is from the paper. */
import type { Figure } from "../../../model/index.ts";
import type { StudyFinding } from "./finding.ts";

interface Near {
  readonly finding: StudyFinding;
  readonly ratio: number;
  readonly ends: readonly [number, number];
}

/** Of findings with a published number that a quotient can be taken of; with fewer than two there is nothing to see. */
export function overviewFigure(
  findings: readonly StudyFinding[],
  options: { readonly level: number; readonly seed: number },
): Figure | undefined {
  const near = findings.flatMap((finding): Near[] => {
    const { published, measured, interval } = finding;
    if (published === null || published === 0 || !Number.isFinite(measured)) return [];
    const [a, b] = interval.map((end) => end / published) as [number, number];
    return [{ finding, ratio: measured / published, ends: [Math.min(a, b), Math.max(a, b)] }];
  });
  if (near.length < 2) return undefined;
  const left = findings.filter((one) => !near.some(({ finding }) => finding === one)).map(({ id }) => id);
  const { finding: farthest, ratio } = near.reduce((a, b) => (distance(b.ratio) > distance(a.ratio) ? b : a));
  return {
    id: "overview",
    title: "Measured / published",
    caption: `Measured / published value of the number that decided each finding; whiskers are its interval.${left.length === 0 ? "" : ` Not drawn, since one of the two is missing: ${left.join(", ")}.`} Verdicts depend on their own bounds, not on this ratio.`,
    summary: `Farthest from the paper: ${farthest.id} (${farthest.title}), ${Number(ratio.toPrecision(2))} times the published number.`,
    definition: "findings@1",
    options: { level: options.level, seed: options.seed },
    chart: {
      kind: "bars",
      direction: "horizontal",
      stacked: false,
      categories: near.map(({ finding }) => `${finding.id} ${finding.title}`),
      categoryLabel: "finding",
      value: { label: "measured / published", unit: "none" },
      series: [
        {
          ...{ name: "here", role: "after" },
          values: near.map(({ ratio: value }) => value),
          low: near.map(({ ends }) => ends[0]),
          high: near.map(({ ends }) => ends[1]),
        },
      ],
      published: [{ value: 1, label: "paper" }],
    },
  };
}

/** As many times too much is as far as as many times too little; nothing, or the other sign, is farthest. */
const distance = (ratio: number): number =>
  ratio > 0 ? Math.abs(Math.log(ratio)) : Number.POSITIVE_INFINITY;
