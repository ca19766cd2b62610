/** The ten findings of the paper, judged for this centre; each is put as weakly as the sentence of the paper allows. */
import type { Cell } from "../../../model/index.ts";
import type { StudyFinding } from "../common/finding.ts";
import { type Draft, judgedFinding, keyedNumbers } from "../common/judge.ts";
import { itemAndKey } from "../common/values.ts";
import type { Evidence } from "./findings/draft.ts";
import { f01, f02, f06 } from "./findings/files-and-runs.ts";
import { f03, f04, f05 } from "./findings/reuse.ts";
import { f07, f08, f09, f10 } from "./findings/storage.ts";
import { ostInterval } from "./intervals.ts";
import type { ItemResult } from "./item.ts";
import type { Prepared } from "./prepare.ts";

type Results = Readonly<Record<string, ItemResult>>;

const FINDINGS: readonly ((evidence: Evidence) => Draft)[] = [
  ...[f01, f02, f03, f04, f05],
  ...[f06, f07, f08, f09, f10],
];

export async function judgeFindings(prepared: Prepared, results: Results): Promise<StudyFinding[]> {
  const numbers = keyedNumbers(results, Number);
  const evidence: Evidence = {
    options: prepared.options,
    ...(await prepared.intervals()),
    osts: await ostInterval(prepared),
    value: numbers.value,
    count: (item) => results[item]?.n ?? 0,
    tableSettings: (key, id, column) =>
      (results[itemAndKey(key)[0]]?.tables.find((one) => one.id === id)?.rows ?? []).map(
        (row: readonly Cell[]) => [String(row[0]), key, Number(row[column])] as const,
      ),
  };
  return FINDINGS.map((finding) => judgedFinding(finding(evidence), numbers, prepared.files > 0));
}
