/** Blocks of a document as markup. Buttons that only work with the script are made by the script. */
import {
  type Block,
  type Figure,
  type NoticeBlock,
  SEVERITIES,
  type Tile,
  type Trace,
} from "../../model/index.ts";
import { NOT_RECORDED } from "../../plot/index.ts";
import { type PageData, pageTable } from "./data.ts";
import { attribute, domId, escapeHtml, prose } from "./escape.ts";
import { codeHtml, findingHtml } from "./findings.ts";
import type { Links } from "./links.ts";
import { findingMarkdown } from "./markdown.ts";
import type { HtmlParts } from "./parts.ts";
import { aboutButton, figureTableHtml, tableHtml } from "./table.ts";
import { icon, NOTICE_WORDS } from "./words.ts";

/** Collects what the script needs while blocks become markup. */
export interface PageBuild {
  readonly parts: HtmlParts;
  readonly links: Links;
  readonly data: { [Key in keyof PageData]: PageData[Key][number][] };
  /** Encoded traces, in the order of the page. */
  readonly traces: string[];
}

export function blockHtml(block: Block, section: string, build: PageBuild): string {
  const { parts, data } = build;
  switch (block.kind) {
    case "text":
      return paragraphs(block.text);
    case "notice":
      return noticeHtml(block);
    case "tiles":
      return `<div class="tiles">${block.tiles.map((tile) => tileHtml(tile, parts)).join("\n")}</div>`;
    case "findings":
      return findingsHtml(block, build);
    case "figure":
      data.figures.push({ id: domId(block.figure.id), csv: parts.csv(block.figure) });
      return figureHtml(block.figure, data.figures.length - 1, parts);
    case "table": {
      const rowIds = block.rowKey !== undefined && !data.tables.some((one) => one.rowKey !== undefined);
      data.tables.push(pageTable(block, section));
      return tableHtml(block, data.tables.length - 1, parts, rowIds);
    }
    case "trace":
      build.traces.push(parts.trace(block.trace));
      return traceHtml(block.trace, build.traces.length - 1, parts);
    case "code":
      return codeHtml(block.code, block.language);
  }
}

export function paragraphs(text: string): string {
  return text
    .split(/\n\s*\n/)
    .map((one) => `<p>${prose(one)}</p>`)
    .join("\n");
}

function noticeHtml({ level, text, how }: NoticeBlock): string {
  const role = level === "error" || level === "warning" ? ' role="note"' : "";
  return `<div class="notice ${level}"${role}>${icon(level)}<div><p><b>${NOTICE_WORDS[level]}.</b> ${prose(text)}</p>${how ? `<p class="how">${prose(how)}</p>` : ""}</div></div>`;
}

function tileHtml(tile: Tile, parts: HtmlParts): string {
  const value = Number.isNaN(tile.value)
    ? `<p class="value none">${NOT_RECORDED}</p>`
    : `<p class="value" title="${attribute(tile.exact ?? parts.exact(tile.value, tile.unit))}">${valueWithUnit(parts.format(tile.value, tile.unit))}</p>`;
  return `<div class="tile"><p class="tile-label">${prose(tile.label)}${aboutButton(tile.label, tile.about)}</p>${value}${tile.note ? `<p class="note">${prose(tile.note)}</p>` : ""}</div>`;
}

/** `1.07 GB` with a smaller unit. */
function valueWithUnit(text: string): string {
  const match = /^([<>-]?\d[\d.\u202f]*) (\D+)$/.exec(text);
  return match
    ? `${escapeHtml(match[1] ?? "")} <span class="unit">${escapeHtml(match[2] ?? "")}</span>`
    : escapeHtml(text);
}

function findingsHtml(block: Extract<Block, { kind: "findings" }>, build: PageBuild): string {
  if (block.findings.length === 0) return `<p class="nothing">${prose(block.none)}</p>`;
  const sorted = [...block.findings].sort(
    (a, b) => SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity),
  );
  const cards = sorted.map((finding) => {
    build.data.findings.push(findingMarkdown(finding, build.parts.format));
    return findingHtml(finding, build.data.findings.length - 1, build.parts, build.links);
  });
  return `<div class="findings"><div class="tools filter"></div>\n${cards.join("\n")}</div>`;
}

/** Each figure is drawn twice, since text that is shrunk to a phone cannot be read; styles show one of them. */
const WIDE = 720;
const NARROW = 320;

function figureHtml(figure: Figure, index: number, parts: HtmlParts): string {
  const id = `figure-${domId(figure.id)}`;
  const options = Object.entries(figure.options).map(([key, value]) => `${key} ${value}`);
  const meta = [figure.definition, ...options].map((text) => `<span>${prose(text)}</span>`).join("");
  return `<figure id="${id}" data-figure="${index}">
<div class="block-head"><p class="caption">${prose(figure.title)}${figure.simulated ? ' <span class="badge simulated">Simulated</span>' : ""}</p><div class="tools"></div></div>
<div class="plot" tabindex="0" role="region" aria-label="${attribute(figure.title)}"><div class="wide">${parts.figure(figure, WIDE)}</div><div class="narrow">${parts.figure({ ...figure, id: `${figure.id}-narrow` }, NARROW)}</div></div>
<figcaption><p>${prose(figure.caption)}</p><p class="meta">${meta}</p></figcaption>
${figureTableHtml(figure, parts)}</figure>`;
}

function traceHtml(trace: Trace, index: number, parts: HtmlParts): string {
  const layers = trace.layers.map(({ name, calls }) => `${name} ${parts.format(calls, "calls")}`).join(", ");
  const text = `${parts.format(trace.ranks, "ranks")}, ${parts.format(trace.seconds, "seconds")}; ${layers}.`;
  return `<div class="trace" data-trace="${index}"><div class="trace-host"></div>
<p class="sr-only" role="status"></p>
<noscript><div class="notice note">${icon("note")}<div><p><b>Timeline.</b> ${prose(text)} The timeline itself needs JavaScript.</p></div></div></noscript>
${trace.hint ? `<p class="note">${prose(trace.hint)}</p>` : ""}</div>`;
}
