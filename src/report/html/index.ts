/**
 * A document as one HTML file that needs nothing else: styles, script, figures and data are inside, and its policy
 * forbids every request. All texts of a document are taken as hostile.
 */
import type { Document, Section } from "../../model/index.ts";
import { shortenMiddle } from "../../plot/index.ts";
import { blockHtml, type PageBuild, paragraphs } from "./blocks.ts";
import { closerHtml, isMissing, menuHtml } from "./contents.ts";
import { attribute, domId, escapeHtml, prose, scriptJson, visible } from "./escape.ts";
import { codeHtml } from "./findings.ts";
import { heroHtml } from "./hero.ts";
import { pageLinks } from "./links.ts";
import { documentMarkdown } from "./markdown.ts";
import type { HtmlParts } from "./parts.ts";

export type { PageCell, PageData, PageTable } from "./data.ts";

/** The load line of a ship: a ring and a line through it. */
const markHtml = (colour: string) =>
  `<circle cx="16" cy="16" r="9.5" fill="none" stroke="${colour}" stroke-width="3.4"/><path d="M1.5 16h29" stroke="${colour}" stroke-width="3.4"/>`;

export function renderHtml(document: Document, parts: HtmlParts): string {
  const build: PageBuild = {
    parts,
    links: pageLinks(document),
    // Where figures are of a model, its tables are too.
    ...(isSimulated(document) && { tableOrigin: "simulated" }),
    data: { tables: [], figures: [], findings: [] },
    traces: [],
    findingPlaces: findingPlaces(document),
    heroFigure: document.answers === undefined ? undefined : document.figure,
  };
  const hero = heroHtml(document, build);
  // What is there comes first; what was not recorded is told in a line each at the end.
  const sections = [...document.sections].sort((a, b) => Number(isMissing(a)) - Number(isMissing(b)));
  const firstOf = sections.findIndex(({ id }) => id === "overview") + 1;
  const parted = sections.map((section) => sectionHtml(section, build));
  const closer = closerHtml(document.sections, sections.slice(0, firstOf), parts);
  const contents = menuHtml(sections);
  const title = escapeHtml(shortenMiddle(visible(document.title), 120));
  const facts = document.facts.flatMap(({ inBar }) => (inBar === undefined ? [] : [prose(inBar)]));
  const data = { ...build.data, markdown: documentMarkdown(document) };
  return `${headHtml(document, parts)}
<body>
<a class="skip" href="#page-main">Skip to the content</a>
<header class="bar"><div class="wrap"><span class="brand"><svg class="mark" viewBox="0 0 32 32" aria-hidden="true">${MARK_HTML}</svg><span class="name">Plimsoll</span></span><p class="bar-title" title="${attribute(document.title)}"><b>${title}</b>${facts.length > 0 ? ` <span>${facts.join(" · ")}</span>` : ""}</p><details class="fold"><summary aria-label="Sections g" aria-keyshortcuts="g"><span>Sections <kbd>g</kbd></span></summary><nav aria-label="Sections">${contents}</nav></details>
<div class="tools"></div></div></header>
<main id="page-main" class="wrap" tabindex="-1">${hero}
${[...parted.slice(0, firstOf), closer, ...parted.slice(firstOf)].join("\n")}
</main>
<footer class="foot wrap"><p class="keys-line"><span><kbd>j</kbd> <kbd>k</kbd> next, previous cause</span> <span><kbd>o</kbd> open</span> <span><kbd>g</kbd> sections</span> <span><kbd>?</kbd> all keys</span></p>
<p>Made by ${prose(document.madeBy)}. Nothing was uploaded, and this page loads nothing: it can be mailed and opened offline.</p>
${document.command ? `<p>To recreate it:</p>${codeHtml(document.command, "shell")}` : ""}</footer>
<script type="application/json" id="page-data">${scriptJson(data)}</script>
${build.traces.map((trace, at) => `<script type="application/json" id="trace-${at}">${scriptJson(trace)}</script>\n`).join("")}</body>
</html>
`;
}

const isSimulated = ({ figure, sections }: Document): boolean =>
  figure?.simulated === true ||
  sections.some(({ blocks }) =>
    blocks.some((block) => block.kind === "figure" && block.figure.simulated === true),
  );

/** As the blocks will number them. */
function findingPlaces({ sections }: Document): Map<string, number> {
  const places = new Map<string, number>();
  let index = 0;
  for (const { blocks } of sections)
    for (const block of blocks)
      if (block.kind === "findings")
        for (const { id } of block.findings) {
          if (!places.has(id)) places.set(id, index);
          index++;
        }
  return places;
}

function sectionHtml(section: Section, build: PageBuild): string {
  const id = domId(section.id);
  const intro = section.intro ? `<div class="intro">${paragraphs(section.intro)}</div>` : "";
  const foot = section.foot ? `<p class="section-foot">${prose(section.foot)}</p>` : "";
  const blocks = section.blocks.map((block) => blockHtml(block, id, build));
  const kind = isMissing(section) ? ' class="lacking"' : "";
  return `<section id="${id}"${kind} aria-labelledby="${id}-title"><h2 id="${id}-title" tabindex="-1">${prose(section.title)}</h2>${intro}\n${blocks.join("\n")}\n${foot}</section>`;
}

function headHtml(document: Document, parts: HtmlParts): string {
  // A parser turns every line end into \n, and a hash is taken of what the parser sees. "</script" and "<!--" would
  // end or change the element; inside strings and patterns, the only places for them in code, "\\/" is the same.
  const script = parts.script
    .replace(/\r\n?/g, "\n")
    .replace(/<\/(script)/gi, "<\\/$1")
    .replaceAll("<!--", "<\\!--");
  const style = parts.style.replace(/<\/(style)/gi, "<\\/$1");
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${parts.sha256Base64(script)}'`,
    "style-src 'unsafe-inline'",
    "img-src data: blob:",
    "base-uri 'none'",
    "form-action 'none'",
  ].join("; ");
  const mark = encodeURIComponent(MARK_SVG);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="referrer" content="no-referrer">
<meta name="generator" content="${attribute(document.madeBy)}">
<title>${escapeHtml(shortenMiddle(visible(document.title), 200))}</title>
<link rel="icon" href="data:image/svg+xml,${mark}">
<style>
${style}
</style>
<script>${script}</script>
</head>`;
}

/** The mark in the colour of what it stands in. */
export const MARK_HTML = markHtml("currentColor");
/** The mark as a picture of its own. */
export const MARK_SVG = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${markHtml("#0b5fae")}</svg>`;

export { blockHtml, type PageBuild } from "./blocks.ts";
export { attribute, domId, escapeHtml, name, prose, scriptJson, visible } from "./escape.ts";
export { markSvg } from "./words.ts";
export type { HtmlParts } from "./parts.ts";
