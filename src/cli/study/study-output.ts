/** A study over a store as a folder and as lines on the terminal; the same for all of them. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { StudyFinding } from "../../analyze/study/common/finding.ts";
import { csvText } from "../../base/csv.ts";
import type { Document, Figure, TableBlock } from "../../model/index.ts";
import { textTable } from "../../base/text-table.ts";
import type { Context } from "../context.ts";
import { writeJson } from "../../base/json.ts";
import { replaceFolder } from "../../node/output-folder.ts";
import { writeFigures, writePage } from "../page-output.ts";
import { writeFile } from "../../node/write-file.ts";

interface StudyFolder {
  /** What study.json calls itself: only a folder with such a study is replaced. */
  readonly kind: string;
  readonly document: Document;
  readonly figures: readonly Figure[];
  readonly tables: readonly TableBlock[];
  /** What --json prints. */
  readonly json: object;
}

/** report.html, the figures as SVG and CSV, tables as CSV, and study.json. */
export async function writeStudy(path: string, study: StudyFolder, context: Context): Promise<void> {
  const { kind, document, figures, tables, json } = study;
  const output = { path, what: "study", isOurs: (folder: string) => isStudy(folder, kind) };
  await replaceFolder(output, context, async (work) => {
    await writePage(document, join(work, "report.html"), context);
    await writeFigures(figures, work, context);
    for (const one of tables) writeFile(join(work, `${one.id}.csv`), tableCsv(one));
    const list = figures.map(({ id, title, caption, definition }) => ({ id, title, caption, definition }));
    const pieces: string[] = [];
    writeJson({ kind, madeBy: document.madeBy, ...json, figures: list }, (text) => pieces.push(text));
    writeFile(join(work, "study.json"), `${pieces.join("")}\n`);
  });
}

function isStudy(folder: string, kind: string): boolean {
  try {
    return JSON.parse(readFileSync(join(folder, "study.json"), "utf8"))?.kind === kind;
  } catch {
    return false;
  }
}

/** A table as CSV (RFC 4180) with its keys as header; what is not known is an empty field. */
const tableCsv = ({ columns, rows }: TableBlock): string => csvText([columns.map(({ key }) => key), ...rows]);

export const linesText = (lines: readonly string[]): string => `${lines.join("\n")}\n`;

interface FindingLook {
  /** What the study calls a finding. */
  readonly word: string;
  readonly claimText: (key: string, value: number | null) => string;
  readonly width: number;
  /** With nothing to study there is no reason to give for each. */
  readonly isEmpty: boolean;
}

/** Each finding with own beside published, then why some do not hold; titles are cut to the width. */
export function findingLines(
  findings: readonly StudyFinding[],
  { word, claimText, width, isEmpty }: FindingLook,
): string[] {
  const rows = findings.map((one) => {
    const key = one.claims[0]?.key ?? "";
    const [low, high] = one.interval;
    return [
      one.id,
      one.verdict,
      one.title,
      claimText(key, one.measured),
      Number.isNaN(low) ? "" : `${claimText(key, low)} … ${claimText(key, high)}`,
      one.published === null ? "" : claimText(key, one.published),
    ];
  });
  const head = ["", "verdict", word, "here", "interval", "published"];
  const lines = textTable(
    head.map((label) => ({ label, ...(label === word && { rest: 0, min: 20 }) })),
    rows,
    { width },
  );
  const open = isEmpty ? [] : findings.filter(({ verdict }) => verdict !== "confirmed");
  const reasons = open.map(({ id, reason }) => `${id}: ${reason}`);
  return [...lines, ...(reasons.length === 0 ? [] : ["", ...reasons])];
}

/** What the command says at its end: where the report is, or how to get it. */
export function whereText(command: string, output: string | undefined): string {
  return output === undefined
    ? `\nThe whole report: ${command}\n`
    : `\nWrote ${output}: report.html, figures, tables, study.json\n`;
}
