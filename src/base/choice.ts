/** A word that must be one of some, and what may have been meant. */
import { UsageError } from "./errors.ts";

/** " (did you mean X?)" for a word that is close to one we know, or nothing. */
export function didYouMean(word: string, known: Iterable<string>): string {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length * 0.4)) + 1;
  for (const candidate of known) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) {
      best = candidate;
      bestDistance = distance;
    }
  }
  return best === undefined ? "" : ` (did you mean ${best}?)`;
}

/** Letters to add, drop, change or swap with their neighbour to get from one word to the other. */
function editDistance(from: string, to: string): number {
  const rows: number[][] = [Array.from({ length: to.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= from.length; i++) {
    const row = [i];
    for (let j = 1; j <= to.length; j++) {
      const change = rows[i - 1]![j - 1]! + (from[i - 1] === to[j - 1] ? 0 : 1);
      let cost = Math.min(change, rows[i - 1]![j]! + 1, row[j - 1]! + 1);
      if (i > 1 && j > 1 && from[i - 1] === to[j - 2] && from[i - 2] === to[j - 1]) {
        cost = Math.min(cost, rows[i - 2]![j - 2]! + 1);
      }
      row.push(cost);
    }
    rows.push(row);
  }
  return rows[from.length]![to.length]!;
}

/** In any case of letters: nobody should have to remember capitals. */
export function parseChoice(what: string, choices: readonly string[], text: string): string {
  const found = choices.includes(text)
    ? text
    : choices.find((one) => one.toLowerCase() === text.toLowerCase());
  if (found !== undefined) return found;
  throw new UsageError(`${what} ${text}: not one of ${choices.join(", ")}${didYouMean(text, choices)}`);
}
