/** docs/analyses.md: what the analysis of a job can find, and by which limits. */
import { formatBytes } from "../../base/units.ts";
import type { Rule, Threshold } from "./rule.ts";
import { RULES } from "./rules/index.ts";

export const path = "docs/analyses.md";

export function generate(): string {
  const intro = `# What an analysis can find

Each rule looks at one job: the records of its files, its heat map and its traces, as far as the log has them. Made by
\`npm run docs\` from \`src/analyze/job/rules/\`; do not edit.

A finding is **high** when it costs much of the run, **warn** when it costs something or will at scale, **info** when it is
good to know; the rule decides by what it costs in this job. Where a log has not what a rule needs, the rule is listed as
not judged. A limit can be set with \`--threshold <finding>.<limit>=<value>\`. *Drishti* is the code of a similar check in
Drishti (github.com/hpc-io/drishti-io), whose limits are named where they differ. \`ours\` marks a limit that we chose; the
reason follows it.

`;
  return `${intro}${overview()}\n${RULES.map(section).join("\n")}`;
}

function overview(): string {
  const rows = RULES.map(({ id, title, drishti }) => `| [${id}](#${id}) | ${title} | ${drishti ?? ""} |`);
  return `| finding | title | Drishti |\n|---|---|---|\n${rows.join("\n")}\n`;
}

function section({ id, title, meaning, needs, thresholds, drishti }: Rule): string {
  const facts = [
    `Needs: ${needs.length === 0 ? "any log" : needs.map((group) => group.join(" or ")).join("; and ")}.`,
    drishti === undefined ? "" : `Drishti: ${drishti}.`,
  ];
  const rows = Object.entries(thresholds).map(
    ([name, threshold]) =>
      `| \`${name}\` | ${valueText(threshold)} | ${cell(threshold.meaning)} | ${cell(threshold.source)} |`,
  );
  const table =
    rows.length === 0
      ? ""
      : `\n| limit | value | of what | source |\n|---|---|---|---|\n${rows.join("\n")}\n`;
  return `## ${id}\n\n**${title}.** ${meaning}\n\n${facts.filter(Boolean).join(" ")}\n${table}`;
}

/** As a person would write it, in the unit that --threshold takes where that is not plain. */
function valueText({ value, unit }: Threshold): string {
  switch (unit) {
    case "share":
      return `${value} (${Number((100 * value).toPrecision(3))} %)`;
    case "bytes":
      return `${value} (${formatBytes(value)})`;
    case "seconds":
      return `${value} s`;
    case "ratio":
      return `${value}×`;
    case "none":
    case "count":
      return String(value);
    default:
      return `${value.toLocaleString("en-US")} ${unit}`;
  }
}

const cell = (text: string) => text.replaceAll("|", "\\|");
