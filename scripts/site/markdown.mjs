// Markdown of docs/ as HTML of the site: ids of headings as GitHub makes them, links to the pages of the site, tables and
// code that scroll by themselves on a phone.

import { existsSync } from "node:fs";
import { Marked } from "marked";

export const escapeHtml = (text) =>
  text.replace(/[&<>"]/g, (letter) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[letter]);

const plainText = (html) =>
  html
    .replace(/<[^>]+>/g, "")
    .replace(
      /&(amp|lt|gt|quot|#39);/g,
      (_, name) => ({ amp: "&", lt: "<", gt: ">", quot: '"', "#39": "'" })[name],
    );

/** GitHub's anchors, so that links work on both. */
export function slugger() {
  const seen = new Map();
  return (text) => {
    const slug = text
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .trim()
      .replace(/\s/g, "-");
    const times = seen.get(slug) ?? 0;
    seen.set(slug, times + 1);
    return times === 0 ? slug : `${slug}-${times}`;
  };
}

/** Who edits needs it, not who reads the site. */
const FOR_EDITORS = /\s?(?:Made|Generated) by\s+`npm run docs`(?:\s+from\s+`[^`]+`)?;\s+do not edit\./g;

const NUMBER = /^[≈<>≤≥±+−-]? ?\d[\d.,]*(?: ?[%×]| [a-zµ]{1,3}(?:\/s)?| [kMGT]i?B(?:\/s)?)?$/u;

/** Columns of numbers, after the first, are aligned as numbers. */
const holdsNumbers = (token, column) =>
  column > 0 && token.rows.length > 1 && token.rows.every((row) => NUMBER.test(row[column].text));

/**
 * The HTML of a page with its title, headings and the texts below them. `link(href)` gives the place of a link on the site, or
 * undefined for what is not there; `file(href)` the path of a picture.
 */
export function renderMarkdown(text, { link, file }) {
  const slugOf = slugger();
  const headings = [];
  const marked = new Marked({
    renderer: {
      heading({ tokens, depth }) {
        const html = this.parser.parseInline(tokens);
        const id = slugOf(plainText(html));
        headings.push({ depth, id, text: plainText(html) });
        return `<h${depth} id="${id}">${html}${depth > 1 ? ` <a class="anchor" href="#${id}" aria-label="Link to ${escapeHtml(plainText(html))}">#</a>` : ""}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const html = this.parser.parseInline(tokens);
        const to = link(href);
        return to === undefined ? html : `<a href="${escapeHtml(to)}">${html}</a>`;
      },
      image({ href, text: alternative }) {
        return picture(href, alternative, file);
      },
      code({ text: code, lang }) {
        const shown = escapeHtml(code).replace(/^(\$) (.*)$/gm, '<span class="prompt">$1</span> <b>$2</b>');
        return `<pre tabindex="0"${lang ? ` data-language="${escapeHtml(lang)}"` : ""}><code>${shown}</code></pre>\n`;
      },
      table(token) {
        const aligned = token.header.map(
          ({ align }, column) => align ?? (holdsNumbers(token, column) ? "right" : undefined),
        );
        const cell = (tag) => (one, column) =>
          `<${tag}${aligned[column] ? ` class="${aligned[column]}"` : ""}>${this.parser.parseInline(one.tokens)}</${tag}>`;
        const head = `<tr>${token.header.map(cell("th")).join("")}</tr>`;
        const rows = token.rows.map((row) => `<tr>${row.map(cell("td")).join("")}</tr>`);
        return `<div class="table-box" tabindex="0" role="region" aria-label="Table"><table><thead>${head}</thead><tbody>${rows.join("\n")}</tbody></table></div>\n`;
      },
    },
  });
  const html = marked.parse(text.replace(FOR_EDITORS, ""));
  return {
    html,
    headings,
    title: headings.find(({ depth }) => depth === 1)?.text ?? "",
    sections: sectionsOf(html),
  };
}

/** A picture, and its dark twin where there is one. */
function picture(href, alternative, file) {
  const { path, url } = file(href);
  const image = `<img src="${escapeHtml(url)}" alt="${escapeHtml(alternative)}" loading="lazy">`;
  const dark = path.replace(/\.png$/, "-dark.png");
  if (dark === path || !existsSync(dark)) return image;
  const darkUrl = file(href.replace(/\.png$/, "-dark.png")).url;
  return `<picture><source srcset="${escapeHtml(darkUrl)}" media="(prefers-color-scheme: dark)">${image}</picture>`;
}

/** The plain text below each heading, for the search. */
export function sectionsOf(html) {
  return html
    .split(/(?=<h[1-4] id=)/)
    .map((part) => {
      const [, id = "", title = ""] = /^<h[1-4] id="([^"]*)">(.*?)<\/h[1-4]>/s.exec(part) ?? [];
      const body = part.replace(/^<h[1-4].*?<\/h[1-4]>/s, "");
      return {
        id,
        title: plainText(title).replace(/\s*#$/, ""),
        text: plainText(body.replace(/<\/(p|li|td|th|pre|tr)>/g, " "))
          .replace(/\s+/g, " ")
          .trim(),
      };
    })
    .filter(({ id }) => id !== "");
}
