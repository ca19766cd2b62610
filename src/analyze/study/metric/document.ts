/** The study as a report: what the paper says beside what was measured here, set by set. */
import { formatCount } from "../../../base/units.ts";
import {
  type Block,
  type Cell,
  type Document,
  type Section,
  type TableBlock,
  table,
} from "../../../model/index.ts";
import type { Correlation, SetCorrelations } from "./correlation.ts";
import { setFigures, studyFigures } from "./figures.ts";
import type { MetricFinding } from "./findings.ts";
import { PUBLISHED, PUBLISHED_POINTS } from "./published.ts";
import { type Case, caseValue } from "./runs.ts";
import { METRIC_NAMES, METRICS, SETS, type SetId } from "./sets.ts";
import { verdictText } from "../common/sections.ts";
import { droppedOf, type MetricStudy, verdictOf } from "./study.ts";

export function studyDocument(study: MetricStudy, command: string, madeBy: string): Document {
  const { setting, runs, cases } = study;
  const overview = studyFigures(study).find(({ id }) => id === "overview");
  return {
    title: setting.simulated
      ? "I/O metrics against execution time, simulated"
      : "I/O metrics against execution time",
    facts: [
      { label: "Source", text: setting.simulated ? "simulated device model" : "measured here" },
      { label: "Sets", text: [...cases.keys()].join(", ") },
      { label: "Runs", text: formatCount(runs.length) },
      ...setting.machine,
    ],
    verdict: verdictOf(study),
    ...(overview === undefined ? {} : { figure: overview }),
    sections: [
      verdictSection(study),
      ...[...cases.keys()].map((set) => setSection(study, set)),
      methodSection(study),
      runsSection(study),
    ],
    command,
    madeBy,
  };
}

/** A normalised coefficient as people read it. */
export const ccText = (value: number | null): string =>
  value === null ? "–" : Number.isNaN(value) ? "not defined" : value.toFixed(2);

export const intervalText = ([low, high]: readonly [number, number]): string =>
  Number.isNaN(low) || Number.isNaN(high) ? "none" : `${ccText(low)} to ${ccText(high)}`;

/** The published number, or the direction where the paper gives no number. */
export const publishedText = ({ published, publishedDirection }: MetricFinding): string =>
  published === null ? `${publishedDirection} direction` : ccText(published);

export const directionText = (direction: MetricFinding["direction"]): string =>
  ({ expected: "as expected", wrong: "wrong", open: "not decided" })[direction];

function verdictSection(study: MetricStudy): Section {
  const { findings, options } = study;
  const blocks: Block[] = [];
  if (study.setting.simulated)
    blocks.push({
      kind: "notice",
      level: "warning",
      text: "Simulated: a device model with latency, bandwidth and queues made these numbers, not a storage system.",
      how: "Without --simulate the workloads run on this machine.",
    });
  blocks.push(
    findingsTable(
      "sets",
      "The paper's statement on each set, and on each metric over all sets. Values of a set are those of BPS; values over all sets are means.",
      findings.filter(({ kind }) => kind !== "metric"),
      study.setting.simulated,
    ),
  );
  return {
    id: "verdicts",
    title: "Verdicts",
    intro: `Correlation of each metric with execution time, normalised as in the paper: positive is the expected direction. Intervals cover ${formatPercent(options.level)} of ${formatCount(options.replicates)} draws of cases and their runs (seed ${options.seed}). A direction is decided when its interval excludes zero.`,
    blocks,
  };
}

const formatPercent = (share: number) => `${Number((100 * share).toPrecision(4))} %`;

function findingsTable(
  id: string,
  caption: string,
  findings: readonly MetricFinding[],
  simulated: boolean,
): TableBlock {
  const made = table(
    id,
    caption,
    [
      ["id", "Finding", "text", "C06, the set, and the metric."],
      ["statement", "In the paper", "text", "Direction in the paper."],
      ["verdict", "Here", "text", "confirmed (on a model: reproduced), refuted or insufficient."],
      ["published", "Published", "text", "Normalised coefficient in the paper's text."],
      ["measured", "Measured", "text", "Normalised coefficient, measured."],
      ["interval", "Interval", "text", "Bootstrap interval of the measured one."],
      ["reason", "Why", "text", "Reason of the verdict."],
      ["source", "Place", "text", "Section and figure of the paper."],
    ],
    findings.map((one) => [
      one.id,
      one.statement,
      verdictText(one.verdict, simulated),
      publishedText(one),
      ccText(one.measured),
      intervalText(one.interval),
      one.reason,
      one.source,
    ]),
  );
  // The place is for those who look it up: in the CSV, not in the way.
  return {
    ...made,
    columns: made.columns.map((column) => (column.key === "source" ? { ...column, hidden: true } : column)),
  };
}

