/** Blocks of a document as markup. Buttons that only work with the script are made by the script. */
import {
  type Block,
  type Figure,
  figureOrigin,
  type NoticeBlock,
  type Tile,
  type Trace,
  type Unit,
} from "../../model/index.ts";
import { NOT_RECORDED } from "../../plot/index.ts";
import { type PageData, pageTable, withoutRepeats } from "./data.ts";
import { attribute, domId, escapeHtml, name, prose } from "./escape.ts";
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
  /** Of tables that do not say it themselves. */
  readonly tableOrigin?: string;
  readonly data: {
    [Key in "tables" | "figures" | "findings"]: PageData[Key][number][];
  };
  /** Places of findings on the page, by id. */
  readonly findingPlaces: ReadonlyMap<string, number>;
  /** The figure that stands beside the headline, and so nowhere else. */
  readonly heroFigure: Figure | undefined;
  /** Encoded traces, in the order of the page. */
  readonly traces: string[];
}

export function blockHtml(block: Block, section: string, build: PageBuild): string {
  const { parts, data, tableOrigin } = build;
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
      return figureHtml(block.figure, build);
    case "table": {
      const rowIds = block.rowKey !== undefined && !data.tables.some((one) => one.rowKey !== undefined);
      const table = withoutRepeats(block);
      data.tables.push(
        pageTable(tableOrigin === undefined ? table : { origin: tableOrigin, ...table }, section),
      );
      return tableHtml(table, data.tables.length - 1, parts, rowIds);
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
  const value =
    tile.text !== undefined
      ? `<p class="value text">${name(tile.text, 40)}</p>`
      : Number.isNaN(tile.value)
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
  const rows = block.findings.map((finding, at) => {
    build.data.findings.push(findingMarkdown(finding, build.parts.format));
    const within = block.findings.find(({ id }) => id === finding.cost.within);
    const place = {
      index: build.data.findings.length - 1,
      isOpen: at === 0 && finding.severity !== "info",
      withinSeconds: within?.cost.seconds ?? undefined,
      figure:
        finding.figure === undefined || finding.figure === build.heroFigure
          ? ""
          : figureHtml(finding.figure, build, "small"),
    };
    return findingHtml(finding, place, build.parts, build.links);
  });
  return `<div class="findings"><div class="tools filter"></div>\n${rows.join("\n")}</div>`;
}

/** Each figure is drawn twice, since text that is shrunk to a phone cannot be read; styles show one of them. */
const WIDE = { "": 900, proof: 640, small: 440 } as const;
const NARROW = 320;

/** `proof`: beside the headline; `small`: in a cause. */
const originHtml = (figure: Figure): string => {
  const origin = figureOrigin(figure);
  if (origin === undefined) return "";
  return ` <span class="badge simulated">${origin.replace(/^./, (letter) => letter.toUpperCase())}</span>`;
};

export function figureHtml(figure: Figure, { parts, data }: PageBuild, kind: keyof typeof WIDE = ""): string {
  data.figures.push({ id: domId(figure.id), csv: parts.csv(figure) });
  const index = data.figures.length - 1;
  const id = `figure-${domId(figure.id)}`;
  const options = Object.entries(figure.options).map(([key, value]) => `${key} ${value}`);
  const meta = [figure.definition, ...options].map((text) => `<span>${prose(text)}</span>`).join("");
  // Beside a headline or in a cause the picture comes first; what can be done with it is a quiet line below.
  const tools = '<div class="tools"></div>';
  const isQuiet = kind !== "";
  return `<figure id="${id}"${isQuiet ? ` class="${kind}"` : ""} data-figure="${index}">
<div class="block-head"><p class="caption">${prose(figure.title)}${unitHtml(figure)}${originHtml(figure)}</p>${isQuiet ? "" : tools}</div>
<div class="plot" tabindex="0" role="region" aria-label="${attribute(figure.title)}"><div class="wide">${parts.figure(figure, WIDE[kind])}</div><div class="narrow">${parts.figure({ ...figure, id: `${figure.id}-narrow` }, NARROW)}</div></div>
<figcaption><p>${prose(figure.caption)}</p><p class="meta">${meta}</p></figcaption>
${isQuiet ? `<div class="fig-foot">${figureTableHtml(figure, parts)}${tools}</div>` : figureTableHtml(figure, parts)}</figure>`;
}

/** The unit beside the title, where the chart has one value axis. */
function unitHtml({ chart }: Figure): string {
  if (chart.kind !== "culprit") return "";
  const word = UNIT_WORDS[chart.value.unit];
  return word === undefined ? "" : ` <span class="unit">${word}</span>`;
}

const UNIT_WORDS: Partial<Record<Unit, string>> = {
  seconds: "in seconds",
  bytes: "in bytes",
  "bytes/s": "in bytes per second",
  calls: "in calls",
};

function traceHtml(trace: Trace, index: number, parts: HtmlParts): string {
  const layers = trace.layers.map(({ name, calls }) => `${name} ${parts.format(calls, "calls")}`).join(", ");
  const text = `${parts.format(trace.ranks, "ranks")}, ${parts.format(trace.seconds, "seconds")}; ${layers}.`;
  return `<div class="trace" data-trace="${index}"><div class="trace-host"></div>
<p class="sr-only" role="status"></p>
<noscript><div class="notice note">${icon("note")}<div><p><b>Timeline.</b> ${prose(text)} The timeline itself needs JavaScript.</p></div></div></noscript>
${trace.hint ? `<p class="note">${prose(trace.hint)}</p>` : ""}</div>`;
}
