/** mdtest: its text with the table of rates, and the CSV of single ranks. */
import { csvRows, numberOf, onlyResults, type ReadResults, type ResultFormat, resultOf } from "./result.ts";

/** "SUMMARY:", "SUMMARY rate:", "SUMMARY rate (in ops/sec):", by release. */
const RATES = /^SUMMARY(?! time)/;
/** Seconds in all releases, also where the title says ops/sec or ms/op: phases of 300 s have 300 there. */
const SECONDS = /^SUMMARY time/;

export const mdtestText: ResultFormat = {
  id: "mdtest-text",
  label: "mdtest output",
  recognizes: (head) => /mdtest-\S+ was launched with \d+ total task/.test(head),
  read(text) {
    const launched = /mdtest-(\S+) was launched with (\d+) total task\(s\) on (\d+) node/.exec(text);
    const [, version = "", ranks, nodes] = launched ?? [];
    const startTime = /-- started at (.+?) --/.exec(text)?.[1] ?? "";
    const facts = { benchmark: "mdtest", version, ranks: Number(ranks), nodes: Number(nodes), startTime };
    const seconds = new Map(table(text, SECONDS).map((row) => [row.operation, row.mean]));
    return onlyResults(
      table(text, RATES).map(({ operation, min, max, mean, count }) =>
        resultOf({
          ...facts,
          operation,
          callsPerSecond: mean,
          seconds: seconds.get(operation) ?? Number.NaN,
          repetitions: { count, min, mean, max },
        }),
      ),
    );
  },
};

interface Row {
  readonly operation: string;
  readonly max: number;
  readonly min: number;
  readonly mean: number;
  readonly count: number;
}

/** Rows of "Operation Max Min Mean", where newer releases have columns per rank before those per iteration. */
function table(text: string, title: RegExp): Row[] {
  const lines = text.split(/\r?\n/);
  const from = lines.findIndex((line) => title.test(line));
  if (from < 0) return [];
  const count = numberOf(/of (\d+) iterations/.exec(lines[from] as string)?.[1]);
  const rows: Row[] = [];
  let skipped = 0;
  for (const line of lines.slice(from + 1)) {
    if (/per Rank/.test(line)) skipped = 3;
    if (/^(SUMMARY|-- finished)/.test(line)) break;
    const match =
      /^\s+([A-Z][A-Za-z ()]*?)\s*:?\s+((?:[-\d.]+|NA|nan|inf)(?:\s+(?:[-\d.]+|NA|nan|inf))+)\s*$/.exec(line);
    const [max = Number.NaN, min = Number.NaN, mean = Number.NaN] = (match?.[2] ?? "")
      .trim()
      .split(/\s+/)
      .slice(skipped)
      .map(Number);
    // What was not run has a rate of zero.
    if (match !== null && max > 0 && mean > 0)
      rows.push({ operation: match[1] as string, max, min, mean, count });
  }
  return rows;
}

/** --saveRankPerformanceDetails: a row for all, then a row per rank; the columns of what was not run are empty. */
export const mdtestRanks: ResultFormat = {
  id: "mdtest-ranks",
  label: "table of mdtest rank times",
  recognizes: (head) => /^rank,items,rate-/.test(head),
  read(text): ReadResults {
    const rows = csvRows(text).filter(({ rank }) => /^\d+$/.test(rank ?? ""));
    const columns = Object.keys(rows[0] ?? {}).filter((name) => name.startsWith("time-"));
    const rankTimes = columns.flatMap((column) => {
      const own = rows.filter((row) => numberOf(row[column]) > 0);
      if (own.length === 0) return [];
      return [
        {
          ...{ benchmark: "mdtest", operation: column.slice("time-".length) },
          ranks: own.map(({ rank }) => numberOf(rank)),
          seconds: own.map((row) => numberOf(row[column])),
        },
      ];
    });
    return { results: [], rankTimes };
  },
};
