/** One unit for a figure or a column, so that its values can be compared. */
export interface Scale {
  readonly divisor: number;
  readonly unit: string;
}

const PREFIXES = ["", "k", "M", "G", "T", "P"] as const;

function scaleOf(most: number, word: (prefix: string) => string): Scale {
  const at = most > 0 ? Math.min(5, Math.max(0, Math.floor(Math.log10(most) / 3))) : 0;
  return { divisor: 1000 ** at, unit: word(PREFIXES[at] ?? "") };
}

export const byteScale = (most: number, per = ""): Scale => scaleOf(most, (prefix) => `${prefix}B${per}`);
export const countScale = (most: number, word: string): Scale =>
  scaleOf(most, (prefix) => (prefix === "" ? word : `${prefix} ${word}`));

/** 14, 4m, 3h, 2d: as short as a cell is wide. */
export function ageText(seconds: number): string {
  if (seconds < 0) return "0";
  if (seconds < 120) return String(Math.round(seconds));
  if (seconds < 7200) return `${Math.round(seconds / 60)}m`;
  return seconds < 172_800 ? `${Math.round(seconds / 3600)}h` : `${Math.round(seconds / 86_400)}d`;
}

/** 12 minutes, 3 hours, 8 years. */
export function longAge(seconds: number): string {
  const choices = [
    [31_557_600, "year"],
    [86_400, "day"],
    [3600, "hour"],
    [60, "minute"],
    [1, "second"],
  ] as const;
  const [length, word] = choices.find(([one]) => seconds >= 1.5 * one) ?? [1, "second"];
  const count = Math.round(seconds / length);
  return `${count} ${word}${count === 1 ? "" : "s"}`;
}