function setSection(study: MetricStudy, set: SetId): Section {
  const { title, paper, like } = SETS[set];
  const { setting, findings } = study;
  const here = setting.workloads[set];
  const verdict = findings.find(({ id }) => id === `C06.${set}`) as MetricFinding;
  return {
    id: `set-${set}`,
    title: `Set ${set}: ${title.charAt(0).toLowerCase()}${title.slice(1)}`,
    intro: `In the paper: ${paper}.${here === undefined ? "" : ` Here, a workload ${like}: ${here}.`}`,
    blocks: [
      {
        kind: "notice",
        level: verdict.verdict === "confirmed" ? "note" : "warning",
        text: `Set ${set}: ${verdictText(verdict.verdict, study.setting.simulated)}. ${verdict.statement} ${verdict.reason}`,
      },
      findingsTable(
        `findings-${set}`,
        `Set ${set}, metric by metric.`,
        findings.filter((one) => one.kind === "metric" && one.set === set),
        study.setting.simulated,
      ),
      ...setFigures(study, set).map((figure): Block => ({ kind: "figure", figure })),
      casesTable(study, set),
      correlationTable(study, set),
      ...pointsBlocks(study, set),
    ],
    detail: true,
  };
}

function casesTable({ cases, options }: MetricStudy, set: SetId): TableBlock {
  const { varied } = SETS[set];
  const rows = (cases.get(set) as readonly Case[]).map((one): Cell[] => {
    const times = one.runs.map((run) => run.executionSeconds);
    return [
      one.label,
      one.runs.length,
      caseValue(one, "executionSeconds", options.average),
      Math.min(...times),
      Math.max(...times),
      ...METRIC_NAMES.map((metric) => caseValue(one, metric, options.average)),
      one.device,
    ];
  });
  return table(
    `cases-${set}`,
    `Cases of set ${set}: ${options.average}s over the runs of each.`,
    [
      ["case", varied, "text", "Varied parameter."],
      ["runs", "Runs", "count", "Repetitions."],
      ["seconds", "Execution time", "seconds", "Wall time of the workload."],
      ["least", "Least", "seconds", "Shortest run."],
      ["most", "Most", "seconds", "Longest run."],
      ...METRIC_NAMES.map(
        (metric) => [metric, METRICS[metric].label, METRICS[metric].unit, METRICS[metric].about] as const,
      ),
      ["device", "Device", "text", "Where the bytes came from."],
    ],
    rows,
  );
}

function correlationTable({ correlations }: MetricStudy, set: SetId): TableBlock {
  const of = correlations.sets.get(set) as SetCorrelations;
  const pair = ({ low, high }: Correlation["interval"]) => intervalText([low, high]);
  return table(
    `coefficients-${set}`,
    `Set ${set}: coefficients with execution time over ${of.bps.n} cases, normalised except the raw one.`,
    [
      ["metric", "Metric", "text", "Metric."],
      ["expected", "Expected", "text", "Sign of the raw coefficient in Table 1."],
      ["raw", "Raw", "text", "Pearson's coefficient, not normalised."],
      ["pearson", "Pearson", "text", "Positive: expected direction."],
      ["interval", "Interval", "text", "Cases and runs resampled."],
      ["noise", "Noise", "text", "Only runs resampled: machine noise alone."],
      ["spearman", "Spearman", "text", "Rank correlation: right order, whatever the shape."],
      ["spearmanInterval", "Interval of Spearman", "text", "Cases and runs resampled."],
      [
        "inverse",
        "Against 1/time",
        "text",
        "Pearson's with 1/time: linear for rates at a fixed amount of data.",
      ],
      ["published", "Published", "text", "Normalised Pearson coefficient of the paper."],
    ],
    METRIC_NAMES.map((metric): Cell[] => {
      const one = of[metric];
      return [
        METRICS[metric].label,
        METRICS[metric].expected > 0 ? "positive" : "negative",
        ccText(one.raw),
        ccText(one.pearson),
        pair(one.interval),
        pair(one.noiseInterval),
        ccText(one.spearman),
        pair(one.spearmanInterval),
        ccText(one.inverse),
        ccText(PUBLISHED[set][metric].value),
      ];
    }),
  );
}

