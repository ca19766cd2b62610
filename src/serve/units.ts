/** One unit per figure or column, so that its values can be compared. */
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

/** Shares in a table column: `23.6 %`, `<0.1 %`. */
export function shareText(share: number): string {
  if (!Number.isFinite(share)) return "–";
  return share > 0 && share < 0.0005 ? "<0.1 %" : `${(100 * share).toFixed(1)} %`;
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
