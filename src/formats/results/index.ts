/** Results of benchmarks: which file is what, by its content. */
import { fioJson } from "./fio.ts";
import { io500Result, io500Summary } from "./io500.ts";
import { iorCsv, iorJson, iorRanks, iorText } from "./ior.ts";
import { mdtestRanks, mdtestText } from "./mdtest.ts";
import { dlioSummary, elbenchoCsv } from "./others.ts";
import type { ResultFormat } from "./result.ts";

export { results } from "./format.ts";
export type { ReadResults } from "./result.ts";

export const RESULT_FORMATS: readonly ResultFormat[] = [
  ...[iorText, iorJson, iorCsv, iorRanks, mdtestText, mdtestRanks],
  ...[io500Result, io500Summary, fioJson, elbenchoCsv, dlioSummary],
];

/** Enough for what stands before: warnings of a launcher, a banner, a long list of nodes. */
export const RESULT_HEAD_BYTES = 64 * 1024;

export const findResultFormat = (head: string): ResultFormat | undefined =>
  RESULT_FORMATS.find((format) => format.recognizes(head));
