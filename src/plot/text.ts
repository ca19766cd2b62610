/** Text that others wrote, made fit to draw: no markup, no control characters, no more room than there is. */

/** Letters, digits and signs in ems of a wide sans-serif, so that what fits by this table fits on the screen. */
const NARROW = /[ijltfrI.,:;|!'`()[\]{}/\\\s\u2009\u202f·-]/;
const WIDE = /[mwMWGOQ%@&×→–—…<>=+]/;

/**
 * Replaces what XML forbids and what would change the text around it: control characters become their visible
 * symbols, lone surrogates and direction overrides U+FFFD, line breaks and tabs a blank.
 */
export function cleanText(text: string): string {
  // Most text is plain; the test is far cheaper than the replacement.
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  return text.replace(
    /[\0-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff]|\p{Surrogate}/gu,
    (character) => {
      if (/[\t\n\r\u2028\u2029]/.test(character)) return " ";
      const code = character.charCodeAt(0);
      if (code < 0x20) return String.fromCharCode(0x2400 + code);
      return code === 0x7f ? "\u2421" : "\ufffd";
    },
  );
}

/** For text and attributes alike. */
export function escapeXml(text: string): string {
  return cleanText(text).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** At most `charactersMax` characters, the end cut. */
export function shortenEnd(text: string, charactersMax: number): string {
  const [head, whole] = firstCharacters(text, charactersMax);
  return whole ? head.join("") : `${head.slice(0, -1).join("")}…`;
}

/** Takes from the middle: paths differ at their ends. The end gets the larger part. */
export function shortenMiddle(text: string, charactersMax: number, headShare = 0.4): string {
  // A name of megabytes is not split into characters first; the parts that count are at its ends.
  const near = text.length > 4 * charactersMax + 8 ? 2 * charactersMax + 4 : text.length;
  const all = [...text.slice(0, near)];
  if (near === text.length && all.length <= charactersMax) return text;
  const last = near === text.length ? all : [...text.slice(-near)];
  const headLength = Math.floor((charactersMax - 1) * headShare);
  const tailLength = Math.max(0, charactersMax - 1 - headLength);
  return `${all.slice(0, headLength).join("")}…${tailLength === 0 ? "" : last.slice(-tailLength).join("")}`;
}

/** Width in pixels, rather too large than too small. */
export function textWidth(text: string, fontSize: number): number {
  let ems = 0;
  for (const character of text) {
    if (NARROW.test(character)) ems += 0.4;
    else if (WIDE.test(character)) ems += 0.92;
    else if (character >= "\u1100") ems += 1.05;
    else if (character >= "A" && character <= "Z") ems += 0.7;
    else ems += 0.64;
  }
  return ems * fontSize;
}

/** The text, or what fits of it into `width` pixels with its middle taken out. */
export function fitMiddle(text: string, width: number, fontSize: number, headShare = 0.4): string {
  const clean = cleanText(text.length > 4000 ? shortenMiddle(text, 1000) : text);
  if (textWidth(clean, fontSize) <= width) return clean;
  let characters = Math.min([...clean].length, Math.floor(width / (fontSize * 0.4)));
  while (characters > 2) {
    const short = shortenMiddle(clean, characters, headShare);
    if (textWidth(short, fontSize) <= width) return short;
    characters -= 1;
  }
  return "…";
}

/** Names that fit. If two that differ would look alike, all show their ends only: there paths differ most. */
export function fitNames(names: readonly string[], width: number, fontSize: number): string[] {
  const fitted = names.map((name) => fitMiddle(name, width, fontSize));
  if (new Set(fitted).size === new Set(names).size) return fitted;
  return names.map((name) => fitMiddle(name, width, fontSize, 0));
}

/** Lines of at most `width` pixels; words longer than a line are shortened; after `linesMax` comes an ellipsis. */
export function wrapText(text: string, width: number, fontSize: number, linesMax: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of cleanText(shortenEnd(text, 4000)).split(/ +/)) {
    const piece = fitMiddle(word, width, fontSize);
    const longer = line === "" ? piece : `${line} ${piece}`;
    if (textWidth(longer, fontSize) <= width) {
      line = longer;
      continue;
    }
    if (lines.length === linesMax - 1) {
      lines.push(`${fitMiddle(line, width - fontSize, fontSize)}…`);
      return lines;
    }
    lines.push(line);
    line = piece;
  }
  if (line !== "") lines.push(line);
  return lines;
}

function firstCharacters(text: string, count: number): [string[], boolean] {
  const characters: string[] = [];
  for (const character of text) {
    if (characters.length === count) return [characters, false];
    characters.push(character);
  }
  return [characters, true];
}
