/** A figure as SVG: the chart, with what a reader must know around it. */

import { type Figure, figureOrigin, type Role } from "../model/index.ts";
import { FONT, FONT_SMALL, kindOf } from "./charts/index.ts";
import { escapeXml, shortenEnd, textWidth, wrapText } from "./text.ts";
import { label, tag } from "./svg.ts";
import { roleFill, rolePattern, themeCss, themeProperties } from "./theme.ts";

interface RenderOptions {
  /** Pixels; the picture shrinks with its container, so text becomes smaller than at this width. */
  readonly width?: number;
  /** For a file of its own: with title, caption, colours and background. */
  readonly standalone?: boolean;
}

const WIDTH_DEFAULT = 720;
const WIDTH_MIN = 280;
const WIDTH_MAX = 4000;

/**
 * The same figure gives the same bytes. Without `standalone` the page must carry `themeCss()` once, and shows title
 * and caption itself.
 */
export function renderSvg(figure: Figure, options: RenderOptions = {}): string {
  const asked = options.width ?? WIDTH_DEFAULT;
  const width = Math.round(Math.min(WIDTH_MAX, Math.max(WIDTH_MIN, asked || WIDTH_DEFAULT)));
  const id = idOf(figure.id);
  const roles = new Set<Role>();
  const fill = (role: Role) => {
    roles.add(role);
    return roleFill(role, id);
  };
  const drawing = kindOf(figure.chart).draw(figure.chart, { width, fill });
  const above = headText(figure, width, options.standalone === true);
  const beside = publishedText(figure, width);
  const below = options.standalone === true ? footText(figure, width) : { body: "", height: 0 };
  const patterns = [...roles].map((role) => rolePattern(role, id)).join("");
  const height = Math.ceil(above.height + drawing.height + beside.height + below.height);
  const move = (body: string, y: number) =>
    body === "" || y === 0 ? body : tag("g", { transform: `translate(0 ${Math.round(y)})` }, body);
  const content =
    `<title>${escapeXml(shortenEnd(figure.title, 300))}</title>` +
    `<desc>${escapeXml(shortenEnd(figure.summary, 2000))}</desc>` +
    (options.standalone ? metadata(figure) : "") +
    (patterns === "" ? "" : `<defs>${patterns}</defs>`) +
    (options.standalone ? tag("rect", { width, height, fill: "var(--plot-background)" }) : "") +
    above.body +
    move(drawing.body, above.height) +
    move(beside.body, above.height + drawing.height) +
    move(below.body, above.height + drawing.height + beside.height);
  const attributes = {
    ...{ xmlns: "http://www.w3.org/2000/svg", class: "plot-figure", role: "img" },
    ...{ viewBox: `0 0 ${width} ${height}`, width, height },
    ...{ "font-family": "system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', sans-serif" },
    ...{ "font-size": FONT, fill: "var(--plot-text)" },
  };
  const svg = tag("svg", attributes, content);
  return options.standalone ? withColours(svg) : svg;
}

/** Unlike ids must stay unlike, whatever they hold: what had to be replaced is told apart by a number. */
function idOf(id: string): string {
  const plain = id.replace(/[^A-Za-z0-9_-]/g, "-").slice(0, 60);
  if (plain === id && /^[A-Za-z]/.test(id)) return id;
  let hash = 0x811c9dc5;
  for (let index = 0; index < id.length; index++)
    hash = Math.imul(hash ^ id.charCodeAt(index), 0x01000193) >>> 0;
  return `f-${plain}-${hash.toString(36)}`;
}

function headText(figure: Figure, width: number, standalone: boolean) {
  const mark = figureOrigin(figure) ?? "";
  const markWidth = mark === "" ? 0 : textWidth(mark, FONT) + 12;
  const lines = standalone ? wrapText(figure.title, width - 24 - markWidth, 15, 3) : [];
  let body = lines
    .map((line, index) => label(line, { x: 8, y: 22 + index * 19, "font-size": 15, "font-weight": 600 }))
    .join("");
  if (mark !== "") {
    const [x, y] = [width - 8 - markWidth, standalone ? 9 : 2];
    const box = { x, y, width: markWidth, height: 17, rx: 3 };
    body += tag("rect", { ...box, fill: "none", stroke: "var(--plot-severity-warn)" });
    body += label(mark, {
      x: x + markWidth / 2,
      y: y + 12.5,
      "text-anchor": "middle",
      fill: "var(--plot-severity-warn)",
    });
  }
  const height = standalone ? 10 + Math.max(1, lines.length) * 19 : mark === "" ? 0 : 22;
  return { body, height };
}

/** What the paper says of the same. */
function publishedText({ published = "" }: Figure, width: number) {
  const lines = published === "" ? [] : wrapText(`Paper: ${published}`, width - 16, FONT, 6);
  const body = lines.map((line, i) => label(line, { x: 8, y: 13 + 15 * i, "font-style": "italic" })).join("");
  return { body, height: lines.length === 0 ? 0 : 15 * lines.length + 6 };
}

function footText({ caption, definition, options }: Figure, width: number) {
  const set = Object.entries(options).map(([name, value]) => `${name} = ${value}`);
  const small = [`Definition ${definition}`, ...set].join(" · ");
  const captionLines = wrapText(caption, width - 20, FONT, 12);
  const optionLines = wrapText(small, width - 20, FONT_SMALL, 6);
  let y = 16;
  let body = "";
  for (const line of captionLines) {
    body += label(line, { x: 8, y });
    y += 15;
  }
  for (const line of optionLines) {
    body += label(line, { x: 8, y: y + 2, "font-size": FONT_SMALL, fill: "var(--plot-muted)" });
    y += 13;
  }
  return { body, height: y + 2 };
}

function metadata({ id, definition, options, caption, simulated, synthetic }: Figure): string {
  const facts = JSON.stringify({
    ...{ id, definition, options, caption },
    simulated: simulated === true,
    ...(synthetic !== undefined && synthetic !== false && { synthetic }),
  });
  return `<metadata>${escapeXml(facts)}</metadata>`;
}

/**
 * A file of its own is also opened by programs that know no custom properties (Inkscape, LaTeX's converters): there
 * each colour stands as the attribute, and the style sheet, where it is understood, puts the property over it.
 */
function withColours(svg: string): string {
  const light = themeProperties("light");
  const rules = new Map<string, string>();
  const coloured = svg.replace(/ (fill|stroke)="var\(--(plot-[a-z0-9-]+)\)"/g, (_, attribute, name) => {
    const className = `${attribute[0]}-${name.slice(5)}`;
    rules.set(className, `.${className}{${attribute}:var(--${name})}`);
    return ` ${attribute}="${light.get(name) ?? "currentColor"}" data-class="${className}"`;
  });
  // An element may have both, and an element has one class attribute.
  const joined = coloured.replace(/<[a-z][^>]*data-class=[^>]*>/gi, (element) => {
    const names = [...element.matchAll(/ data-class="([^"]*)"/g)].map((match) => match[1]);
    const bare = element.replace(/ data-class="[^"]*"/g, "");
    const own = / class="([^"]*)"/.exec(bare)?.[1];
    if (own !== undefined) return bare.replace(/ class="[^"]*"/, ` class="${[own, ...names].join(" ")}"`);
    return bare.replace(/(\/?>)$/, ` class="${names.join(" ")}"$1`);
  });
  const css = themeCss() + [...rules.values()].sort().join("");
  // "<" and "&" do not occur in it; ">" may stand in text.
  return joined.replace("<title>", `<style>${css}</style><title>`);
}
