/** docs/analyses.md: what the analysis of a job can find, by which limits, and how its numbers are defined. */
import { needsText } from "./facts.ts";
import { formatSize } from "../../base/units.ts";
import { DEFINITIONS } from "./definitions.ts";
import { HIGH_SHARE, WARN_SECONDS, WARN_SHARE } from "./cost/cost.ts";
import type { Rule, Threshold } from "./rule.ts";
import { RULES } from "./rules/index.ts";

export const path = "docs/analyses.md";

export function generate(): string {
  return [INTRO, overview(), severities(), SCORE, definitions(), ...RULES.map(section)].join("\n");
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
  const rows = RULES.map(({ id, title, drishti }) => `| [${id}](#${id}) | ${title} | ${drishti ?? ""} |`);
  return `## All rules

| finding | title | Drishti |
|---|---|---|
${rows.join("\n")}
`;
}

function severities(): string {
  return `## Cost and severity

Findings are ordered by their cost: how much sooner the job would end without the cause. A job waits for its slowest rank,
so the I/O time that counts is that of the slowest rank in its own files, plus that of the slowest rank of each shared
file, in the layer that the program calls, and never more than the run. A cause names what it touches and what would
remain of its time; the cost is the difference. Costs overlap: a finding whose time a costlier one explains says so.

- **high** from ${100 * HIGH_SHARE} % of the run time on, **warn** from ${100 * WARN_SHARE} %, **info** below, and whenever it costs less than ${WARN_SECONDS} s.
- \`basis\`: *slowest-rank*, from recorded times; *estimated*, with a model that the finding names; *unknown*, when the log
  cannot tell. What is unknown is at most **warn** and never comes before a cause with a cost.
- Where only sums are recorded, time = a · calls + b · bytes is fitted over the job's records; where all of them have calls
  of one size, b is taken from the fastest transfer or assumed, and the finding says so.
`;
}

/** Of `npm run bench diagnosis`, on seeds that no rule was written against. */
const SCORE = `## How often it is right

\`PLIMSOLL_BENCH_SEED=900017,900019 PLIMSOLL_BENCH_JOBS=240 DRISHTI=… npm run bench diagnosis\`, seeds that nobody had looked at;
Drishti at commit 4493988 with PyDarshan at commit 45bcba8e. 208 jobs have a planted cause, 32 have none; 23 measured pairs and 3 controls are
real logs. Drishti does not rank its insights by cost and does not say what they cost: its column counts jobs whose main cause is among its HIGH insights.

| | counterfactual jobs | measured pairs |
|---|---|---|
| main cause first | 199 of 208 (95.7 %) | 23 of 23 |
| cost of it within a factor of 1.5 / of 2 | 183 / 196 of 208 | 23 / 23 of 23 |
| median error of the cost | 2 % and 1 % (by seed) | 7 % |
| jobs with a false high | 1 of 240 (0.4 %) | 0 of 26 |
| Drishti: cause among its HIGH insights | 80 of 208 | 10 of 23 |
| Drishti: other HIGH insights, also in jobs without a cause | 458 | 24 |

Causes that Drishti has no HIGH insight for (syncs, re-reads, many files, slow targets, one aggregator, amplification, fill values, chunk caches, data read
back) count against it. Wrong most often is ours with two causes of like size at once, where the other comes first.
`;

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

function section({ id, title, meaning, needs, thresholds, drishti }: Rule): string {
  const facts = [
    `Needs: ${needs.length === 0 ? "any log" : needsText(needs, "; and ")}.`,
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
