import type { Section } from "../../../model/document.ts";
import type { ReportInput } from "../input.ts";

export function findings({ verdicts, job }: ReportInput): Section {
  const { findings: found, quiet, unjudged } = verdicts;
  const left =
    unjudged.length === 0
      ? ""
      : ` ${unjudged.length} could not be applied, since the log has no ${[...new Set(unjudged.map(({ missing }) => missing))].slice(0, 6).join(", no ")} data.`;
  const none =
    job.files.length === 0
      ? "The log holds no I/O, so there is nothing to judge."
      : `None of the ${quiet.length} rules that could be applied found a problem.`;
  return {
    id: "findings",
    title: "Findings",
    intro: `${quiet.length + found.length} rules were applied: ${found.length === 0 ? "none found anything" : `${found.length} found something`}.${left} plimsoll findings --list explains them all.`,
    blocks: [{ kind: "findings", findings: found, none }],
  };
}
