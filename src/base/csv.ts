/**
 * CSV (RFC 4180), for all that write it or read it. As written:
 *
 * - What is not known (null, undefined, NaN) is an empty field; an empty text is quoted.
 * - Numbers have at most 15 digits, which is what a double is sure of: 16777216, not 16777215.999999998. Whole numbers
 *   and bigints have all of theirs. JSON has every bit.
 * - A spreadsheet would run text that begins like a formula. It gets an apostrophe in front, which makes it text; what is
 *   a number, such as -5, stays one.
 */

export type CsvValue = number | bigint | boolean | string | null | undefined;

const DIGITS = 15;

/** Text that spreadsheets take for a formula, unless it is a number or a lone sign. */
export const CSV_FORMULA = /^[=+@\t\r-]./s;
export const CSV_NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;

export function csvField(value: CsvValue): string {
  if (value === null || value === undefined) return "";
  if (typeof value === "number") return numberField(value);
  if (typeof value !== "string") return String(value);
  // A lone surrogate has no bytes in UTF-8.
  const whole = value.replace(/\p{Surrogate}/gu, "\ufffd");
  const text = CSV_FORMULA.test(whole) && !CSV_NUMBER.test(whole) ? `'${whole}` : whole;
  // A semicolon ends a field where the comma is the decimal sign.
  return text === "" || /[",;\t\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function numberField(value: number): string {
  if (Number.isNaN(value)) return "";
  return String(Number.isInteger(value) ? value : Number(value.toPrecision(DIGITS)));
}

/** A row without its end of line. */
export const csvRow = (values: readonly CsvValue[]): string => values.map(csvField).join(",");

/** Rows with the line ends of the standard. */
export const csvText = (rows: readonly (readonly CsvValue[])[]): string =>
  rows.map((row) => `${csvRow(row)}\r\n`).join("");

/** A field with quotes, which blanks may surround, or one without; then a comma or the end. */
const FIELD = /(?:\s*"([^"]*(?:""[^"]*)*)"\s*|(?!\s*")([^,]*))(,|$)/y;

/** Texts of a row; undefined when a quote does not end, or a field goes on behind it. */
export function csvFields(line: string): string[] | undefined {
  if (!line.includes('"')) return line.split(",");
  const fields: string[] = [];
  FIELD.lastIndex = 0;
  for (;;) {
    const match = FIELD.exec(line);
    if (match === null) return undefined;
    fields.push(match[1]?.replaceAll('""', '"') ?? match[2] ?? "");
    if (match[3] === "") return fields;
  }
}
