/** A finding as Markdown, for a ticket or a mail. */
import { formatSize } from "../../base/units.ts";
import { type Document, type Finding, isNoCost, type Unit } from "../../model/index.ts";
import { shortenMiddle } from "../../plot/index.ts";
import { visible, visibleLines } from "./escape.ts";
import { costBasis } from "./findings.ts";
import { SEVERITY_WORDS } from "./words.ts";

export function findingMarkdown(finding: Finding, format: (value: number, unit: Unit) => string): string {
  const { evidence } = finding;
  const lines = [
    `### ${SEVERITY_WORDS[finding.severity]}: ${plain(finding.title)} (${code(finding.id)})`,
    "",
  ];
  lines.push(plain(finding.statement), "", `- Cost: ${costText(finding, format)}`);
  for (const { label, value, unit, of, size } of evidence.numbers) {
    const whole = of === undefined ? "" : ` of ${format(of, unit)}`;
    lines.push(
      `- ${plain(label)}: **${size && !Number.isNaN(value) ? formatSize(value) : format(value, unit)}**${whole}`,
    );
  }
  for (const file of evidence.files) lines.push(`- ${code(file.path)} – ${plain(file.note)}`);
  const more = evidence.filesTotal - evidence.files.length;
  if (more > 0) lines.push(`- … and ${more} more files`);
  if (evidence.ranks.length > 0) lines.push(`- Ranks: ${evidence.ranks.join(", ")}`);
  if (evidence.span) {
    const { startSeconds, endSeconds } = evidence.span;
    lines.push(
      `- Between ${format(startSeconds, "seconds")} and ${format(endSeconds, "seconds")} of the run`,
    );
  }
  for (const { name, value, unit, source } of finding.threshold) {
    lines.push(
      `- Threshold ${plain(name)}: ${unit === "bytes" ? formatSize(value) : format(value, unit)} (${plain(source)})`,
    );
  }
  lines.push("", `**What to change.** ${plain(finding.advice)}`, "");
  if (finding.snippet) lines.push(fenced(finding.snippet.code, finding.snippet.language), "");
  lines.push(`**Expected effect.** ${plain(finding.effect)}`, "");
  lines.push(`**Confidence: ${finding.confidence}.** ${plain(finding.confidenceReason)}`, "");
  return lines.join("\n");
}

/** `3.67 s, 90.5 % of the run (measured)`. */
function costText({ cost }: Finding, format: (value: number, unit: Unit) => string): string {
  if (cost.seconds === null) return `not known; ${plain(cost.model)}`;
  if (isNoCost(cost.seconds)) return `none; ${plain(cost.model)}`;
  const part = cost.shareOfRun === null ? "" : `, ${format(cost.shareOfRun, "share")} of the run`;
  const within = cost.within === null ? "" : `, in the time of ${code(cost.within)}, not added`;
  return `**${format(cost.seconds, "seconds")}**${part} (${costBasis(cost)}${within})`;
}

/** The first screen: headline, why, what to do, and the four answers. */
export function documentMarkdown({ title, verdict, answers }: Document): string {
  if (answers === undefined) return `## ${plain(title)}\n\n${plain(verdict)}\n`;
  const { headline, lead, blame, gain, change, sure } = answers;
  const word = { yes: "Yes. ", partly: "In part. ", no: "No. ", unknown: "" }[blame.answer];
  const level = sure.confidence === null ? "" : `${sure.confidence}. `;
  return [
    `## ${plain(headline)}`,
    "",
    plain(title),
    "",
    ...(lead.length > 0 ? [lead.map(plain).join(" "), ""] : []),
    `- I/O to blame? ${word}${plain(blame.text)}`,
    `- Gain: ${plain(gain.text)}`,
    `- Change first: ${plain(change.text)}`,
    `- How sure: ${level}${plain(sure.text)}`,
    "",
  ].join("\n");
}

/** Markup characters lose their meaning; a name stays the text it is. */
function plain(text: string): string {
  return shortenMiddle(visible(text), 2000).replace(/[\\`*_[\]<>|~#]/g, "\\$&");
}

function code(text: string): string {
  const shown = shortenMiddle(visible(text), 400);
  const fence = "`".repeat(longestRun(shown) + 1);
  const pad = shown.startsWith("`") || shown.endsWith("`") ? " " : "";
  return `${fence}${pad}${shown}${pad}${fence}`;
}

function fenced(text: string, language: string): string {
  const fence = "`".repeat(Math.max(3, longestRun(text) + 1));
  return `${fence}${language.replace(/[^a-z0-9]/gi, "")}\n${visibleLines(text)}\n${fence}`;
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map((run) => run[0].length));
}
