/** Parts shared by the load documents. */
export { type ShortColumn as Column, table } from "../../model/index.ts";

const HEIGHTS = "▁▂▃▄▅▆▇█";

/** Heights as a line of characters; only zero is a blank. */
export function spark(values: readonly number[]): string {
  const most = values.reduce((a, b) => Math.max(a, b), 0);
  return values
    .map((value) => (value > 0 ? (HEIGHTS[Math.max(0, Math.ceil((value / most) * 8) - 1)] as string) : " "))
    .join("");
}

/** A bar of this many eighths of ten characters. */
export function bar(share: number, room = 10): string {
  const eighths = Math.round(Math.min(1, Math.max(0, share || 0)) * room * 8);
  const rest = eighths % 8;
  return "█".repeat(Math.floor(eighths / 8)) + (rest > 0 ? (" ▏▎▍▌▋▊▉"[rest] as string) : "");
}

/** NaN in a cell is "not recorded", which null says. */
export const cell = (value: number | null): number | null =>
  value === null || Number.isNaN(value) ? null : value;

export interface About {
  readonly command: string;
  readonly madeBy: string;
  readonly zone: string;
}
