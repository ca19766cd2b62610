/** SVG as text. */

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

/** A piece of a path: a line at height `y`. */
export function horizontalLine(y: number, from: number, to: number): string {
  return `M${coordinate(from)} ${coordinate(y)}H${coordinate(to)}`;
}

export function verticalLine(x: number, from: number, to: number): string {
  return `M${coordinate(x)} ${coordinate(from)}V${coordinate(to)}`;
}

/** All lines of a path `d` in one colour of the theme; nothing when there are none. */
export function lines(d: string, colour: "grid" | "muted" | "text"): string {
  return d === "" ? "" : tag("path", { d, stroke: `var(--plot-${colour})`, fill: "none" });
}
