/** A document for a terminal. The summary leaves sections of detail out; `full` prints them too. */
import { formatMany } from "../../base/units.ts";
import type {
  Block,
  Document,
  EvidenceFile,
  Finding,
  Section,
  Severity,
  TableBlock,
  Tile,
} from "../../model/index.ts";
import { formatValue } from "../../plot/index.ts";
import { visible } from "../html/index.ts";
import { cut } from "./cut.ts";
import { figureText } from "./figures.ts";

interface TextOptions {
  readonly width: number;
  readonly color: boolean;
  readonly full: boolean;
}

const CODES: Readonly<Record<Severity | "bold" | "dim" | "error", string>> = {
  high: "1;31",
  warn: "33",
  info: "36",
  bold: "1",
  dim: "2",
  error: "1;31",
};

type Paint = (style: keyof typeof CODES, text: string) => string;

export function renderText(document: Document, { width, color, full }: TextOptions): string {
  const paint = painter(color);
  const lines: string[] = [paint("bold", plain(document.title))];
  for (const { label, text } of document.facts)
    lines.push(`${label.padEnd(12)} ${cut(plain(text), width - 13)}`);
  lines.push("", ...wrap(document.verdict, width).map((line) => paint("bold", line)));
  for (const section of document.sections) {
    if (section.detail && !full) continue;
    lines.push("", ...sectionLines(section, width, paint));
  }
  return `${lines.join("\n")}\n`;
}

const painter =
  (color: boolean): Paint =>
  (style, text) =>
    color ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text;

/** Findings alone. */
export function findingsText(
  findings: readonly Finding[],
  { width, color }: Pick<TextOptions, "width" | "color">,
): string {
  const lines = findings.flatMap((finding) => [...findingLines(finding, width, painter(color)), ""]);
  return lines.map((line) => `${line}\n`).join("");
}

function sectionLines(section: Section, width: number, paint: Paint): string[] {
  // Introductions to figures speak of what the page draws.
  const pictured = section.blocks.some(({ kind }) => kind === "figure" || kind === "trace");
  return [
    paint("bold", plain(section.title)),
    ...(section.intro === undefined || pictured
      ? []
      : wrap(section.intro, width).map((line) => paint("dim", line))),
    ...section.blocks.flatMap((block) => blockLines(block, width, paint)),
  ];
}

function blockLines(block: Block, width: number, paint: Paint): string[] {
  switch (block.kind) {
    case "text":
      return wrap(block.text, width);
    case "notice": {
      const word = block.level === "missing" ? "" : `${block.level}: `;
      const lines = wrap(`${word}${block.text}${block.how === undefined ? "" : ` ${block.how}`}`, width);
      return block.level === "error" ? lines.map((line) => paint("error", line)) : lines;
    }
    case "tiles":
      return block.tiles.map(tileLine);
    case "findings":
      return block.findings.length === 0
        ? wrap(block.none, width)
        : block.findings.flatMap((finding) => findingLines(finding, width, paint));
    case "figure":
      return [
        plain(block.figure.title),
        ...figureText(block.figure, width),
        ...wrap(block.figure.caption, width).map((line) => paint("dim", line)),
      ];
    case "table":
      return tableLines(block, width, paint);
    case "trace":
      return [
        `${block.trace.layers.map(({ name, calls }) => `${calls} ${name} calls`).join(", ")}; the HTML report shows them over time.`,
      ];
    case "code":
      return block.code.split("\n").map((line) => `    ${plain(line)}`);
  }
}

function tileLine({ label, value, unit, note }: Tile): string {
  return `  ${label.padEnd(26)} ${formatValue(value, unit).padStart(12)}${note === undefined ? "" : `   ${note}`}`;
}

