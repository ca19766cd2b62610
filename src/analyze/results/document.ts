/** Results of benchmarks as a document. */
import { csvText } from "../../base/csv.ts";
import { formatBytes, formatCount } from "../../base/units.ts";
import {
  type Block,
  type Cell,
  type Document,
  type Figure,
  type FoundRankTimes,
  type FoundResult,
  type Section,
  type ShortColumn,
  table,
} from "../../model/index.ts";
import { caseName, casesOf, type ComparedCase, compareCases, type ResultCase } from "./cases.ts";
import { type StragglerGroup, stragglersOf } from "./stragglers.ts";

interface ResultSet {
  readonly results: readonly FoundResult[];
  readonly rankTimes: readonly FoundRankTimes[];
  readonly files: number;
  readonly others: number;
}

interface ResultsInput {
  readonly set: ResultSet;
  /** The result set to compare with. */
  readonly before?: ResultSet;
  readonly command: string;
  readonly madeBy: string;
}

const ROWS_MAX = 2000;
const BARS_MAX = 24;

const RESULT_COLUMNS: readonly ShortColumn[] = [
  ["benchmark", "Benchmark", "text", "Benchmark program."],
  ["version", "Version", "text", "Version as the program writes it."],
  ["case", "Case", "text", "Case, job, label or API."],
  ["operation", "Operation", "text", "Operation."],
  ["nodes", "Nodes", "count", "Nodes."],
  ["ranks", "Ranks", "ranks", "Processes or threads."],
  ["transfer_bytes", "Transfer", "bytes", "Bytes of one call."],
  ["block_bytes", "Block", "bytes", "Bytes of a rank in a file, or size of a file."],
  ["bytes", "Bytes", "bytes", "Bytes moved."],
  ["seconds", "Seconds", "seconds", "Time of the operation; mean over repetitions."],
  ["bytes_per_second", "Bandwidth", "bytes/s", "Mean over repetitions."],
  ["calls_per_second", "Operations", "calls/s", "Calls, files or samples per second; mean over repetitions."],
  ["repetitions", "Repetitions", "count", "Number of repetitions."],
  [
    "min",
    "Min",
    "none",
    "Smallest rate of a repetition: bytes/s where there is a bandwidth, else operations/s.",
  ],
  ["mean", "Mean", "none", "Mean of these rates."],
  ["max", "Max", "none", "Largest of these rates."],
  ["start_time", "Start", "text", "Time stamp in the result file."],
  ["file", "File", "text", "Where it was read."],
];

const cell = (value: number): Cell => (Number.isFinite(value) ? value : null);

function resultRow(result: FoundResult): Cell[] {
  const { benchmark, version, name, operation, repetitions, startTime, file } = result;
  const { nodes, ranks, transferBytes, blockBytes, bytes, seconds, bytesPerSecond, callsPerSecond } = result;
  return [
    ...[benchmark, version, name, operation],
    ...[nodes, ranks, transferBytes, blockBytes, bytes, seconds, bytesPerSecond, callsPerSecond].map(cell),
    ...[repetitions.count, repetitions.min, repetitions.mean, repetitions.max].map(cell),
    startTime,
    file,
  ];
}

/** One row per result. */
export const resultsCsv = (results: readonly FoundResult[]): string =>
  csvText([RESULT_COLUMNS.map(([key]) => key), ...results.map(resultRow)]);

export function resultsSummary({ set, before }: Pick<ResultsInput, "set" | "before">) {
  const rows = (results: readonly FoundResult[]) =>
    results.map((result) => {
      const cells = resultRow(result);
      return Object.fromEntries(RESULT_COLUMNS.map(([key], index) => [key, cells[index]]));
    });
  return {
    results: rows(set.results),
    stragglers: stragglersOf(set.rankTimes),
    ...{ files: set.files, otherFiles: set.others },
    ...(before === undefined
      ? {}
      : { before: rows(before.results), comparison: comparisonJson(set, before) }),
  };
}

