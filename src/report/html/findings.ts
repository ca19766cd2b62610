/** Causes as rows with their cost; a row opens to what to change, the evidence, and how it was judged. */
import { firstSentence } from "../../base/cut.ts";
import { formatCount, formatMany, formatSize } from "../../base/units.ts";
import {
  type Cost,
  type EvidenceFile,
  type EvidenceNumber,
  type Finding,
  isNoCost,
  type ThresholdUse,
  type Unit,
} from "../../model/index.ts";
import { NOT_RECORDED } from "../../plot/index.ts";
import { secondsText } from "./amounts.ts";
import { attribute, escapeHtml, name, prose, visibleLines } from "./escape.ts";
import type { Links } from "./links.ts";
import type { HtmlParts } from "./parts.ts";
import { severityHtml } from "./words.ts";

const FILES_FIRST = 3;
const RANKS_MAX = 24;

interface FindingPlace {
  /** The finding's place among all of the page. */
  readonly index: number;
  readonly isOpen: boolean;
  /** Of the finding that explains the same time. */
  readonly withinSeconds: number | undefined;
  /** Markup of its figure; empty where the page shows it elsewhere. */
  readonly figure: string;
}

export function findingHtml(finding: Finding, place: FindingPlace, parts: HtmlParts, links: Links): string {
  const { severity } = finding;
  const { index, isOpen } = place;
  const spark = finding.figure === undefined ? "" : parts.spark(finding.figure);
  return `<details class="finding cause ${severity}" id="finding-${index}" data-severity="${severity}" data-finding="${index}"${isOpen ? " open" : ""}>
<summary>${severityHtml(severity)}<span class="what"><b>${prose(finding.title)}</b> <span class="gist">${prose(firstSentence(finding.statement))}</span></span><span class="evid">${spark}</span>${costHtml(finding, place.withinSeconds)}<svg class="arr" viewBox="0 0 16 16" aria-hidden="true"><path d="M4 6l4 4 4-4"/></svg></summary>
<div class="opened"><div class="do"><p class="statement">${prose(finding.statement)}</p>
<h3>What to change</h3>
<p>${prose(finding.advice)}</p>
${finding.snippet ? codeHtml(finding.snippet.code, finding.snippet.language) : ""}<p class="effect"><b>Expected effect</b> ${prose(finding.effect)}</p>
${modelHtml(finding.cost)}<p class="finding-foot"><span class="rule">${prose(finding.id)}</span><span class="tools"></span></p></div>
<div class="proofs">${place.figure}${numbersHtml(finding, parts)}${whereHtml(finding, parts, links)}${judgedHtml(finding, parts, links)}</div></div></details>`;
}

/** What the seconds rest on, in a word or two. */
export function costBasis({ basis, atMost }: Pick<Cost, "basis" | "atMost">): string {
  if (atMost) return "at most";
  if (basis === "estimated") return "estimated";
  return basis === "unknown" ? "not known" : "measured";
}

function costHtml({ cost, severity }: Finding, withinSeconds: number | undefined): string {
  const isNote = severity === "info";
  const { seconds, shareOfRun } = cost;
  if ((seconds === null || isNoCost(seconds)) && isNote)
    return `<span class="cost"><b></b><span>a note</span></span>`;
  if (seconds === null)
    return `<span class="cost"><span class="track none"></span><b>cost unknown</b><span></span></span>`;
  const share = shareOfRun === null ? 0 : Math.min(100, 100 * shareOfRun);
  const isPart = cost.within !== null && withinSeconds !== undefined;
  const amount = secondsText(seconds);
  const percent =
    shareOfRun === null || share < 0.5
      ? ""
      : ` · ${share < 9.95 ? Number(share.toPrecision(2)) : Math.round(share)} %`;
  const words = isPart
    ? `<b>in the ${secondsText(withinSeconds)} above</b><span>not added</span>`
    : `<b>${amount}${percent}</b><span>${costBasis(cost)}</span>`;
  return `<span class="cost"><span class="track"><i${isPart ? ' class="part"' : ""} style="--w:${share.toFixed(1)}%"></i></span>${words}</span>`;
}

/** How the seconds were found. */
function modelHtml({ seconds, model, within }: Cost): string {
  const sum =
    seconds === null
      ? "Not known"
      : isNoCost(seconds)
        ? "None"
        : `${secondsText(seconds)}${within === null ? "" : ", part of another cause"}`;
  return `<p class="model"><b>Cost</b> ${sum}: ${prose(model)}.</p>\n`;
}

