/** A document for a terminal. The summary leaves sections of detail out; `full` prints them too. */
import { cut, cutEnd, firstSentence } from "../../base/cut.ts";
import { textTable } from "../../base/text-table.ts";
import { formatMany, formatSeconds, formatShare } from "../../base/units.ts";
import {
  type Answers,
  type Block,
  type Cell,
  type Document,
  type EvidenceFile,
  type Finding,
  isNoCost,
  type Section,
  type Severity,
  type TableBlock,
  type Tile,
} from "../../model/index.ts";
import { formatValue, plusSign } from "../../plot/index.ts";
import { visible } from "../html/index.ts";
import { figureText } from "./figures.ts";

export interface TextOptions {
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
  const facts = document.facts.map(
    ({ label, text }) => `${label.padEnd(12)} ${cut(plain(text), width - 13)}`,
  );
  if (document.answers === undefined)
    lines.push(...facts, "", ...wrap(document.verdict, width).map((line) => paint("bold", line)));
  else {
    const inBar = document.facts.flatMap(({ inBar: text }) => text ?? []).join(" · ");
    lines.push(...(inBar === "" ? [] : [paint("dim", plain(inBar))]), "");
    lines.push(...answerLines(document.answers, width, paint));
    if (document.figure !== undefined)
      lines.push("", plain(document.figure.title), ...figureText(document.figure, width));
  }
  for (const section of document.sections) {
    if (section.detail && !full) continue;
    lines.push("", ...sectionLines(section, width, paint));
  }
  if (document.answers !== undefined && full) lines.push("", ...facts);
  return `${lines.join("\n")}\n`;
}

const BLAME_WORDS = { yes: "Yes. ", partly: "In part. ", no: "No. ", unknown: "" } as const;

/** Headline, why and what to do, and the four answers. */
function answerLines({ headline, lead, blame, gain, change, sure }: Answers, width: number, paint: Paint) {
  const level = sure.confidence === null ? "" : `${sure.confidence}. `;
  const rows = [
    ["I/O to blame?", `${BLAME_WORDS[blame.answer]}${blame.text}`],
    ["Gain", gain.text],
    ["Change first", change.text],
    ["How sure", `${level.replace(/^./, (letter) => letter.toUpperCase())}${sure.text}`],
  ] as const;
  return [
    ...wrap(headline, width).map((line) => paint("bold", line)),
    ...wrap(lead.join(" "), width),
    "",
    ...rows.flatMap(([label, text]) =>
      wrap(text, width - ANSWER_INDENT).map(
        (line, at) => `${(at === 0 ? label : "").padEnd(ANSWER_INDENT)}${line}`,
      ),
    ),
  ];
}

const ANSWER_INDENT = 15;

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
    ...(section.foot === undefined ? [] : wrap(section.foot, width).map((line) => paint("dim", line))),
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
        : block.findings.flatMap((finding) =>
            finding.severity === "info"
              ? [noteLine(finding, width, paint)]
              : findingLines(finding, width, paint),
          );
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

/** A note on one line: what it is, what it costs at most, and how it shows. */
function noteLine(finding: Finding, width: number, paint: Paint): string {
  const { seconds } = finding.cost;
  const cost = seconds === null || isNoCost(seconds) ? "" : `, ${costPhrase(finding.cost)}`;
  const head = `  ${"INFO".padEnd(4)} ${finding.title}`;
  const rest = cutEnd(
    plain(` (${finding.id}${cost}): ${firstSentence(finding.statement)}`),
    Math.max(20, width - head.length),
  );
  return `  ${paint("info", "INFO")} ${plain(finding.title)}${paint("dim", rest)}`;
}

/** `about 5.28 s, 96.2 % of the run`. */
function costPhrase({ seconds, shareOfRun, basis, atMost }: Finding["cost"]): string {
  if (seconds === null) return "not known";
  const about = atMost ? "at most " : basis === "estimated" ? "about " : "";
  return `${about}${formatSeconds(seconds)}${shareOfRun === null ? "" : `, ${formatShare(shareOfRun)} of the run`}`;
}

function costLine({ cost }: Finding): string {
  if (cost.seconds === null) return `Cost: unknown; ${cost.model}.`;
  const within = cost.within === null ? "" : `; explained by ${cost.within}, not added`;
  return `Cost: ${costPhrase(cost)}${within}.`;
}

