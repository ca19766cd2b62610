import type { Section } from "../../../model/index.ts";
import { formatMany } from "../../../base/units.ts";
import { needsText } from "../facts.ts";
import type { ReportInput } from "../input.ts";
import { pictured } from "../pictures/index.ts";
import type { Unjudged } from "../rule.ts";

export function findings({ verdicts, job }: ReportInput): Section {
  const { quiet, unjudged } = verdicts;
  const found = verdicts.findings.map((finding) => pictured(job, finding));
  const applied = quiet.length + found.length;
  const none =
    job.files.length === 0
      ? "The log has no I/O, so no rule applies."
      : applied === 0
        ? "No rule could be applied to this input."
        : `None of the ${quiet.length} applicable rules found a problem.`;
  return {
    id: "findings",
    title: "Causes, by cost",
    foot: `${applied === 0 ? "" : `${formatMany(applied, "rule was", "rules were")} applied: ${found.length === 0 ? "none found anything" : `${found.length} found something`}. `}${unjudgedText(unjudged, applied === 0 ? "" : "other ")}plimsoll findings --list explains them all.`,
    blocks: [{ kind: "findings", findings: found, none }],
  };
}

/** Each kind of missing data with the number of rules that need it, the most needed first. */
export function unjudgedText(unjudged: readonly Unjudged[], other = "other "): string {
  if (unjudged.length === 0) return "";
  const rules = new Map<string, number>();
  for (const { lacks } of unjudged)
    for (const group of lacks) {
      const data = needsText([group], "");
      rules.set(data, (rules.get(data) ?? 0) + 1);
    }
  const list = [...rules]
    .sort(([, a], [, b]) => b - a)
    .map(([data, count], at) => `${data} (${at === 0 ? formatMany(count, "rule") : count})`);
  const rest = formatMany(unjudged.length, `${other}rule needs`, `${other}rules need`);
  return `${rest} data that the log does not have: ${list.join(", ")}. `;
}
