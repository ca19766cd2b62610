/** A file that keeps the records of runs, one per line, for comparison. */
import { readFileSync } from "node:fs";
import { FormatError } from "../../../base/errors.ts";
import type { WriteRun } from "../../../model/index.ts";
import { recordJson, type StepRecord } from "./run-record.ts";
import { appendFile } from "../../../node/write-file.ts";

const NUMBERS = ["bytes", "start", "end"] as const;
const WHOLE = ["rank", "block", "target"] as const;

export function addRun(path: string, record: StepRecord): void {
  appendFile(path, recordJson(record));
}

/** All runs of a file, or the one that a dataset keeps of its last. */
export function readRuns(path: string): WriteRun[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line, i) => (line.trim() === "" ? [] : [runOfLine(line, path, i + 1)]));
}

function runOfLine(text: string, path: string, line: number): WriteRun {
  const fail = (detail: string): never => {
    throw new FormatError(path, { line }, `${detail}; expected a run as plimsoll write leaves it`);
  };
  let found: { version?: unknown; run?: Partial<WriteRun> } | null;
  try {
    found = JSON.parse(text) as typeof found;
  } catch (error) {
    return fail((error as Error).message);
  }
  const run = found?.run;
  if (found?.version !== 1 || typeof run !== "object" || run === null)
    return fail("no run, or of a version that is not 1");
  const columns = (run.ops ?? {}) as unknown as Record<string, unknown>;
  const column = (name: string): number[] => {
    const values = columns[name];
    if (!Array.isArray(values) || !values.every((one) => typeof one === "number"))
      return fail(`the column ${name} is missing`);
    return values as number[];
  };
  const [rank, block, target] = WHOLE.map((name) => Int32Array.from(column(name)));
  const [bytes, start, end] = NUMBERS.map((name) => Float64Array.from(column(name)));
  const flags = Uint8Array.from(column("flags"));
  const all = { rank, block, target, bytes, start, end, flags };
  if (Object.values(all).some((one) => one?.length !== flags.length)) fail("columns of different lengths");
  for (const name of ["label", "title", "policy", "outcome"] as const)
    if (typeof run[name] !== "string") fail(`${name} is missing`);
  for (const name of ["writers", "targets", "bytes", "seconds"] as const)
    if (!(typeof run[name] === "number" && run[name] >= 0)) fail(`${name} is missing`);
  const ops = { count: flags.length, ...all } as WriteRun["ops"];
  // What is not a number has no form in JSON.
  return { ...(run as WriteRun), commitSeconds: run.commitSeconds ?? Number.NaN, ops };
}