function tileLine({ label, value, unit, note, text }: Tile): string {
  return `  ${label.padEnd(26)} ${(text === undefined ? formatValue(value, unit) : plain(text)).padStart(12)}${note === undefined ? "" : `   ${plain(note)}`}`;
}

function findingLines(finding: Finding, width: number, paint: Paint): string[] {
  const indent = (text: string) => wrap(text, width - 4).map((line) => `    ${line}`);
  const shown = finding.evidence.files.slice(0, FILES_SHOWN);
  const files = shown.flatMap((file) => fileLines(file, width));
  const more = finding.evidence.filesTotal - shown.length;
  return [
    `  ${paint(finding.severity, finding.severity.toUpperCase().padEnd(4))} ${paint("bold", finding.title)} ${paint("dim", `(${finding.id})`)}`,
    ...indent(costLine(finding)).map((line) => paint("dim", line)),
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
  if (table.prose) return proseLines(table, width, paint);
  const all = table.columns.map((column, index) => ({ ...column, index })).filter(({ hidden }) => !hidden);
  const source = table.groups === undefined ? table.rows : table.groups.map(({ cells }) => cells);
  const shown = source.slice(0, ROWS_MAX);
  const { columns, left } = fittingColumns(all, table.important, shown, width);
  const [heading = "", ...lines] = textTable(
    columns.map(({ label, unit }, c) => ({
      ...{ label, right: unit !== "text" },
      // The first column takes what the others leave; an instant is cut nowhere.
      ...(c === 0 ? { rest: 0, min: firstMin(unit) } : { max: CELL_MAX }),
    })),
    shown.map((row) => columns.map((column) => cellText(column, row))),
    { width, cut },
  );
  const total = table.rowsTotal ?? source.length;
  return [
    ...wrap(table.caption, width).map((text) => paint("dim", text)),
    heading,
    ...lines.map((text, index) =>
      table.groups === undefined && table.pale?.[index] ? paint("dim", text) : text,
    ),
    ...(total > shown.length && table.groups === undefined
      ? [`… ${total - shown.length} more; ${table.more ?? "for all: --json or -o report.html"}`]
      : []),
    ...(left.length > 0 ? wrap(`Columns that did not fit (--csv, --json): ${left.join(" · ")}`, width) : []),
  ];
}

const proseLines = ({ caption, rows }: TableBlock, width: number, paint: Paint): string[] => [
  ...wrap(caption, width).map((text) => paint("dim", text)),
  ...rows.flatMap((row) => [
    row.slice(0, -1).map(String).map(plain).join("  "),
    ...wrap(String(row.at(-1)), width - 4).map((line) => `    ${line}`),
  ]),
];

type IndexedColumn = TableBlock["columns"][number] & { readonly index: number };

const CELL_MAX = 28;
const GAP = 2;
const firstMin = (unit: string) => (unit === "unix-seconds" ? 20 : 16);

function cellText({ index, unit, signed }: IndexedColumn, row: readonly Cell[]): string {
  const cell = row[index];
  if (cell === null || cell === undefined) return "-";
  return typeof cell === "string" ? plain(cell) : plusSign(cell, signed) + formatValue(cell, unit);
}

/** Columns in their order, without the least important ones that the width has no room for. */
function fittingColumns(
  columns: readonly IndexedColumn[],
  important: readonly string[] | undefined,
  rows: readonly (readonly Cell[])[],
  width: number,
): { readonly columns: readonly IndexedColumn[]; readonly left: readonly string[] } {
  if (important === undefined) return { columns, left: [] };
  const widthOf = (column: IndexedColumn, c: number) => {
    if (c === 0) return firstMin(column.unit);
    const cells = rows.map((row) => Math.min(CELL_MAX, cellText(column, row).length));
    return GAP + Math.max(column.label.length, ...cells);
  };
  const widths = new Map(columns.map((column, c) => [column.key, widthOf(column, c)]));
  const kept = new Set<string>();
  let used = 0;
  for (const key of important) {
    used += widths.get(key) ?? 0;
    if (kept.size > 0 && used > width) break;
    kept.add(key);
  }
  return {
    columns: columns.filter(({ key }) => kept.has(key)),
    left: columns.filter(({ key }) => important.includes(key) && !kept.has(key)).map(({ label }) => label),
  };
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