const QUANTITIES = [
  ["iops", "IOPS", (value: number) => String(Number(value.toPrecision(6)))],
  ["arpt", "ARPT", (value: number) => `${Number((value * 1e6).toPrecision(4))} µs`],
  // As printed, not in minutes.
  ["executionSeconds", "Execution time", (value: number) => `${Number(value.toPrecision(4))} s`],
] as const;

/** Single values of the paper beside those of the same case here. */
function pointsBlocks({ cases, options }: MetricStudy, set: SetId): Block[] {
  const rows = PUBLISHED_POINTS.filter((point) => point.set === set).flatMap((point) => {
    const own = cases.get(set)?.find((one) => one.x === point.x);
    return QUANTITIES.flatMap(([key, name, text]): Cell[][] => {
      const printed = point[key];
      if (printed === undefined) return [];
      const here = own === undefined ? "not run" : text(caseValue(own, key, options.average));
      return [[point.label, name, text(printed), here, point.source]];
    });
  });
  if (rows.length === 0) return [];
  return [
    table(
      `points-${set}`,
      "Single values of the paper. It read 16 GB on other hardware, so only the trend is comparable.",
      [
        ["case", SETS[set].varied, "text", "Size of a record."],
        ["quantity", "Quantity", "text", "Published quantity."],
        ["paper", "Paper", "text", "Published value."],
        ["here", "Here", "text", "Measured value of the same case."],
        ["source", "Place", "text", "Section and figure of the paper."],
      ],
      rows,
    ),
  ];
}

function methodSection({ setting, options, runs }: MetricStudy): Section {
  const dropped = Object.entries(droppedOf(runs)).map(([reason, count]) => `${formatCount(count)} ${reason}`);
  const blocks: Block[] = [
    {
      kind: "text",
      text: "BPS is the number of 512-byte blocks that the application requested over T, the time with at least one access in progress. IOPS and bandwidth are over the same T; bandwidth counts the bytes that the file system moved, ARPT is the mean time of an access.",
    },
    {
      kind: "text",
      text: `${setting.simulated ? "Execution time ends with the last process of the model." : "Execution time is the wall time of the workload program by its own clock. Cases are run in random order after a warm-up."} The numbers of a case are ${options.average}s over its runs. For a fixed amount of data, execution time is proportional to 1/BPS, so over a wide range of cases Pearson's coefficient understates a perfect relation; Spearman's and the one with 1/time show whether that is the case.`,
    },
    ...setting.notes.map((text): Block => ({ kind: "notice", level: "note", text })),
    {
      kind: "text",
      text: "Method: S. He, X.-H. Sun, Y. Yin, BPS: A Performance Metric of I/O System, IPDPSW '13.",
    },
  ];
  if (dropped.length > 0)
    blocks.push({ kind: "notice", level: "warning", text: `Left out: ${dropped.join("; ")}.` });
  return { id: "method", title: "Method and conditions", blocks, detail: true };
}

function runsSection({ runs }: MetricStudy): Section {
  return {
    id: "runs",
    title: "All runs",
    intro: "Raw numbers in order of execution, as in runs.csv.",
    detail: true,
    blocks: [
      {
        ...table(
          "runs",
          "One row per execution of a workload.",
          [
            ["order", "No.", "index", "Place in the order of execution."],
            ["set", "Set", "text", "Experiment set."],
            ["case", "Case", "text", "Varied parameter."],
            ["repeat", "Repeat", "index", "From 1."],
            ["seconds", "Execution time", "seconds", "Wall time of the workload."],
            ["accesses", "Accesses", "count", "Of the application."],
            ["bytes", "Requested", "bytes", "Bytes requested by the application."],
            ["moved", "Moved", "bytes", "Bytes moved by the file system."],
            ["ioTime", "T", "seconds", "Union of the access times."],
            ...METRIC_NAMES.map(
              (metric) =>
                [metric, METRICS[metric].label, METRICS[metric].unit, METRICS[metric].about] as const,
            ),
            ["dropped", "Lost", "count", "Accesses that the recorder lost."],
          ],
          [...runs]
            .sort((a, b) => a.order - b.order)
            .map((run) => [
              run.order,
              run.set,
              run.label,
              run.repeat,
              run.executionSeconds,
              run.accesses,
              run.bytes,
              run.movedBytes,
              run.ioTimeSeconds,
              ...METRIC_NAMES.map((metric) => run[metric]),
              run.dropped,
            ]),
        ),
        searchable: true,
      },
    ],
  };
}
