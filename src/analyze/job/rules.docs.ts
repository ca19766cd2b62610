/** docs/analyses.md: what the analysis of a job can find, by which limits, and how its numbers are defined. */
import { needsText } from "./facts.ts";
import { formatSize } from "../../base/units.ts";
import { DEFINITIONS } from "./definitions.ts";
import type { Rule, Scale, Threshold } from "./rule.ts";
import { RULES, SCALES } from "./rules/index.ts";

export const path = "docs/analyses.md";

export function generate(): string {
  return [INTRO, overview(), severities(), definitions(), ...RULES.map(section)].join("\n");
}

const INTRO = `# What an analysis can find

Each rule looks at one job: the records of its files, its heat map and its traces, as far as the log has them. Made by
\`npm run docs\` from \`src/analyze/job/rules/\`; do not edit. How to add one: [add-a-rule](guides/add-a-rule.md).

Where a log has not what a rule needs, the rule is listed as not judged. A limit can be set with
\`--threshold <finding>.<limit>=<value>\`. One cause is reported once: a rule leaves a file to another that explains it
better, as long as that one speaks with the limits in use. *Drishti* is the code of a similar check in Drishti
(github.com/hpc-io/drishti-io), whose limits are named where they differ. \`ours\` marks a limit that we chose; the reason
follows it.

Sizes of calls, stripes, chunks and buffers have binary units (4 KiB), amounts and rates of data SI units (1.07 GB). A
sentence uses one of the two: where it names a size, its amounts are binary too.
`;

function overview(): string {
  const rows = RULES.map(
    ({ id, title, scale, drishti }) => `| [${id}](#${id}) | ${title} | ${range(scale)} | ${drishti ?? ""} |`,
  );
  return `## All rules

| finding | title | severity | Drishti |
|---|---|---|---|
${rows.join("\n")}
`;
}

/** `high to info`, `warn`. */
function range({ severities }: Scale): string {
  const [first, last] = [severities[0], severities.at(-1)];
  return first === last ? `${first}` : `${first} to ${last}`;
}

function severities(): string {
  const rows = SCALES.map(([name, { text }]) => `- *${name}*: ${text}`);
  return `## How severe

A finding is **high** when it costs much of the run, **warn** when it costs something or will at scale, **info** when it is
good to know. What it costs is judged in this job, on one of these scales; some rules have one of their own. The numbers
are ours, and \`src/analyze/job/rules/severity.ts\` gives the reason for each.

${rows.join("\n")}
`;
}

function definitions(): string {
  const rows = Object.values(DEFINITIONS).map(
    ({ id, title, text }) => `| ${id} | ${cell(title)} | ${cell(text)} |`,
  );
  return `## Definitions

Figures and numbers of a report name their definition. An id with its version never changes meaning.

| id | title | text |
|---|---|---|
${rows.join("\n")}
`;
}

function section({ id, title, meaning, needs, thresholds, scale, drishti }: Rule): string {
  const facts = [
    `Needs: ${needs.length === 0 ? "any log" : needsText(needs, "; and ")}.`,
    drishti === undefined ? "" : `Drishti: ${drishti}.`,
    `Severity: ${scaleText(scale)}`,
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

/** The name of a scale that rules share, or the words of the rule's own. */
function scaleText(scale: Scale): string {
  const shared = SCALES.find(([, one]) => one === scale);
  return shared === undefined ? scale.text : `[${shared[0]}](#how-severe).`;
}

/** As a person would write it, in the unit that --threshold takes where that is not plain. */
function valueText({ value, unit }: Threshold): string {
  switch (unit) {
    case "share":
      return `${value} (${Number((100 * value).toPrecision(3))} %)`;
    case "bytes":
      return `${value} (${formatSize(value)})`;
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
