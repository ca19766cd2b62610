/** Columns of text side by side, for a terminal. Cells are printed as they are: who has them from outside makes them plain first. */
import { cutEnd } from "./cut.ts";

export interface TextColumn {
  /** Heading; without any there is no line of headings. */
  readonly label?: string;
  /** To the right, as numbers are. */
  readonly right?: boolean;
  /** Characters, at least and at most; longer texts are cut. */
  readonly min?: number;
  readonly max?: number;
  /** Gets what the other columns leave of the width, or this many characters if they leave less. */
  readonly rest?: number;
}

interface TextTableOptions {
  /** Of the whole table; used where a column has `rest`. */
  readonly width?: number;
  /** Between columns: two spaces unless given. */
  readonly gap?: string;
  /** A line of dashes below the headings. */
  readonly rule?: boolean;
  readonly cut?: (text: string, width: number) => string;
}

/** One line for the headings and each row, without spaces at the end. */
export function textTable(
  columns: readonly TextColumn[],
  rows: readonly (readonly string[])[],
  { width = 0, gap = "  ", rule = false, cut = cutEnd }: TextTableOptions = {},
): string[] {
  const headed = columns.some(({ label }) => label !== undefined);
  const all = headed ? [columns.map(({ label = "" }) => label), ...rows] : rows;
  const widths = columns.map(({ min = 0, max = Number.POSITIVE_INFINITY }, c) =>
    all.reduce((widest, row) => Math.max(widest, Math.min(max, (row[c] ?? "").length)), min),
  );
  const flexible = columns.findIndex(({ rest }) => rest !== undefined);
  if (flexible >= 0) {
    const { rest = 0, min = 0 } = columns[flexible] as TextColumn;
    const others = widths.reduce((sum, one, c) => (c === flexible ? sum : sum + one + gap.length), 0);
    const left = Math.max(rest, width - others);
    widths[flexible] = Math.max(min, Math.min(widths[flexible] as number, left));
  }
  const lines = all.map((row) =>
    widths
      .map((room, c) => {
        const text = cut(row[c] ?? "", room);
        return columns[c]?.right ? text.padStart(room) : text.padEnd(room);
      })
      .join(gap)
      .trimEnd(),
  );
  return rule
    ? [...lines.slice(0, 1), widths.map((one) => "-".repeat(one)).join(gap), ...lines.slice(1)]
    : lines;
}