function comparisonJson(set: ResultSet, before: ResultSet) {
  const { compared, unmatched } = compareCases(casesOf(before.results), casesOf(set.results));
  return {
    unmatched,
    cases: compared.map(({ before: old, after, ratio, least, most }) => ({
      ...{ benchmark: after.benchmark, case: after.name, operation: after.operation, unit: after.unit },
      ...{ before: old.spread, after: after.spread, ratio, least, most },
    })),
  };
}

export function resultsDocument({ set, before, command, madeBy }: ResultsInput): Document {
  const cases = casesOf(set.results);
  const comparison = before === undefined ? undefined : compareCases(casesOf(before.results), cases);
  const stragglers = stragglersOf(set.rankTimes);
  const sections = [
    comparison === undefined ? undefined : comparisonSection(comparison.compared, comparison.unmatched),
    casesSection(cases),
    stragglers.length === 0 ? undefined : stragglerSection(stragglers),
    allSection(set.results),
  ];
  return {
    title: "Benchmark results",
    facts: [
      { label: "Results", text: formatCount(set.results.length) },
      { label: "Files", text: formatCount(set.files) },
    ],
    verdict: comparison === undefined ? verdictOf(set, cases) : comparedVerdict(comparison.compared),
    sections: sections.filter((section): section is Section => section !== undefined),
    ...{ command, madeBy },
  };
}

function verdictOf({ results, files }: ResultSet, cases: readonly ResultCase[]): string {
  const names = [...new Set(results.map(({ benchmark }) => benchmark))];
  const words = (count: number, one: string) => `${formatCount(count)} ${one}${count === 1 ? "" : "s"}`;
  return `${words(results.length, "result")} of ${names.join(", ") || "no benchmark"} in ${words(files, "file")}, ${words(cases.length, "case")}.`;
}

/** A difference counts if the spreads do not overlap. */
function comparedVerdict(compared: readonly ComparedCase[]): string {
  const faster = compared.filter(({ least }) => least > 1).length;
  const slower = compared.filter(({ most }) => most < 1).length;
  return `Of ${formatCount(compared.length)} cases in both sets, ${formatCount(faster)} are faster and ${formatCount(slower)} slower beyond their spread.`;
}

const SPREAD_COLUMNS: readonly ShortColumn[] = [
  ["case", "Case", "text", "Benchmark, case and operation."],
  ["transfer", "Transfer", "bytes", "Bytes of one call."],
  ["results", "Results", "count", "Results of this case."],
  ["repetitions", "Repetitions", "count", "Repetitions of all these results."],
];

function casesSection(cases: readonly ResultCase[]): Section {
  const blocks = (["bytes/s", "calls/s"] as const).flatMap((unit): Block[] => {
    const own = cases.filter((one) => one.unit === unit && Number.isFinite(one.spread.mean));
    if (own.length === 0) return [];
    const id = unit === "bytes/s" ? "bandwidth" : "operations";
    const columns: ShortColumn[] = [
      ...SPREAD_COLUMNS,
      ["min", "Min", unit, "Smallest of all repetitions."],
      ["mean", "Mean", unit, "Mean of all repetitions."],
      ["max", "Max", unit, "Largest of all repetitions."],
    ];
    const rows = own.map(({ spread, results, ...one }) => [
      ...[caseName(one), cell(one.transferBytes), results.length, spread.count],
      ...[cell(spread.min), cell(spread.mean), cell(spread.max)],
    ]);
    const shown = rows.slice(0, ROWS_MAX);
    return [
      { kind: "figure", figure: barsFigure(id, own, unit) },
      table(
        `results-${id}`,
        unit === "bytes/s" ? "Bandwidth by case" : "Operations per second by case",
        columns,
        shown,
        rows.length,
      ),
    ];
  });
  return {
    id: "cases",
    title: "Cases",
    intro: "One row per case, over all its results and repetitions.",
    blocks,
  };
}

