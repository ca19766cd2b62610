/**
 * Data written as a table: rows of cells from a template, a line each, cells between bars. What is put in stays whole,
 * whatever it holds.
 */
export function textRows(texts: TemplateStringsArray, values: readonly (string | number)[]): string[][] {
  let at = 0;
  const filled = (cell: string) => cell.trim().replaceAll("\0", () => String(values[at++]));
  const lines = texts.join("\0").split("\n");
  return lines.filter((line) => line.trim() !== "").map((line) => line.split(" | ").map(filled));
}
