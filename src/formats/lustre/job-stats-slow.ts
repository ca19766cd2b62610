/** A counter line of job_stats in any order of keys, with any blanks: for what no known release prints. */
import { latinText } from "./job-id.ts";
import { MAX, MIN, type Reading, SAMPLES, SUM, SUMSQ, WORDS } from "./reading.ts";

const WORD_OF: Readonly<Record<string, number>> = {
  samples: SAMPLES,
  min: MIN,
  max: MAX,
  sum: SUM,
  sumsq: SUMSQ,
};
const LIMIT = 2n ** 64n;

interface SlowCounter {
  readonly column: number;
  readonly shape: number;
}

/**
 * Fills the entry after the last one of `reading`, without counting it. "strange" is a line that is no counter at
 * all, "broken" one that is and cannot be read.
 */
export function readCounterSlowly(
  bytes: Uint8Array,
  from: number,
  to: number,
  reading: Reading,
): SlowCounter | "strange" | "broken" {
  const text = latinText(bytes.subarray(from, to));
  const match = /^[ \t]+([^\s:{}]+):[ \t]*\{(.*)$/s.exec(text);
  if (match === null) return "strange";
  const [, name = "", rest = ""] = match;
  const close = rest.lastIndexOf("}");
  if (close < 0 || rest.slice(close + 1).trim() !== "") return "broken";
  const pairs = pairsOf(rest.slice(0, close));
  if (pairs === undefined) return "broken";
  const unit = pairs.get("unit") ?? "";
  const column = reading.table.column(name, unit);
  if (column < 0) return "broken";
  reading.reserveEntry();
  const entry = reading.entries;
  reading.words.fill(0n, entry * WORDS, (entry + 1) * WORDS);
  for (const [key, word] of Object.entries(WORD_OF)) {
    const value = pairs.get(key);
    if (value === undefined) {
      if (key === "samples") return "broken";
      continue;
    }
    if (!/^-?\d{1,20}$/.test(value)) return "broken";
    const number = BigInt(value);
    if (number >= LIMIT || number < -(2n ** 63n)) return "broken";
    reading.words[entry * WORDS + word] = BigInt.asUintN(64, number);
  }
  const buckets = reading.buckets;
  if (!addHist(pairs.get("hist"), entry, reading)) {
    reading.buckets = buckets;
    return "broken";
  }
  const shape = pairs.has("sumsq") ? 5 : ["min", "max", "sum"].some((key) => pairs.has(key)) ? 4 : 1;
  return { column, shape };
}

/** `key: value` pairs between commas that are not inside braces; undefined when a part is no pair. */
function pairsOf(body: string): Map<string, string> | undefined {
  const pairs = new Map<string, string>();
  let depth = 0;
  let start = 0;
  for (let at = 0; at <= body.length; at++) {
    const character = body[at];
    if (character === "{") depth++;
    else if (character === "}") depth--;
    if (depth < 0) return undefined;
    if (at < body.length && (character !== "," || depth > 0)) continue;
    const part = body.slice(start, at).trim();
    start = at + 1;
    if (part === "") continue;
    const colon = part.indexOf(":");
    if (colon < 0) return undefined;
    pairs.set(part.slice(0, colon).trim(), part.slice(colon + 1).trim());
  }
  return depth === 0 ? pairs : undefined;
}

function addHist(text: string | undefined, entry: number, reading: Reading): boolean {
  if (text === undefined) return true;
  if (!text.startsWith("{") || !text.endsWith("}")) return false;
  for (const part of text.slice(1, -1).split(",")) {
    if (part.trim() === "") continue;
    const match = /^\s*(\d{1,9})([KMGT]?):\s*(\d{1,20})\s*$/.exec(part);
    if (match === null) return false;
    const [, key = "", suffix = "", count = ""] = match;
    const log2 = Math.log2(Number(key)) + 10 * " KMGT".indexOf(suffix || " ");
    const value = BigInt(count);
    if (!Number.isInteger(log2) || log2 > 63 || value >= LIMIT) return false;
    reading.addBucket(entry, log2, Number(value & 0xffffffffn), Number(value >> 32n));
  }
  return true;
}