export function codeHtml(code: string, language: string): string {
  return `<div class="code"><span class="language">${prose(language)}</span><span class="tools"></span><pre tabindex="0"><code>${escapeHtml(visibleLines(code))}</code></pre></div>\n`;
}

const numberText = ({ value, unit, size }: EvidenceNumber, parts: HtmlParts) =>
  size ? escapeHtml(formatSize(value)) : amountText(value, unit, parts);

/** One unit for all times of a column, so that shares can be seen. */
const amountText = (value: number, unit: Unit, parts: HtmlParts) =>
  unit === "seconds" ? secondsText(value) : escapeHtml(parts.format(value, unit));

function numbersHtml({ evidence }: Finding, parts: HtmlParts): string {
  const { numbers } = evidence;
  if (numbers.length === 0) return "";
  const hasWhole = numbers.some(({ of }) => of !== undefined);
  const rows = numbers.map((number) => {
    const { label, value, unit, of } = number;
    const exact = attribute(parts.exact(value, unit));
    const shown = Number.isNaN(value) ? `<i>${NOT_RECORDED}</i>` : `<b>${numberText(number, parts)}</b>`;
    const share =
      of !== undefined && of > 0 && value / of <= 1 ? escapeHtml(parts.format(value / of, "share")) : "";
    const whole = hasWhole ? `<td>${of === undefined ? "" : amountText(of, unit, parts)}<td>${share}` : "";
    return `<tr><th scope="row">${prose(label)}<td title="${exact}">${shown}${whole}`;
  });
  const heads = hasWhole ? '<th scope="col">of all<th scope="col">share' : "";
  return `<h3>Evidence</h3><table class="plain"><thead><tr><th scope="col">Measured<th scope="col">here${heads}</thead><tbody>
${rows.join("\n")}</tbody></table>\n`;
}

function whereHtml({ evidence }: Finding, parts: HtmlParts, links: Links): string {
  const lines: string[] = [];
  if (evidence.files.length > 0) {
    lines.push(filesHtml(evidence.files.slice(0, FILES_FIRST), links));
    const more = evidence.filesTotal - Math.min(FILES_FIRST, evidence.files.length);
    if (more > 0) lines.push(`<p class="more">and ${formatMany(more, "more file")}</p>`);
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
  return `<p class="ranks"><b>${ranks.length === 1 ? "Rank" : "Ranks"}</b> ${some.join(", ")}${more > 0 ? ` and ${formatCount(more)} more` : ""}</p>`;
}

const TICK =
  '<svg class="tick" viewBox="0 0 12 12" role="img" aria-label="met"><path d="M1.2 6.4l3.2 3.2 6.4-7.2"/></svg>';

function judgedHtml(finding: Finding, parts: HtmlParts, links: Links): string {
  const rest = finding.evidence.files.slice(FILES_FIRST);
  const limits = finding.threshold.map((limit) => {
    const { name: key, meaning, value, unit, source } = limit;
    const here = limit.measured ?? undefined;
    const shown = here === undefined ? "" : escapeHtml(limitText(here, unit, parts));
    return `<tr title="${attribute(source)}"><th scope="row">${prose(meaning ?? key)}<td><b>${shown}</b><td>${escapeHtml(limitText(value, unit, parts))}${isMet(limit) ? ` ${TICK}` : ""}`;
  });
  return `<details class="judged"><summary>How it was judged <span class="note">confidence ${finding.confidence}</span></summary>
<p>${prose(finding.confidenceReason).replace(/^[a-z]/, (letter) => letter.toUpperCase())}.</p>
${limits.length > 0 ? `<table class="plain"><thead><tr><th scope="col">Rule ${prose(finding.id)}<th scope="col">here<th scope="col">limit</thead><tbody>${limits.join("\n")}</tbody></table>` : ""}${
  rest.length > 0 ? `<h3>More files</h3>${filesHtml(rest, links)}` : ""
}</details>`;
}

const limitText = (value: number, unit: ThresholdUse["unit"], parts: HtmlParts) =>
  unit === "bytes" ? formatSize(value) : parts.format(value, unit);

/** Of alternatives one need not be met. */
function isMet({ most, value, measured }: ThresholdUse): boolean {
  if (measured === undefined || measured === null) return false;
  return most === true ? measured <= value : measured >= value;
}