function barsFigure(id: string, cases: readonly ResultCase[], unit: ResultCase["unit"]): Figure {
  const shown = cases.slice(0, BARS_MAX);
  const left = cases.length - shown.length;
  return {
    id: `results-${id}`,
    title: unit === "bytes/s" ? "Bandwidth" : "Operations per second",
    caption: `Mean over repetitions, whiskers from min to max.${left > 0 ? ` The first ${BARS_MAX} of ${cases.length} cases.` : ""}`,
    summary: `${shown.length} cases as bars with whiskers.`,
    definition: "R01@1",
    options: {},
    chart: {
      ...{ kind: "bars", direction: "horizontal", stacked: false, categoryLabel: "case" },
      categories: shown.map((one) => barName(one)),
      value: { label: unit === "bytes/s" ? "bandwidth" : "operations per second", unit },
      series: [
        {
          ...{ name: "mean", role: "neutral" },
          values: shown.map(({ spread }) => spread.mean),
          low: shown.map(({ spread }) => spread.min),
          high: shown.map(({ spread }) => spread.max),
        },
      ],
    },
  };
}

function comparisonSection(compared: readonly ComparedCase[], unmatched: number): Section {
  const columns: ShortColumn[] = [
    ["case", "Case", "text", "Benchmark, case and operation."],
    ["unit", "Unit", "text", "Unit of the rates."],
    ["before", "Before", "none", "Mean rate of the first set."],
    ["after", "After", "none", "Mean rate of the second set."],
    ["ratio", "Ratio", "ratio", "Ratio of the means, after / before."],
    ["least", "At least", "ratio", "Smallest after / largest before."],
    ["most", "At most", "ratio", "Largest after / smallest before."],
  ];
  const rows = compared.map(({ before, after, ratio, least, most }) => [
    ...[caseName(after), after.unit, cell(before.spread.mean), cell(after.spread.mean)],
    ...[cell(ratio), cell(least), cell(most)],
  ]);
  return {
    ...{ id: "comparison", title: "Comparison" },
    intro: "A case counts as faster or slower if its spreads do not overlap.",
    blocks: [table("results-comparison", "Cases in both sets", columns, rows)],
    ...(unmatched > 0 ? { foot: `${formatCount(unmatched)} cases are in only one set.` } : {}),
  };
}

function stragglerSection(stragglers: readonly StragglerGroup[]): Section {
  const columns: ShortColumn[] = [
    ["case", "Benchmark", "text", "Benchmark and operation."],
    ["ranks", "Ranks", "ranks", "Ranks with a time."],
    ["median", "Median", "seconds", "Time of the median rank."],
    ["slowest", "Slowest", "seconds", "Time of the slowest rank."],
    ["rank", "Rank", "index", "The slowest rank."],
    ["ratio", "Ratio", "ratio", "Slowest / median."],
    ["late", "Late", "ranks", "Ranks that took at least 1.5 times the median."],
    ["file", "File", "text", "Where the times are."],
  ];
  const rows = stragglers.map((one) => [
    ...[`${one.benchmark} ${one.operation}`, one.ranks, one.medianSeconds, one.slowestSeconds],
    ...[one.slowestRank, one.ratio, one.late, one.file],
  ]);
  return {
    ...{ id: "stragglers", title: "Slowest ranks" },
    intro: "Where the benchmark wrote the time of each rank: everybody waits for the slowest.",
    blocks: [
      table("results-stragglers", "Largest ratio first", columns, rows.slice(0, ROWS_MAX), rows.length),
    ],
  };
}

function allSection(results: readonly FoundResult[]): Section {
  const rows = results.slice(0, ROWS_MAX).map(resultRow);
  const block = table("results", "All results", RESULT_COLUMNS, rows, results.length);
  return { id: "results", title: "Results", blocks: [{ ...block, searchable: true }], detail: true };
}

/** Cases of one name differ by their transfer size. */
function barName(one: ResultCase): string {
  const { transferBytes } = one;
  const isKnown = transferBytes !== null && transferBytes !== undefined && transferBytes > 0;
  return isKnown ? `${caseName(one)}, ${formatBytes(transferBytes)}` : caseName(one);
}
