/**
 * IOR (https://ior.readthedocs.io): its text, its JSON, its CSV, and the CSV of single ranks. Columns are found by the names in the
 * header, since each release has its own set; facts stand before as "name : value", in old releases "name = value".
 */
import type { BenchmarkResult } from "../../model/index.ts";
import { at, listAt, looseJson, numberAt, textAt } from "./loose-json.ts";
import {
  bytesOf,
  csvRows,
  meanOf,
  MIB,
  numberOf,
  onlyResults,
  type ReadResults,
  repetitionsOf,
  type ResultFormat,
  resultOf,
} from "./result.ts";

/** One repetition. */
interface Turn {
  readonly operation: string;
  readonly mibPerSecond: number;
  readonly callsPerSecond: number;
  readonly seconds: number;
}

type Facts = Partial<BenchmarkResult> & {
  /** What all ranks move in a repetition that nothing cuts short. */
  readonly wholeBytes?: number;
};

function resultsOf({ wholeBytes, ...facts }: Facts, turns: readonly Turn[]): BenchmarkResult[] {
  const operations = [...new Set(turns.map(({ operation }) => operation))];
  return operations.map((operation) => {
    const own = turns.filter((turn) => turn.operation === operation);
    const rates = own.map(({ mibPerSecond }) => mibPerSecond * MIB);
    const seconds = meanOf(own.map((turn) => turn.seconds));
    const bytesPerSecond = meanOf(rates);
    return resultOf({
      benchmark: "IOR",
      ...facts,
      ...{ operation, seconds, bytesPerSecond },
      bytes: Math.round(meanOf(own.map((turn) => bytesOfTurn(turn, wholeBytes)))),
      callsPerSecond: meanOf(own.map((turn) => turn.callsPerSecond)),
      repetitions: repetitionsOf(rates),
    });
  });
}

/** Half of the last digit of `total(s)`. */
const SECONDS_ERROR = 0.00005;

/** Rate times seconds, which are rounded; where they allow it, the whole: a deadline (-D) ends a repetition before. */
function bytesOfTurn({ mibPerSecond, seconds }: Turn, wholeBytes = Number.NaN): number {
  const moved = mibPerSecond * MIB * seconds;
  const error = mibPerSecond * MIB * SECONDS_ERROR + moved * 1e-3;
  return Math.abs(moved - wholeBytes) <= error ? wholeBytes : moved;
}

export const iorText: ResultFormat = {
  id: "ior-text",
  label: "IOR output",
  recognizes: (head) => /^IOR-[^\n]*MPI Coordinated Test of Parallel I\/O/m.test(head),
  read(text) {
    const lines = text.split(/\r?\n/);
    const turns = turnsOf(lines);
    const results = resultsOf(factsOf(lines), turns.length > 0 ? turns : greatest(lines));
    return onlyResults(results);
  },
};

