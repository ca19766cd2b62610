/**
 * Text of logs made fit for a page. Names come from outside: they may hold markup, control characters, characters that
 * turn the writing direction around, halves of surrogate pairs, or ten thousand letters.
 */
import { shortenMiddle } from "../../plot/index.ts";

/** Invisible or misleading: controls, soft hyphen, bidi marks and overrides, separators, zero width, tags, lone halves. */
const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\ud800-\udfff\u{e0000}-\u{e007f}]/gu;

const TITLE_CHARACTERS_MAX = 2000;
const PROSE_CHARACTERS_MAX = 4000;
const WORD_CHARACTERS_MAX = 96;

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}

/** Each character that hides or misleads becomes a symbol: `␊`, `⟨U+202E⟩`. */
export function visible(text: string): string {
  return text.replace(HIDDEN, symbol);
}

/** As `visible`, but lines and tabs stay. */
export function visibleLines(text: string): string {
  return text.replaceAll("\r\n", "\n").replace(HIDDEN, (c) => (c === "\n" || c === "\t" ? c : symbol(c)));
}

function symbol(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return "\u2421";
  return `⟨U+${code.toString(16).toUpperCase().padStart(4, "0")}⟩`;
}

/** A sentence in a page. Names within it that are too long lose their middle. */
export function prose(text: string): string {
  const words = visibleLines(text).replace(/\S+/g, (word) => shortenMiddle(word, WORD_CHARACTERS_MAX));
  return escapeHtml(shortenMiddle(words, PROSE_CHARACTERS_MAX));
}

/** A value for an attribute such as `title`, at most two thousand characters. */
export function attribute(text: string): string {
  return escapeHtml(shortenMiddle(visibleLines(text), TITLE_CHARACTERS_MAX));
}

/** A name or path on one line; the whole of it on hover when it was cut. */
export function name(text: string, charactersMax = 80): string {
  const whole = visible(text);
  const short = shortenMiddle(whole, charactersMax);
  const title = short === whole ? "" : ` title="${attribute(text)}"`;
  return `<bdi${title}>${escapeHtml(short)}</bdi>`;
}

/** As `name`; where nothing can hover (paper, phones) styles show the whole of what was cut. */
export function cellName(text: string, charactersMax: number): string {
  const whole = visible(text);
  const short = shortenMiddle(whole, charactersMax);
  if (short === whole) return `<bdi>${escapeHtml(short)}</bdi>`;
  const rest = escapeHtml(shortenMiddle(whole, PROSE_CHARACTERS_MAX));
  return `<bdi class="cut" title="${attribute(text)}">${escapeHtml(short)}</bdi><bdi class="whole">${rest}</bdi>`;
}

/** A path beside the page with or without an anchor: no other host, no scheme, nothing that a browser would run. */
const ADDRESS = /^(?!\/)[\w.~%/-]*(?:\?[\w.~%=&+-]+)?(?:#[\w.~%=&-]+)?$/;

/** The address where it is one that a page may lead to; else null. */
export const plainAddress = (text: unknown): string | null =>
  typeof text === "string" && text !== "" && ADDRESS.test(text) ? text : null;

/** An id or part of an address that needs no escaping anywhere. */
export function domId(text: string): string {
  return text.replace(/[^A-Za-z0-9_-]+/g, "-") || "-";
}

/**
 * JSON that stays JSON inside a script element: nothing in it can end the element or start markup, and nothing in it
 * turns the text around for those who read the source.
 */
export function scriptJson(value: unknown): string {
  return JSON.stringify(value).replace(
    /[<>&\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
