/**
 * A document as one HTML file that needs nothing else: styles, script, figures and data are inside, and its policy
 * forbids every request. All texts of a document are taken as hostile.
 */
import type { Document, Fact } from "../../model/index.ts";
import { shortenMiddle } from "../../plot/index.ts";
import { blockHtml, type PageBuild, paragraphs } from "./blocks.ts";
import { attribute, domId, escapeHtml, name, prose, scriptJson, visible } from "./escape.ts";
import { codeHtml } from "./findings.ts";
import { pageLinks } from "./links.ts";
import type { HtmlParts } from "./parts.ts";

export type { PageCell, PageData, PageTable } from "./data.ts";

/** The load line of a ship: a ring and a line through it. */
const MARK =
  '<circle cx="16" cy="16" r="9.5" fill="none" stroke="#0b6bb8" stroke-width="3.4"/><path d="M1.5 16h29" stroke="#0b6bb8" stroke-width="3.4"/>';

export function renderHtml(document: Document, parts: HtmlParts): string {
  const build: PageBuild = {
    parts,
    links: pageLinks(document),
    data: { tables: [], figures: [], findings: [] },
    traces: [],
  };
  const sections = document.sections.map((section) => {
    const id = domId(section.id);
    const intro = section.intro ? `<div class="intro">${paragraphs(section.intro)}</div>` : "";
    const blocks = section.blocks.map((block) => blockHtml(block, id, build));
    return `<section id="${id}" aria-labelledby="${id}-title"><h2 id="${id}-title" tabindex="-1">${prose(section.title)}</h2>${intro}\n${blocks.join("\n")}\n</section>`;
  });
  const contents = contentsHtml(document);
  const title = escapeHtml(shortenMiddle(visible(document.title), 120));
  return `${headHtml(document, parts)}
<body>
<a class="skip" href="#page-main">Skip to the content</a>
<header class="bar"><svg class="mark" viewBox="0 0 32 32" aria-hidden="true">${MARK}</svg><p class="bar-title" title="${attribute(document.title)}">${title}</p><div class="tools"></div>
<details class="fold"><summary aria-label="Contents"><span>Contents</span></summary><nav aria-label="Contents">${contents}</nav></details></header>
<div class="layout"><nav class="side" aria-label="Contents">${contents}</nav>
<main id="page-main" tabindex="-1"><div class="hero"><h1>${name(document.title, 160)}</h1>
<p class="verdict">${prose(document.verdict)}</p>
${factsHtml(document.facts)}</div>
${sections.join("\n")}
</main></div>
<footer class="foot"><p>Made by ${prose(document.madeBy)}. Nothing was uploaded, and this page asks for nothing: it can be mailed and opened offline.</p>
${document.command ? `<p>To make it again:</p>${codeHtml(document.command, "shell")}` : ""}</footer>
<script type="application/json" id="page-data">${scriptJson(build.data)}</script>
${build.traces.map((trace, at) => `<script type="application/json" id="trace-${at}">${scriptJson(trace)}</script>\n`).join("")}</body>
</html>
`;
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
  const mark = encodeURIComponent(
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32">${MARK}</svg>`,
  );
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

function contentsHtml(document: Document): string {
  const items = document.sections.map(
    ({ id, title }) =>
      `<li><a href="#${domId(id)}">${escapeHtml(shortenMiddle(visible(title), 60))}</a></li>`,
  );
  return `<ol>${items.join("")}</ol>`;
}

function factsHtml(facts: readonly Fact[]): string {
  if (facts.length === 0) return "";
  const items = facts.map(({ label, text, exact }) => {
    const title = exact === undefined ? "" : ` title="${attribute(exact)}"`;
    return `<div><dt>${prose(label)}</dt><dd${title}>${name(text, 120)}</dd></div>`;
  });
  return `<dl class="facts">${items.join("")}</dl>`;
}
export { visible } from "./escape.ts";