function factsOf(lines: readonly string[]): Facts {
  const facts = new Map<string, string>();
  for (const line of lines) {
    const match = /^\s*([A-Za-z][\w ]*?)\s*[:=]\s+(.+?)\s*$/.exec(line);
    const key = match?.[1]?.toLowerCase();
    if (key !== undefined && !facts.has(key)) facts.set(key, match?.[2] ?? "");
  }
  const first = (...keys: readonly string[]) =>
    keys.map((key) => facts.get(key)).find((value) => value !== undefined);
  // "120 (10 per node)" in old releases.
  const clients = /^(\d+)(?:\s*\((\d+) per node\))?/.exec(first("tasks", "clients") ?? "");
  const ranks = numberOf(clients?.[1]);
  const perNode = numberOf(clients?.[2] ?? first("clients per node"));
  const nodes = numberOf(first("nodes"));
  const blockBytes = bytesOf(first("blocksize"));
  return {
    version: /IOR-(\S+?):/.exec(lines.find((line) => line.startsWith("IOR-")) ?? "")?.[1] ?? "",
    ranks,
    nodes: Number.isNaN(nodes) ? Math.ceil(ranks / perNode) : nodes,
    transferBytes: bytesOf(first("xfersize")),
    blockBytes,
    wholeBytes: blockBytes * ranks * (numberOf(first("segments")) || 1),
    startTime: first("began", "run began", "starttime") ?? "",
    name: first("api")?.split(/[\s(]/)[0] ?? "",
  };
}

/** Rows of the table under "access bw(MiB/s) …". */
function turnsOf(lines: readonly string[]): Turn[] {
  let columns: string[] | undefined;
  const turns: Turn[] = [];
  for (const line of lines) {
    const words = line.trim().split(/\s+/);
    if (words[0] === "access" && words.some((word) => word.startsWith("bw("))) columns = words;
    else if (
      columns !== undefined &&
      /^(write|read)$/.test(words[0] ?? "") &&
      words.length >= columns.length
    ) {
      const of = (name: string) => numberOf(words[(columns as string[]).indexOf(name)]);
      turns.push({
        operation: words[0] as string,
        mibPerSecond: of("bw(MiB/s)"),
        callsPerSecond: columns.includes("IOPS") ? of("IOPS") : Number.NaN,
        seconds: of("total(s)"),
      });
    } else if (words[0] === "Summary" && turns.length > 0) break;
  }
  return turns.filter(({ mibPerSecond }) => !Number.isNaN(mibPerSecond));
}

/** "Max Write: 12.3 MiB/sec", where the table is missing. */
function greatest(lines: readonly string[]): Turn[] {
  return lines.flatMap((line) => {
    const match = /^\s*Max (Write|Read):\s+([\d.]+) MiB\/sec/.exec(line);
    if (match === null || Number(match[2]) === 0) return [];
    return [
      {
        operation: (match[1] as string).toLowerCase(),
        mibPerSecond: Number(match[2]),
        ...{ callsPerSecond: Number.NaN, seconds: Number.NaN },
      },
    ];
  });
}

export const iorJson: ResultFormat = {
  id: "ior-json",
  label: "IOR JSON result",
  recognizes: (head) =>
    /^[^{]*\{/.test(head) && /"tests"\s*:/.test(head) && /"Version"|"Command line"/i.test(head),
  read(text) {
    const document = looseJson(text);
    const results = listAt(document, "tests").flatMap((test) => {
      const options = at(test, "Options") ?? at(test, "Parameters");
      const option = (...keys: readonly string[]) =>
        keys.map((key) => textAt(options, key)).find((value) => value !== "") ?? "";
      const turns = listAt(test, "Results")
        .flat()
        .map((one) => ({
          operation: textAt(one, "access"),
          mibPerSecond: numberAt(one, "bwMiB"),
          callsPerSecond: numberAt(one, "iops"),
          seconds: numberAt(one, "totalTime"),
        }));
      const ranks = numberOf(option("tasks", "numTasks"));
      const blockBytes = bytesOf(textAt(test, "Parameters", "blockSize") || option("blocksize", "blockSize"));
      const facts = {
        ...{ ranks, blockBytes },
        version: textAt(document, "Version"),
        name: option("api"),
        wholeBytes: blockBytes * ranks * (numberOf(option("segments", "segmentCount")) || 1),
        nodes: numberOf(option("nodes", "numNodes")),
        transferBytes: bytesOf(option("xfersize", "transferSize")),
        startTime: textAt(test, "StartTime") || textAt(document, "Began"),
      };
      return resultsOf(
        facts,
        turns.filter(({ operation, mibPerSecond }) => operation !== "" && !Number.isNaN(mibPerSecond)),
      );
    });
    return onlyResults(results);
  },
};

export const iorCsv: ResultFormat = {
  id: "ior-csv",
  label: "IOR CSV result",
  recognizes: (head) => /^access,bw\(MiB\/s\),/m.test(head),
  read(text) {
    const from = text.search(/^access,bw\(MiB\/s\),/m);
    const rows = csvRows(text.slice(from)).filter((row) => /^(write|read)$/.test(row.access ?? ""));
    const [first] = rows;
    const kib = (column: string) => numberOf(first?.[column]) * 1024;
    const facts = {
      ranks: numberOf(first?.numTasks),
      transferBytes: kib("xfer(KiB)"),
      blockBytes: kib("block(KiB)"),
      wholeBytes: kib("block(KiB)") * numberOf(first?.numTasks),
    };
    const turns = rows.map((row) => ({
      operation: row.access ?? "",
      mibPerSecond: numberOf(row["bw(MiB/s)"]),
      callsPerSecond: numberOf(row.IOPS),
      seconds: numberOf(row["total(s)"]),
    }));
    return onlyResults(
      resultsOf(
        facts,
        turns.filter(({ mibPerSecond }) => !Number.isNaN(mibPerSecond)),
      ),
    );
  },
};

/** saveRankPerformanceDetailsCSV: a row per rank, repetition after repetition. */
export const iorRanks: ResultFormat = {
  id: "ior-ranks",
  label: "table of IOR rank times",
  recognizes: (head) => /^access,rank,runtime/.test(head),
  read(text): ReadResults {
    const rows = csvRows(text).filter((row) => !Number.isNaN(numberOf(row.runtime)));
    const operations = [...new Set(rows.map(({ access }) => access ?? ""))];
    const rankTimes = operations.flatMap((operation) => {
      const own = repetitionRows(rows.filter(({ access }) => access === operation));
      return own.map((turn, index) => ({
        benchmark: "IOR",
        operation: own.length === 1 ? operation : `${operation}, repetition ${index + 1}`,
        ranks: turn.map(({ rank }) => numberOf(rank)),
        seconds: turn.map(({ runtime }) => numberOf(runtime)),
      }));
    });
    return { results: [], rankTimes };
  },
};

/** No column tells the repetition; a rank that comes again begins the next. */
function repetitionRows(rows: readonly Record<string, string>[]): Record<string, string>[][] {
  const turns: Record<string, string>[][] = [];
  let seen = new Set<string>();
  for (const row of rows) {
    const rank = row.rank ?? "";
    if (turns.length === 0 || seen.has(rank)) {
      turns.push([]);
      seen = new Set();
    }
    seen.add(rank);
    turns.at(-1)?.push(row);
  }
  return turns;
}
