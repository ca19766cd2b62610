/** The frame of every page: header bar, navigation, panels, footer. */
import { formatCount } from "../../base/units.ts";
import { isSynthetic } from "../../model/index.ts";
import { attribute, escapeHtml, MARK_HTML, prose, scriptJson, visible } from "../../report/html/index.ts";
import type { PageContent } from "../site.ts";
import { PanelBuild, panelHtml } from "./panel.ts";

export interface Frame {
  readonly root: string;
  readonly nav: readonly { readonly path: string; readonly word: string; readonly isHere: boolean }[];
  /** Of this page, with its parameters. */
  readonly address: URLSearchParams;
  readonly storeName: string;
  readonly user: string | null;
  /** Store version; missing on pages that show only a message. */
  readonly version: string | undefined;
  readonly madeBy: string;
  readonly sql: boolean;
  readonly assets: { readonly script: string; readonly style: string };
}

export function pageHtml(content: PageContent, frame: Frame): string {
  const build = new PanelBuild(frame);
  const main = content.panels.filter(({ aside }) => !aside).map((panel) => panelHtml(panel, build));
  const aside = content.panels.filter((panel) => panel.aside).map((panel) => panelHtml(panel, build));
  const head =
    content.head ??
    `<div class="page-head"><h1>${prose(content.title)}</h1>${content.verdict === undefined ? "" : `<p>${prose(content.verdict)}</p>`}</div>`;
  const columns =
    aside.length === 0
      ? main.join("\n")
      : `<div class="cols"><div>${main.join("\n")}</div><div>${aside.join("\n")}</div></div>`;
  return shellHtml(
    frame,
    content.title,
    `${originHtml(content)}${head}${columns}`,
    `${spansHtml(content, frame)}`,
    `<script type="application/json" id="page-data">${scriptJson(build.data)}</script>`,
  );
}

/** A page with only a message: not found, not allowed, busy. */
export const messageHtml = (frame: Frame, title: string, text: string): string =>
  shellHtml(
    frame,
    title,
    `<div class="page-head message"><h1>${prose(title)}</h1><p>${prose(sentence(text))}</p></div>`,
    "",
    "",
  );

const sentence = (text: string): string =>
  `${text.replace(/^./u, (letter) => letter.toUpperCase())}${/[.?!]$/.test(text) ? "" : "."}`;

function shellHtml(frame: Frame, title: string, main: string, tools: string, data: string): string {
  const { root, assets } = frame;
  const home = root === "" ? "./" : root;
  const nav = frame.nav
    .map(
      ({ path, word, isHere }) =>
        `<a href="${attribute(path === "" ? home : root + path)}"${isHere ? ' aria-current="page"' : ""}>${escapeHtml(word)}</a>`,
    )
    .join("");
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="generator" content="${attribute(frame.madeBy)}">
<title>${escapeHtml(visible(title).slice(0, 200))} · ${escapeHtml(visible(frame.storeName))}</title>
<link rel="icon" href="${root}assets/mark.svg">
<link rel="stylesheet" href="${root}assets/${assets.style}">
<script src="${root}assets/${assets.script}"></script>
</head>
<body class="site" data-root="${attribute(home)}">
<a class="skip" href="#page-main">Skip to the content</a>
<header class="bar"><div class="wrap"><a class="brand" href="${attribute(home)}"><svg class="mark" viewBox="0 0 32 32" aria-hidden="true">${MARK_HTML}</svg><span class="name">Plimsoll</span></a>
<span class="store-name" title="The store">${prose(frame.storeName)}</span>
<nav aria-label="Pages">${nav}</nav>
<form class="find" action="${root}find" role="search"><input class="search" type="search" name="q" placeholder="Job, user, target" aria-label="Go to a job, a user, an account or a target" aria-keyshortcuts="/" autocomplete="off" spellcheck="false" maxlength="200"></form>
<div class="tools"><span class="live" hidden><i></i><span role="status"></span></span>${tools}</div></div></header>
${MAIN}
${main}
</main>
<footer class="foot wrap"><p>Made by ${prose(frame.madeBy)} from the store <b>${prose(frame.storeName)}</b>${frame.version === undefined ? "" : `, version <code>${escapeHtml(frame.version)}</code>`}${frame.user === null ? "" : `, for ${prose(frame.user)}`}. <span class="keys-hint"><kbd>/</kbd> find <kbd>?</kbd> all keys</span></p></footer>
${data}</body>
</html>
`;
}

const MAIN = '<main id="page-main" class="wrap" tabindex="-1">';

/** Adds a note with its age to a page of the previous version. */
export function olderHtml(page: Buffer, seconds: number): Buffer {
  const at = page.indexOf(MAIN) + MAIN.length;
  const age = Math.max(1, Math.round(seconds));
  const words = `<p class="older" role="status"><b>As of ${age < 120 ? `${age} s` : `${Math.round(age / 60)} min`} ago.</b> The store has changed; the current page is being computed and will replace this one.</p>`;
  return Buffer.concat([page.subarray(0, at), Buffer.from(words), page.subarray(at)]);
}

function originHtml({ origin }: PageContent): string {
  if (!isSynthetic(origin)) return "";
  const words =
    origin.synthetic >= origin.of
      ? "Generated, not recorded on a machine."
      : `${formatCount(origin.synthetic)} of ${formatCount(origin.of)} ${origin.unit} were generated, not recorded on a machine.`;
  return `<p class="synthetic"><b>Synthetic data.</b> ${prose(words)}</p>`;
}

function spansHtml({ spans }: PageContent, { address }: Frame): string {
  if (spans === undefined) return "";
  const links = spans.choices.map((span) => {
    const query = new URLSearchParams(address);
    query.set("span", span);
    return `<a href="?${attribute(query.toString())}"${span === spans.span ? ' aria-current="true"' : ""}>${escapeHtml(span)}</a>`;
  });
  return `<details class="fold spans"><summary aria-label="Time range, currently ${attribute(spans.span)}">Last ${escapeHtml(spans.span)}</summary><nav aria-label="Time range">${links.join("")}</nav></details>`;
}