function findingLines(finding: Finding, width: number, paint: Paint): string[] {
  const indent = (text: string, first = "    ") =>
    wrap(text, width - 4).map((line, index) => `${index === 0 ? first : "    "}${line}`);
  const shown = finding.evidence.files.slice(0, FILES_SHOWN);
  const files = shown.flatMap((file) => fileLines(file, width));
  const more = finding.evidence.filesTotal - shown.length;
  return [
    `  ${paint(finding.severity, finding.severity.toUpperCase().padEnd(4))} ${paint("bold", finding.title)} ${paint("dim", `(${finding.id})`)}`,
    ...indent(finding.statement),
    ...files,
    ...(files.length > 0 && more > 0 ? [`    and ${formatMany(more, "more file")}`] : []),
    ...indent(`→ ${finding.advice}`),
    ...(finding.snippet === undefined
      ? []
      : finding.snippet.code.split("\n").map((line) => paint("dim", `      ${plain(line)}`))),
  ];
}

const FILES_SHOWN = 3;
/** A path that is cut to less than this says little. */
const PATH_CHARACTERS_MIN = 24;

/** A file and the numbers beside it, which are never cut: they get lines of their own where the path leaves no room. */
function fileLines({ path, note }: EvidenceFile, width: number): string[] {
  const [shownPath, shownNote] = [plain(path), plain(note)];
  if (shownNote === "") return [`    ${cut(shownPath, width - 4)}`];
  const room = width - 6 - shownNote.length;
  if (room >= Math.min(shownPath.length, PATH_CHARACTERS_MIN))
    return [`    ${cut(shownPath, room)}  ${shownNote}`];
  return [`    ${cut(shownPath, width - 4)}`, ...wrap(note, width - 6).map((line) => `      ${line}`)];
}

const ROWS_MAX = 40;

function tableLines(table: TableBlock, width: number, paint: Paint): string[] {
  const columns = table.columns
    .map((column, index) => ({ ...column, index }))
    .filter(({ hidden }) => !hidden);
  const source = table.groups === undefined ? table.rows : table.groups.map(({ cells }) => cells);
  const rows = source.slice(0, ROWS_MAX).map((row) =>
    columns.map(({ index, unit }) => {
      const cell = row[index];
      if (cell === null || cell === undefined) return "-";
      return typeof cell === "string" ? plain(cell) : formatValue(cell, unit);
    }),
  );
  // The first column takes what the others leave.
  const widths = columns.map(({ label }, c) =>
    Math.min(28, Math.max(label.length, ...rows.map((row) => (row[c] as string).length))),
  );
  const others = widths.slice(1).reduce((sum, one) => sum + one + 2, 0);
  widths[0] = Math.max(
    // An instant is cut nowhere.
    columns[0]?.unit === "unix-seconds" ? 20 : 16,
    Math.min(
      Math.max(columns[0]?.label.length ?? 0, ...rows.map((row) => (row[0] as string).length)),
      width - others,
    ),
  );
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, c) => {
        const text = cut(cell, widths[c] as number);
        return columns[c]?.unit === "text"
          ? text.padEnd(widths[c] as number)
          : text.padStart(widths[c] as number);
      })
      .join("  ")
      .trimEnd();
  const total = table.rowsTotal ?? source.length;
  return [
    ...wrap(table.caption, width).map((text) => paint("dim", text)),
    line(columns.map(({ label }) => label)),
    ...rows.map((row, index) => {
      const text = line(row);
      return table.groups === undefined && table.pale?.[index] ? paint("dim", text) : text;
    }),
    ...(total > rows.length && table.groups === undefined
      ? [`… ${total - rows.length} more; all of them: --json or -o report.html`]
      : []),
  ];
}

/** Control characters, which a terminal would obey, and directions of writing become visible. */
export const plain = visible;

/** Lines of at most `width` characters; words longer than that stay whole. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of plain(text).split(/ +/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else line = line === "" ? word : `${line} ${word}`;
  }
  if (line !== "") lines.push(line);
  return lines;
}
export { cutEnd } from "./cut.ts";
