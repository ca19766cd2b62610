/** InfluxDB's line protocol, as Telegraf writes it and `influx_inspect export` gives it back. */
import type { InfluxPoint } from "./point.ts";

/** A point, or undefined when the line is none. Lines of comments and of `influx_inspect` (`#`, `CREATE …`) are null. */
export function parseLine(line: string): InfluxPoint | undefined | null {
  if (line.trim() === "" || /^(#|CREATE |DROP )/.test(line)) return null;
  const tagsEnd = endOf(line, 0, " ", false);
  if (tagsEnd < 0) return undefined;
  const fieldsEnd = endOf(line, tagsEnd + 1, " ", true);
  const fieldsTo = fieldsEnd < 0 ? line.length : fieldsEnd;
  const timeText = fieldsEnd < 0 ? "" : line.slice(fieldsEnd + 1).trim();
  if (!/^-?\d{1,19}$/.test(timeText)) return undefined;
  const head = splitAtCommas(line.slice(0, tagsEnd), false);
  const tags = new Map<string, string>();
  for (const pair of head.slice(1)) {
    const equals = endOf(pair, 0, "=", false);
    if (equals < 1) return undefined;
    tags.set(unescaped(pair.slice(0, equals)), unescaped(pair.slice(equals + 1)));
  }
  const fields = new Map<string, string>();
  for (const pair of splitAtCommas(line.slice(tagsEnd + 1, fieldsTo), true)) {
    const equals = endOf(pair, 0, "=", false);
    if (equals < 1) return undefined;
    fields.set(unescaped(pair.slice(0, equals)), pair.slice(equals + 1));
  }
  return { measurement: unescaped(head[0] ?? ""), tags, fields, timeNs: BigInt(timeText) };
}

/** Index of the first `stop` that is not escaped, nor inside quotes where those count; -1 when there is none. */
function endOf(text: string, from: number, stop: string, quotes: boolean): number {
  // Few texts have escapes or quotes, and searching for one character is fast.
  const first = text.indexOf(stop, from);
  const backslash = text.indexOf("\\", from);
  const quote = quotes ? text.indexOf('"', from) : -1;
  if (first < 0 || ((backslash < 0 || first < backslash) && (quote < 0 || first < quote))) return first;
  let inQuotes = false;
  for (let at = from; at < text.length; at++) {
    const character = text[at];
    if (character === "\\") at++;
    else if (quotes && character === '"') inQuotes = !inQuotes;
    else if (character === stop && !inQuotes) return at;
  }
  return -1;
}

function splitAtCommas(text: string, quotes: boolean): string[] {
  const parts: string[] = [];
  for (let from = 0; ; ) {
    const end = endOf(text, from, ",", quotes);
    parts.push(text.slice(from, end < 0 ? text.length : end));
    if (end < 0) return parts;
    from = end + 1;
  }
}

/** Only `\ `, `\,` and `\=` are escapes; any other backslash stands for itself, as in `"my\x20prog"`. */
const unescaped = (text: string) => (text.includes("\\") ? text.replace(/\\([ ,=])/g, "$1") : text);
