// The frame of every page: bar with search, navigation, the text, what is on this page, the pages before and after.

import { escapeHtml } from "./markdown.mjs";

/** `../` as often as a page lies deep. */
export const rootOf = (path) => "../".repeat(path.split("/").length - 1);

export function pageHtml({
  path,
  title,
  html,
  headings = [],
  nav,
  version,
  isFront = false,
  isWide = false,
}) {
  const root = rootOf(path);
  const name = isFront ? "Plimsoll" : `${title} – Plimsoll`;
  const parts = headings.filter(({ depth }) => depth === 2);
  const aside =
    parts.length < 2 || isWide
      ? ""
      : `<nav class="here" aria-label="On this page"><p>On this page</p>${parts.map(({ id, text }) => `<a href="#${id}">${escapeHtml(text)}</a>`).join("")}</nav>`;
  return `<!doctype html>
<html lang="en" data-root="${root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(name)}</title>
<link rel="icon" href="${root}icon.svg">
<link rel="stylesheet" href="${root}style.css">
</head>
<body${isFront ? ' class="front"' : ""}>
<a class="skip" href="#content">To the text</a>
<header class="bar">
<button id="menu" type="button" aria-expanded="false" aria-controls="nav" aria-label="Menu"><span></span></button>
<a class="home" href="${root}index.html">Plimsoll <small>${escapeHtml(version)}</small></a>
<div class="search" role="search">
<input id="search" type="search" placeholder="Search the documentation" aria-label="Search the documentation" aria-controls="results" aria-expanded="false" role="combobox" autocomplete="off" spellcheck="false">
<kbd>/</kbd>
<div id="results" hidden></div>
</div>
</header>
<div class="frame${aside === "" ? "" : " with-here"}">
${navHtml(nav, path, root)}
<main id="content" tabindex="-1"${isWide ? ' class="wide"' : ""}>
${html}
${neighbours(nav, path, root)}
</main>
${aside}
</div>
<script src="${root}main.js"></script>
</body>
</html>
`;
}

/** The group of the page is open, the others are folded. */
function navHtml(nav, path, root) {
  const groups = nav.map(({ title, pages }) => {
    const isOpen = pages.some((page) => page.path === path) || path === "index.html";
    const links = pages.map(
      (page) =>
        `<a href="${root}${page.path}"${page.path === path ? ' aria-current="page"' : ""}>${escapeHtml(page.title)}</a>`,
    );
    return `<details${isOpen ? " open" : ""}><summary>${escapeHtml(title)}</summary>${links.join("\n")}</details>`;
  });
  return `<nav id="nav" aria-label="Documentation">${groups.join("\n")}</nav>`;
}

function neighbours(nav, path, root) {
  const all = nav.flatMap(({ pages }) => pages);
  const at = all.findIndex((page) => page.path === path);
  if (at < 0) return "";
  const link = (page, word, name) =>
    page === undefined
      ? "<span></span>"
      : `<a class="${name}" href="${root}${page.path}"><small>${word}</small>${escapeHtml(page.title)}</a>`;
  return `<nav class="neighbours" aria-label="Next pages">${link(all[at - 1], "Before", "before")}${link(all[at + 1], "Next", "next")}</nav>`;
}
