/** A file that keeps the records of runs, one per line, for comparison. */
import { readFileSync } from "node:fs";
import { FormatError } from "../../../base/errors.ts";
import { Operation, type WriteCalls, type WriteRun } from "../../../model/index.ts";
import { flagsFromStored, recordJson, type StepRecord } from "./run-record.ts";
import { appendFile } from "../../../node/write-file.ts";

export function addRun(path: string, record: StepRecord): void {
  appendFile(path, recordJson(record));
}

/** All runs of a file, or the last run that a dataset keeps. */
export function readRuns(path: string): WriteRun[] {
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line, i) => (line.trim() === "" ? [] : [runOfLine(line, path, i + 1)]));
}

function runOfLine(text: string, path: string, line: number): WriteRun {
  const fail = (detail: string): never => {
    throw new FormatError(path, { line }, `${detail}; expected a run record of plimsoll write`);
  };
  let found: { version?: unknown; run?: Partial<WriteRun> & { ops?: Record<string, unknown> } } | null;
  try {
    found = JSON.parse(text) as typeof found;
  } catch (error) {
    return fail((error as Error).message);
  }
  if (found?.version !== 1 || typeof found.run !== "object" || found.run === null)
    return fail("no run record, or not of version 1");
  const { ops: columns, ...run } = found.run;
  const column = (name: string): number[] => {
    const values = columns?.[name];
    if (!Array.isArray(values) || !values.every((one) => typeof one === "number"))
      return fail(`the column ${name} is missing`);
    return values as number[];
  };
  const nanoseconds = (name: string) => Float64Array.from(column(name), (one) => Math.round(1e9 * one));
  const all = {
    process: Uint32Array.from(column("rank")),
    owner: Uint32Array.from(column("block")),
    file: Uint32Array.from(column("target")),
    bytes: Float64Array.from(column("bytes")),
    startNs: nanoseconds("start"),
    endNs: nanoseconds("end"),
    flags: Uint8Array.from(column("flags"), flagsFromStored),
    offset: Float64Array.from(column("offset")),
  };
  const count = all.flags.length;
  if (Object.values(all).some((one) => one.length !== count)) fail("columns of different lengths");
  for (const name of ["label", "title", "policy", "outcome"] as const)
    if (typeof run[name] !== "string") fail(`${name} is missing`);
  for (const name of ["writers", "targets", "bytes", "seconds"] as const)
    if (!(typeof run[name] === "number" && run[name] >= 0)) fail(`${name} is missing`);
  const operation = new Uint8Array(count).fill(Operation.write);
  const calls: WriteCalls = { count, ...all, operation, layer: new Uint8Array(count) };
  // JSON has no NaN.
  return { ...(run as WriteRun), commitSeconds: run.commitSeconds ?? Number.NaN, calls };
}
