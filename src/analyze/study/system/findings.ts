/** The observations of the paper, judged for this site. */
import type { ItemResult, Published } from "./item.ts";
import { observations } from "./observations.ts";
import type { StudyFinding } from "../common/finding.ts";
import { judgedFinding, keyedNumbers } from "../common/judge.ts";
import type { Prepared } from "./prepare.ts";

/** Quartz has minutes; with another cluster's name Cab may be meant. */
const printedNumber = ({ cab, quartz }: Published, cluster: string): number | undefined =>
  cluster.toLowerCase() === "cab" ? (cab ?? quartz) : (quartz ?? cab);

export function judge(prepared: Prepared, results: Readonly<Record<string, ItemResult>>): StudyFinding[] {
  const numbers = keyedNumbers(results, (printed) => printedNumber(printed, prepared.options.cluster));
  return observations(prepared, numbers.value).map((draft) => judgedFinding(draft, numbers));
}
