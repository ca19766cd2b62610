/** Texts that are too long for their place. A number is shown whole with its unit, or not at all. */

/** Shortened in the middle, where names differ least; a text of several words between two of them. */
export function cut(text: string, width: number): string {
  if (text.length <= width) return text;
  const head = Math.ceil((width - 1) / 2);
  const [start, end] = [text.slice(0, head), text.slice(text.length - (width - 1 - head))];
  // No half of a pair is left over.
  return `${wordsBefore(start, text).replace(/[\ud800-\udbff]$/, "")}…${wordsAfter(end, text).replace(/^[\udc00-\udfff]/, "")}`;
}

/** The beginning, up to a whole word. */
export function cutEnd(text: string, width: number): string {
  return text.length <= width ? text : `${wordsBefore(text.slice(0, width - 1), text).trimEnd()}…`;
}

/** A stop ends a sentence when a capital follows: "1.5 s" and "e.g. x" go on. */
export const firstSentence = (text: string): string => /^.*?\.(?= [A-Z]|$)/s.exec(text)?.[0] ?? text;

/** What of the first characters of `text` are whole words: a lone number would have lost its unit. */
function wordsBefore(start: string, text: string): string {
  const whole = /\s/.test(text.charAt(start.length)) ? start : start.replace(/\S*$/, "");
  const kept = whole.replace(/\S*\d[\d.,]*\s*$/, "");
  return kept.trim() === "" ? start : kept;
}

function wordsAfter(end: string, text: string): string {
  const whole = /\s/.test(text.charAt(text.length - end.length - 1)) ? end : end.replace(/^\S*/, "");
  return whole.trim() === "" ? end : whole;
}
