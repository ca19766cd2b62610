/** Ways to the sections: a menu, and tiles with a small picture and one fact each. */
import type { Section } from "../../model/index.ts";
import { shortenMiddle } from "../../plot/index.ts";
import { domId, escapeHtml, prose, visible } from "./escape.ts";
import type { HtmlParts } from "./parts.ts";

/** Only says what was not recorded. */
export const isMissing = ({ blocks }: Section) =>
  blocks.length > 0 && blocks.every((block) => block.kind === "notice" && block.level === "missing");

export function menuHtml(sections: readonly Section[]): string {
  const items = sections.map(
    ({ id, title }) =>
      `<li><a href="#${domId(id)}">${escapeHtml(shortenMiddle(visible(title), 60))}</a></li>`,
  );
  return `<ol>${items.join("")}</ol>`;
}

/** Fewer sections are in sight anyhow. */
const TILES_MIN = 4;

export function closerHtml(all: readonly Section[], before: readonly Section[], parts: HtmlParts): string {
  const rest = all.filter((section) => !before.includes(section));
  if (before.length === 0 || rest.length < TILES_MIN) return "";
  const tiles = rest.map((section) => {
    const picture = isMissing(section) ? '<div class="none"></div>' : pictureHtml(section, parts);
    const fact = isMissing(section) ? "not recorded; how to" : (section.fact ?? "");
    return `<li><a href="#${domId(section.id)}">${picture}${prose(section.title)}<span>${prose(fact)}</span></a></li>`;
  });
  return `<nav class="toc" id="sections" aria-labelledby="sections-title"><h2 id="sections-title">Look closer</h2>
<ul>${tiles.join("\n")}</ul></nav>`;
}

/** The first figure, small; lines where a section has tables only. */
function pictureHtml({ blocks }: Section, parts: HtmlParts): string {
  for (const block of blocks) {
    const svg = block.kind === "figure" ? parts.spark(block.figure) : "";
    if (svg !== "") return svg;
  }
  const isTrace = blocks.some(({ kind }) => kind === "trace");
  const rows = isTrace ? LANES : ROWS;
  const rects = rows.map(
    ([x, y, width, tone]) =>
      `<rect x="${x}" y="${y}" width="${width}" height="3" fill="var(--plot-context)"${tone === 1 ? "" : ' opacity="0.45"'}/>`,
  );
  return `<svg class="spark" viewBox="0 0 120 28" preserveAspectRatio="none" aria-hidden="true">${rects.join("")}</svg>`;
}

const ROWS = [
  ...[58, 67, 46, 62].map((width, at) => [0, 2 + 7 * at, width, 0] as const),
  ...[24, 14, 31, 11].map((width, at) => [120 - width, 2 + 7 * at, width, 1] as const),
];
const LANES = [
  ...[0, 1, 2, 3].map((lane) => [8 * lane, 2 + 7 * lane, 40 - 6 * lane, 1] as const),
  ...[0, 1, 2, 3].map((lane) => [58 + 5 * lane, 2 + 7 * lane, 28, 0] as const),
];
