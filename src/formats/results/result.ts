/** What readers of benchmark results share. */
import { csvFields } from "../../base/csv.ts";
import type { BenchmarkResult, RankTimes, Repetitions } from "../../model/index.ts";

export interface ReadResults {
  readonly results: readonly BenchmarkResult[];
  readonly rankTimes: readonly RankTimes[];
}

/** A kind of file. */
export interface ResultFormat {
  readonly id: string;
  readonly label: string;
  recognizes(head: string): boolean;
  read(text: string): ReadResults;
}

const UNKNOWN: BenchmarkResult = {
  ...{ benchmark: "", version: "", name: "", operation: "", startTime: "" },
  ...{ nodes: Number.NaN, ranks: Number.NaN, transferBytes: Number.NaN, blockBytes: Number.NaN },
  ...{ bytes: Number.NaN, seconds: Number.NaN, bytesPerSecond: Number.NaN, callsPerSecond: Number.NaN },
  repetitions: { count: 1, min: Number.NaN, mean: Number.NaN, max: Number.NaN },
};

/** What is not named is not known. Repetitions are those of the rate, once, unless given. */
export function resultOf(known: Partial<BenchmarkResult>): BenchmarkResult {
  const result = { ...UNKNOWN, ...known };
  if (known.repetitions !== undefined) return result;
  const rate = Number.isNaN(result.bytesPerSecond) ? result.callsPerSecond : result.bytesPerSecond;
  return { ...result, repetitions: { count: 1, min: rate, mean: rate, max: rate } };
}

export function repetitionsOf(values: readonly number[]): Repetitions {
  return { count: values.length, min: Math.min(...values), mean: meanOf(values), max: Math.max(...values) };
}

export const meanOf = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

export const onlyResults = (results: readonly BenchmarkResult[]): ReadResults => ({ results, rankTimes: [] });

export const MIB = 2 ** 20;
const POWERS = "KMGTPE";

/** "64 MiB", "47008 bytes", "1.5g": powers of 1024, as IOR, fio and elbencho mean them. NaN for anything else. */
export function bytesOf(text: string | undefined): number {
  const match = /^\s*([\d.]+)\s*(?:([KMGTPE])i?B?|B|bytes?)?\s*$/i.exec(text ?? "");
  if (match === null) return Number.NaN;
  return Number(match[1]) * 1024 ** (match[2] === undefined ? 0 : POWERS.indexOf(match[2].toUpperCase()) + 1);
}

/** A number, or NaN for what a program writes when it has none: "-", "NA", nothing. */
export function numberOf(text: string | undefined): number {
  const trimmed = text?.trim() ?? "";
  return trimmed === "" ? Number.NaN : Number(trimmed);
}

/** Rows of a table with a header, as objects; quotes and blanks around fields are dropped. */
export function csvRows(text: string): Record<string, string>[] {
  const lines = text.split(/\r?\n/).filter((line) => line.trim() !== "" && !line.startsWith("#"));
  const cells = (line: string) => (csvFields(line) ?? line.split(",")).map((text) => text.trim());
  const [header = "", ...rest] = lines;
  const names = cells(header);
  return rest.map((line) => {
    const values = cells(line);
    return Object.fromEntries(names.map((name, index) => [name, values[index] ?? ""]));
  });
}
