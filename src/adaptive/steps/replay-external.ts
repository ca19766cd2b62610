/** External interference: Table I, Figs 2 and 3. */
import { type Block, type Cell, type ReplayData, type Section, table } from "../../model/index.ts";
import { standardDeviation } from "../../base/statistics.ts";
import { formatMany } from "../../base/units.ts";
import { checkTable, figures, rowsOf } from "./replay-blocks.ts";
import { rangeOf, TABLE_1 } from "./replay-data.ts";
import { fig2, fig3, imbalanceOf } from "./replay-figures.ts";

export function externalSection(data: ReplayData): Section[] {
  const hourly = data.series.filter((one) => one.hourly);
  if (hourly.length === 0) return [];
  const rows = TABLE_1.flatMap((line): Cell[][] => {
    const series = hourly.find((one) => one.machine === line.machine && one.twoJobs === line.twoJobs);
    if (series === undefined) return [];
    const values = series.results.map(({ bandwidth }) => bandwidth);
    const { mean } = rangeOf(values);
    const sd = standardDeviation(values, 1);
    return [[line.name, line.tests, values.length, line.mean, mean, line.sd, sd, line.cov, sd / mean]];
  });
  const table1 = table(
    "table-1",
    "Table I: variation of hourly tests, published and simulated. MB/s.",
    [
      ["machine", "Machine", "text", "As in the paper."],
      ["tests", "Tests, published", "count", "In the paper."],
      ["tests-here", "simulated", "count", "Here."],
      ["mean", "Mean, published", "none", "MB/s, in the paper."],
      ["mean-here", "simulated", "none", "MB/s, here."],
      ["sd", "Standard deviation, published", "none", "MB/s, in the paper."],
      ["sd-here", "simulated", "none", "MB/s, here."],
      [
        "cov",
        "Variation, published",
        "share",
        "Standard deviation over mean; the paper's column is named covariance.",
      ],
      ["cov-here", "simulated", "share", "Here."],
    ],
    rows,
  );
  return [
    {
      id: "external",
      title: "External interference",
      intro:
        "The same test every hour, next to other load. The paper: bandwidth varies by 40 to 60 % on production machines, and by 9 % on a dedicated machine (II.2, Table I, Figs 2 and 3).",
      detail: true,
      blocks: [
        ...(data.parts.includes("table1") || data.parts.includes("fig2") ? [table1] : []),
        ...(data.parts.includes("table1") || data.parts.includes("fig2") ? figures(fig2(data), data) : []),
        ...pairText(data),
        ...figures(fig3(data), data),
        checkTable("checks-external", "Table I, Figs 2 and 3: published and simulated.", rowsOf(data, /^E/)),
      ],
    },
  ];
}

function pairText({ pairs }: ReplayData): Block[] {
  if (pairs.length === 0) return [];
  const changes = pairs.map(({ first, second }) => imbalanceOf(second) / imbalanceOf(first));
  const moved = changes.filter((change) => change > 1.25 || change < 0.8).length;
  const second = rangeOf(pairs.map((one) => imbalanceOf(one.second)));
  return [
    {
      kind: "text",
      text: `Two tests of the paper, three minutes apart, had imbalance factors of 3.44 and 1.86: interference comes and goes. Here ${formatMany(pairs.length, "test")} with factors near 3.44 were followed by a second one after 180 s on the same storage; the second had factors from ${second.low.toFixed(2)} to ${second.high.toFixed(2)}, and in ${moved} of ${pairs.length} pairs the factor changed by more than a quarter.`,
    },
  ];
}
