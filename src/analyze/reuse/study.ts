/** The whole study: all items, the verdicts on the ten findings, and the tables for later use. */
import type { TableBlock } from "../../model/document.ts";
import type { Queryable } from "../../model/query.ts";
import { judgeFindings, type StudyFinding } from "./findings.ts";
import type { ItemResult, StudyItem } from "./item.ts";
import { STUDY_ITEMS } from "./items.ts";
import type { ReuseOptions } from "./options.ts";
import { outputTables } from "./outputs.ts";
import { prepare } from "./prepare.ts";

export interface Study {
  readonly options: ReuseOptions;
  readonly items: Readonly<Record<string, ItemResult>>;
  readonly findings: readonly StudyFinding[];
  readonly outputs: readonly TableBlock[];
  /** Selected files; with none there is nothing to say. */
  readonly files: number;
  /** First and last start of accesses of selected files, seconds since 1970; NaN without any. */
  readonly fromUnix: number;
  readonly toUnix: number;
  /** Seconds per step, for those who wonder where the time goes. */
  readonly seconds: Readonly<Record<string, number>>;
}

export interface StudyWatch {
  /** Called after each step, with how many there are. */
  step?(done: number, of: number, name: string): void;
  /** Monotonic, in milliseconds; seconds are NaN without it. */
  now?(): number;
}

export async function runStudy(
  db: Queryable,
  options: ReuseOptions,
  { step, now = () => Number.NaN }: StudyWatch = {},
): Promise<Study> {
  const steps = STUDY_ITEMS.length + 3;
  const seconds: Record<string, number> = {};
  let done = 0;
  const timed = async <T>(name: string, work: () => Promise<T>): Promise<T> => {
    const began = now();
    const result = await work();
    seconds[name] = (now() - began) / 1000;
    step?.(++done, steps, name);
    return result;
  };
  const prepared = await timed("prepare", () => prepare(db, options));
  const items: Record<string, ItemResult> = {};
  for (const item of STUDY_ITEMS) items[item.id] = await timed(item.id, () => item.run(db, options));
  const findings = await timed("findings", () => judgeFindings(db, options, items));
  const outputs = await timed("outputs", () => outputTables(db, options));
  const known = prepared.firstNs > 0n;
  return {
    options,
    items,
    findings,
    outputs,
    files: prepared.files,
    fromUnix: known ? Number(prepared.firstNs) / 1e9 : Number.NaN,
    toUnix: known ? Number(prepared.lastNs) / 1e9 : Number.NaN,
    seconds,
  };
}

export const itemById = (id: string): StudyItem | undefined => STUDY_ITEMS.find((item) => item.id === id);
