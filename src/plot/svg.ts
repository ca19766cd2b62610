/** SVG as text: our own elements are written directly, those that Plot drew are read from its DOM. */

import { escapeXml } from "./text.ts";

export type Attributes = Readonly<Record<string, string | number | undefined>>;

/** `content` is markup already; text goes through `escapeXml` first. */
export function tag(name: string, attributes: Attributes, content = ""): string {
  let open = `<${name}`;
  for (const key in attributes) {
    const value = attributes[key];
    if (value === undefined) continue;
    open += ` ${key}="${typeof value === "number" ? coordinate(value) : escapeXml(value)}"`;
  }
  return content === "" ? `${open}/>` : `${open}>${content}</${name}>`;
}

/** Text with, if it had to be shortened, the full text on hover. */
export function label(shown: string, attributes: Attributes, hover?: string): string {
  return tag("text", attributes, (hover === undefined ? "" : title(hover)) + escapeXml(shown));
}

/** Shown on hover. Long names are cut: a tooltip of kilobytes helps nobody. */
export function title(text: string): string {
  const short = text.length > 1000 ? `${text.slice(0, 600)} … ${text.slice(-380)}` : text;
  return `<title>${escapeXml(short)}</title>`;
}

/** At most two decimals, and never an exponent or "NaN", which would end the drawing. */
export function coordinate(value: number): string {
  if (!Number.isFinite(value)) return "0";
  const rounded = Math.round(value * 100) / 100;
  // -0 would print as "0" in one place and "-0" in another.
  return Math.abs(rounded) >= 1e15 ? "0" : String(rounded === 0 ? 0 : rounded);
}

export function rectPath(x: number, y: number, width: number, height: number): string {
  const [w, h] = [coordinate(width), coordinate(height)];
  return `M${coordinate(x)} ${coordinate(y)}h${w}v${h}${w.startsWith("-") ? `h${w.slice(1)}` : `h-${w}`}z`;
}

/** Attributes that only repeat what `role="img"` already settles for a screen reader, or leak into the page. */
const DROPPED_ATTRIBUTES = new Set(["aria-label", "aria-hidden", "aria-description", "class", "style"]);

/** Numbers with more digits than a screen has. */
const LONG_NUMBER = /-?\d*\.\d{3,}(?:e[-+]?\d+)?|-?\d+e[-+]?\d+/g;

/** The children of an element as text: the same bytes whichever DOM it is. */
export function childrenText(element: Element): string {
  let text = "";
  for (const child of Array.from(element.childNodes)) {
    if (child.nodeType === 3) text += escapeXml(child.textContent ?? "");
    else if (child.nodeType === 1 && child.nodeName.toLowerCase() !== "style")
      text += elementText(child as Element);
  }
  return text;
}

function elementText(element: Element): string {
  const attributes = Array.from(element.attributes)
    .filter(({ name }) => !DROPPED_ATTRIBUTES.has(name))
    .map(({ name, value }) => ({ name, value: plainTransform(element, name, value) }))
    .filter(({ name, value }) => name !== "transform" || value !== "");
  // The order of attributes is a DOM's own affair.
  attributes.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0));
  let open = `<${element.localName}`;
  for (const { name, value } of attributes)
    open += ` ${name}="${escapeXml(value.replace(LONG_NUMBER, (number) => coordinate(Number(number))))}"`;
  const content = childrenText(element);
  return content === "" ? `${open}/>` : `${open}>${content}</${element.localName}>`;
}

/**
 * Plot moves groups of lines by half a pixel where a screen has few pixels, so its output depends on the machine. Our
 * groups stand on whole pixels, thus a half is always that one.
 */
function plainTransform(element: Element, name: string, value: string): string {
  if (name !== "transform" || element.localName !== "g") return value;
  const moved = value.replace(/-?\d+\.5\b/g, (number) => String(Math.floor(Number(number))));
  return moved === "translate(0,0)" ? "" : moved;
}
