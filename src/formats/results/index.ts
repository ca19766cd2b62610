/** Results of benchmarks in the catalogue of inputs: which file is what, by its content. */
import type { InputFormat } from "../input-format.ts";
import { fioJson } from "./fio.ts";
import { io500Result, io500Summary } from "./io500.ts";
import { iorCsv, iorJson, iorRanks, iorText } from "./ior.ts";
import { mdtestRanks, mdtestText } from "./mdtest.ts";
import { dlioSummary, elbenchoCsv } from "./others.ts";

export type { ReadResults } from "./result.ts";

export const results: readonly InputFormat[] = [
  ...[iorText, iorJson, iorCsv, iorRanks, mdtestText, mdtestRanks],
  ...[io500Result, io500Summary, fioJson, elbenchoCsv, dlioSummary],
].map(({ id, label, recognizes, read }) => ({
  ...{ id, label, results: read },
  recognizes: (head) => recognizes(new TextDecoder().decode(head)),
}));

/** Enough for what stands before: warnings of a launcher, a banner, a long list of nodes. */
export const RESULT_HEAD_BYTES = 64 * 1024;
