/** One execution of a workload with what was measured, and cases: the executions that differ in nothing but luck. */
import { csvFields, csvText } from "../../../base/csv.ts";
import { FormatError } from "../../../base/errors.ts";
import { mean, quantile, sorted } from "../../../base/statistics.ts";
import { isSetId, METRIC_NAMES, type MetricName, SET_IDS, type SetId } from "./sets.ts";

export interface Run {
  readonly set: SetId;
  /** The varied value in words: "64 KiB", "disk, O_DIRECT". */
  readonly label: string;
  /** The varied value; for devices their place in the list. */
  readonly x: number;
  /** Where the bytes came from: "delay 1 ms + 64 MB/s". */
  readonly device: string;
  /** From 1. */
  readonly repeat: number;
  /** Place in the order in which the runs were made, from 1. */
  readonly order: number;
  /** Wall time of the workload, by its own clock. */
  readonly executionSeconds: number;
  readonly accesses: number;
  /** Asked for by the workload. */
  readonly bytes: number;
  readonly movedBytes: number;
  /** T of C02. */
  readonly ioTimeSeconds: number;
  readonly iops: number;
  readonly bandwidth: number;
  readonly arpt: number;
  readonly bps: number;
  /** Accesses that the recorder lost. */
  readonly dropped: number;
}

export interface Case {
  readonly set: SetId;
  readonly label: string;
  readonly x: number;
  readonly device: string;
  readonly runs: readonly Run[];
}

export type Average = "median" | "mean";

export const averageOf = (values: readonly number[], average: Average): number =>
  average === "mean" ? mean(values) : quantile(sorted(values), 0.5);

/** What is correlated. */
export type Measure = MetricName | "executionSeconds";

export const caseValue = ({ runs }: Case, measure: Measure, average: Average): number =>
  averageOf(
    runs.map((run) => run[measure]),
    average,
  );

/** Cases by set, in order of the varied value. Runs without any time of I/O have no metrics and are left out. */
export function casesOf(runs: readonly Run[]): Map<SetId, Case[]> {
  const bySet = new Map<SetId, Case[]>();
  for (const set of SET_IDS) {
    const cases = new Map<string, Run[]>();
    for (const run of runs) {
      if (run.set !== set || !isUsable(run)) continue;
      const key = `${run.x} ${run.label}`;
      const known = cases.get(key);
      if (known) known.push(run);
      else cases.set(key, [run]);
    }
    if (cases.size === 0) continue;
    const list = [...cases.values()].map((of): Case => {
      const { label, x, device } = of[0] as Run;
      return { set, label, x, device, runs: of.sort((a, b) => a.repeat - b.repeat) };
    });
    bySet.set(
      set,
      list.sort((a, b) => a.x - b.x),
    );
  }
  return bySet;
}

export const isUsable = (run: Run): boolean =>
  run.executionSeconds > 0 && METRIC_NAMES.every((name) => Number.isFinite(run[name]) && run[name] > 0);

const COLUMNS = [
  ["set", "text"],
  ["label", "text"],
  ["x", "number"],
  ["device", "text"],
  ["repeat", "number"],
  ["order", "number"],
  ["executionSeconds", "number"],
  ["accesses", "number"],
  ["bytes", "number"],
  ["movedBytes", "number"],
  ["ioTimeSeconds", "number"],
  ["iops", "number"],
  ["bandwidth", "number"],
  ["arpt", "number"],
  ["bps", "number"],
  ["dropped", "number"],
] as const satisfies readonly (readonly [keyof Run, "text" | "number"])[];

/** All runs as CSV (RFC 4180), in the order in which they were made. Numbers have every digit: a study reads them again. */
export function runsCsv(runs: readonly Run[], simulated = false): string {
  const [name, value] = simulated ? [["origin"], ["simulated"]] : [[], []];
  const inOrder = [...runs].sort((a, b) => a.order - b.order);
  const rows = inOrder.map((run) => [...COLUMNS.map(([key]) => String(run[key])), ...value]);
  return csvText([[...COLUMNS.map(([key]) => key), ...name], ...rows]);
}

/** The inverse of `runsCsv`; a bad line is a FormatError with its number. */
export function parseRunsCsv(text: string, source: string): Run[] {
  const [head = "", ...lines] = text.replace(/\r?\n$/, "").split(/\r?\n/);
  const names = csvFields(head) ?? [];
  const places = COLUMNS.map(([key]) => names.indexOf(key));
  const missing = COLUMNS.filter((_, i) => (places[i] as number) < 0).map(([key]) => key);
  if (missing.length > 0)
    throw new FormatError(
      source,
      { line: 1 },
      `no column ${missing.join(", ")}; expected runs.csv of a study`,
    );
  return lines.map((text, index) => {
    const line = index + 2;
    const row = csvFields(text);
    if (row === undefined) throw new FormatError(source, { line }, "a quoted field does not end at a comma");
    if (row.length !== names.length)
      throw new FormatError(source, { line }, `${row.length} fields, expected ${names.length}`);
    const run = Object.fromEntries(
      COLUMNS.map(([key, kind], i) => {
        const text = row[places[i] as number] as string;
        if (kind === "text") return [key, text];
        const value = Number(text);
        if (text.trim() === "" || !Number.isFinite(value))
          throw new FormatError(source, { line }, `${key} is ${text || "empty"}, expected a number`);
        return [key, value];
      }),
    ) as unknown as Run;
    if (!isSetId(run.set))
      throw new FormatError(source, { line }, `set ${run.set}: not one of ${SET_IDS.join(", ")}`);
    return run;
  });
}
