/**
 * The ten findings of the paper, judged for this centre. Each is one or more claims "this number lies beyond that bound",
 * put as weakly as the sentence of the paper allows. A claim holds when the number and its whole interval lie beyond the
 * bound, fails when both lie short of it, and is open when the interval covers the bound. A finding is confirmed when all its
 * claims hold, refuted when one fails, and insufficient when one is open or there is too little data to judge.
 */
import type { Cell } from "../../../model/index.ts";
import type { StudyFinding } from "../common/finding.ts";
import { type Draft, judgedFinding } from "../common/judge.ts";
import { itemAndKey, numberOf } from "../common/values.ts";
import type { Evidence } from "./findings/draft.ts";
import { f01, f02, f06 } from "./findings/files-and-runs.ts";
import { f03, f04, f05 } from "./findings/reuse.ts";
import { f07, f08, f09, f10 } from "./findings/storage.ts";
import { ostInterval } from "./intervals.ts";
import type { ItemResult } from "./item.ts";
import type { Prepared } from "./prepare.ts";

export type { Claim, Sensitivity, StudyFinding, Verdict } from "../common/finding.ts";

type Results = Readonly<Record<string, ItemResult>>;

const FINDINGS: readonly ((evidence: Evidence) => Draft)[] = [
  f01,
  f02,
  f03,
  f04,
  f05,
  f06,
  f07,
  f08,
  f09,
  f10,
];

export async function judgeFindings(prepared: Prepared, results: Results): Promise<StudyFinding[]> {
  const value = (key: string) => numberOf(results, key);
  const published = (full: string) => {
    const [item, key] = itemAndKey(full);
    const known = results[item]?.published[key];
    return known === undefined ? null : Number(known);
  };
  const evidence: Evidence = {
    options: prepared.options,
    ...(await prepared.intervals()),
    osts: await ostInterval(prepared),
    value,
    count: (item) => results[item]?.n ?? 0,
    settings: (list) => list.map(([setting, key]) => ({ setting, value: value(key), key })),
    tableSettings: (key, id, column) =>
      (results[itemAndKey(key)[0]]?.tables.find((one) => one.id === id)?.rows ?? []).map(
        (row: readonly Cell[]) => ({ setting: String(row[0]), value: Number(row[column]), key }),
      ),
  };
  return FINDINGS.map((finding) =>
    judgedFinding(finding(evidence), { value, published }, prepared.files > 0),
  );
}
