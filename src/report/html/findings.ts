/** Findings as cards: what is wrong, the numbers, where, what to change; how it was judged folds out. */
import { formatSize } from "../../base/units.ts";
import type { EvidenceFile, Finding } from "../../model/index.ts";
import { NOT_RECORDED } from "../../plot/index.ts";
import { attribute, escapeHtml, name, prose, visibleLines } from "./escape.ts";
import type { Links } from "./links.ts";
import type { HtmlParts } from "./parts.ts";
import { icon, SEVERITY_WORDS } from "./words.ts";

const FILES_FIRST = 3;
const RANKS_MAX = 24;

/** `index` is the finding's place among all of the page. */
export function findingHtml(finding: Finding, index: number, parts: HtmlParts, links: Links): string {
  const { severity } = finding;
  return `<article class="finding ${severity}" id="finding-${index}" data-severity="${severity}" data-finding="${index}">
<header><span class="badge ${severity}">${icon(severity)}${SEVERITY_WORDS[severity]}</span><h3>${prose(finding.title)}</h3><span class="rule">${prose(finding.id)}</span><span class="tools"></span></header>
<p class="statement">${prose(finding.statement)}</p>
${numbersHtml(finding, parts)}${whereHtml(finding, parts, links)}<div class="advice"><h4>What to change</h4>
<p>${prose(finding.advice)}</p>
${finding.snippet ? codeHtml(finding.snippet.code, finding.snippet.language) : ""}<p class="effect"><b>Expected effect</b> ${prose(finding.effect)}</p></div>
${judgedHtml(finding, parts, links)}</article>`;
}

export function codeHtml(code: string, language: string): string {
  return `<div class="code"><span class="language">${prose(language)}</span><span class="tools"></span><pre tabindex="0"><code>${escapeHtml(visibleLines(code))}</code></pre></div>\n`;
}

function numbersHtml({ evidence }: Finding, parts: HtmlParts): string {
  if (evidence.numbers.length === 0) return "";
  const items = evidence.numbers.map(({ label, value, unit, of, size }) => {
    if (Number.isNaN(value)) return `<div><dt>${prose(label)}</dt><dd><i>${NOT_RECORDED}</i></dd></div>`;
    const whole = of === undefined ? "" : ` <small>of ${escapeHtml(parts.format(of, unit))}</small>`;
    const exact = attribute(parts.exact(value, unit));
    return `<div><dt>${prose(label)}</dt><dd title="${exact}">${escapeHtml(size ? formatSize(value) : parts.format(value, unit))}${whole}</dd></div>`;
  });
  return `<dl class="numbers">${items.join("")}</dl>\n`;
}

function whereHtml({ evidence }: Finding, parts: HtmlParts, links: Links): string {
  const lines: string[] = [];
  if (evidence.files.length > 0) {
    lines.push(filesHtml(evidence.files.slice(0, FILES_FIRST), links));
    const more = evidence.filesTotal - Math.min(FILES_FIRST, evidence.files.length);
    if (more > 0)
      lines.push(
        `<p class="more">and ${more.toLocaleString("en")} more ${more === 1 ? "file" : "files"}</p>`,
      );
  }
  if (evidence.ranks.length > 0) lines.push(ranksHtml(evidence.ranks, links));
  if (evidence.span) {
    const { startSeconds, endSeconds } = evidence.span;
    const text = `${parts.format(startSeconds, "seconds")} to ${parts.format(endSeconds, "seconds")}`;
    const address = links.span(startSeconds, endSeconds);
    const place = address ? `<a href="${address}">${escapeHtml(text)} in the timeline</a>` : escapeHtml(text);
    lines.push(`<p class="span"><b>When</b> ${place}</p>`);
  }
  return lines.length > 0 ? `<div class="where">${lines.join("\n")}</div>\n` : "";
}

function filesHtml(files: readonly EvidenceFile[], links: Links): string {
  const items = files.map(({ fileId, path, note }) => {
    const address = links.file(fileId);
    const shown = address ? `<a href="${address}">${name(path, 72)}</a>` : name(path, 72);
    return `<li><span class="path">${shown}</span> <span class="note">${prose(note)}</span></li>`;
  });
  return `<ul class="files">${items.join("")}</ul>`;
}

function ranksHtml(ranks: readonly number[], links: Links): string {
  const some = ranks.slice(0, RANKS_MAX).map((rank) => {
    const address = links.rank(rank);
    return address ? `<a href="${address}">${rank}</a>` : String(rank);
  });
  const more = ranks.length - some.length;
  return `<p class="ranks"><b>${ranks.length === 1 ? "Rank" : "Ranks"}</b> ${some.join(", ")}${more > 0 ? ` and ${more.toLocaleString("en")} more` : ""}</p>`;
}

function judgedHtml(finding: Finding, parts: HtmlParts, links: Links): string {
  const rest = finding.evidence.files.slice(FILES_FIRST);
  const limits = finding.threshold.map(
    ({ name: what, value, unit, source }) =>
      `<li>${prose(what)}: <b title="${attribute(parts.exact(value, unit))}">${escapeHtml(unit === "bytes" ? formatSize(value) : parts.format(value, unit))}</b> <span class="note">${prose(source)}</span></li>`,
  );
  return `<details class="judged"><summary>How it was judged <span class="note">confidence ${finding.confidence}</span></summary>
<p><b>Confidence: ${finding.confidence}.</b> ${prose(finding.confidenceReason)}</p>
${limits.length > 0 ? `<h4>${limits.length === 1 ? "Threshold" : "Thresholds"}</h4><ul>${limits.join("")}</ul>` : ""}${
  rest.length > 0 ? `<h4>More files</h4>${filesHtml(rest, links)}` : ""
}</details>`;
}
