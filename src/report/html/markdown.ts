/** A finding as Markdown, for a ticket or a mail. */
import { formatSize } from "../../base/units.ts";
import type { Finding, Unit } from "../../model/index.ts";
import { shortenMiddle } from "../../plot/index.ts";
import { visible, visibleLines } from "./escape.ts";
import { SEVERITY_WORDS } from "./words.ts";

export function findingMarkdown(finding: Finding, format: (value: number, unit: Unit) => string): string {
  const { evidence } = finding;
  const lines = [
    `### ${SEVERITY_WORDS[finding.severity]}: ${plain(finding.title)} (${code(finding.id)})`,
    "",
  ];
  lines.push(plain(finding.statement), "");
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
