/** The list on a terminal: a title line per item, and lines with published, here, verdict and command. */
import {
  becauseText,
  hereText,
  PAPERS,
  paperRows,
  papersVerdict,
  totalsOf,
  verdictText,
} from "./document.ts";
import type { PaperResults } from "./results.ts";

/** `wrap` breaks a text into lines of a width. */
export function papersText(
  results: PaperResults,
  width: number,
  wrap: (text: string, width: number) => readonly string[],
): string {
  const rows = paperRows(results);
  const indented = (text: string) => wrap(text, Math.max(30, width - 4)).map((line) => `    ${line}`);
  const lines = [...wrap(papersVerdict(rows), width), ""];
  for (const paper of PAPERS) {
    const { items, groups } = totalsOf(rows.filter((row) => row.paper === paper));
    lines.push(`${paper.short.padEnd(30)} ${items} items in ${groups} statements`);
  }
  for (const paper of PAPERS) {
    const own = rows.filter((row) => row.paper === paper);
    lines.push("", ...wrap(`${paper.short}: ${paper.title} (${totalsOf(own).items} items)`, width));
    for (const { item, answer } of own) {
      lines.push("", ...wrap(`${item.id} (${item.kind}, ${item.place}): ${item.title}`, width));
      const beside = [
        ...(item.published === "" ? [] : [`published ${item.published}`]),
        ...(answer.here === "" ? [] : [`here ${hereText(answer)}`]),
      ];
      if (beside.length > 0) lines.push(...indented(beside.join("; ")));
      const judged = [verdictText(answer), becauseText(answer)].filter((text) => text !== "");
      lines.push(...indented(judged.join(": ")), ...(item.command === "" ? [] : indented(item.command)));
    }
  }
  return `${lines.join("\n")}\n`;
}
