/** `plimsoll sql`: questions to a store. */
import { textTable } from "../base/text-table.ts";
import { csvRow } from "../base/csv.ts";
import { UsageError } from "../base/errors.ts";
import { formatCount } from "../base/units.ts";
import { isSynthetic, originText, type SqlValue } from "../model/index.ts";
import { askStore, provenanceOf, type SqlResult } from "../store/index.ts";
import { defineCommand } from "./command.ts";
import type { Context } from "./context.ts";
import { writeJson } from "../base/json.ts";
import { ENGINE_OPTIONS, storeOptions } from "./store/options.ts";
import { option } from "./option.ts";

/** On a terminal nobody reads more, and widths need all rows first. */
const TERMINAL_ROWS = 1000;
const WIDEST = 60;
const WRITE_CHARACTERS = 1 << 20;

export default defineCommand({
  name: "sql",
  description:
    "Runs one read-only DuckDB SQL statement over the tables of a store (runs, accesses, files, sources, jobs, minutes, targets, readings and the view job_totals; see plimsoll store schema). Prints a table on a terminal, CSV elsewhere, and with --json an array of objects in which integers beyond 2^53 are strings. In CSV, text that a spreadsheet would run as a formula starts with an apostrophe, and fractions have 15 digits. The statement can neither write nor read other files. If it needs more than --memory, it fails with a one-line error.",
  arguments: [{ name: "statement", help: 'such as "select count(*) from runs"', kind: "text" }],
  options: {
    store: option.text("STORE", "store folder"),
    "max-rows": option.whole(
      `stop after this many rows, 0 for all (default: ${TERMINAL_ROWS} on a terminal, else all)`,
      { min: 0 },
    ),
    ...ENGINE_OPTIONS,
  },
  examples: {
    'plimsoll sql --store centre.store "select application, count(*) from runs group by all"':
      "runs of each application",
    'plimsoll sql --store centre.store "select * from runs" > runs.csv': "a table as CSV",
    'plimsoll sql --store centre.store "describe accesses"': "the columns of a table",
  },
  async run({ arguments: [statement = ""], options }, context) {
    if (options.store === undefined) throw new UsageError("--store is missing: name a store folder");
    const asTable = context.stdoutIsTerminal && !context.json;
    const most = (options.maxRows ?? (asTable ? TERMINAL_ROWS : 0)) || Number.POSITIVE_INFINITY;
    const print = context.json ? printObjects : asTable ? printTable : printCsv;
    try {
      await askStore(options.store, storeOptions(options), async (db) => {
        const provenance = await provenanceOf(db, ["runs", "jobs", "readings"]);
        const result = await db.raw(statement, most);
        await print(result, context);
        if (isSynthetic(provenance)) context.note(`data of this store: ${originText(provenance)}`);
        if (result.isCut)
          context.note(`stopped after ${formatCount(most)} rows; there are more (--max-rows 0 for all)`);
      });
    } catch (error) {
      throw isTooLong(error)
        ? new UsageError(
            "SQL: cannot print a text of 512 MiB or more; shorten it, for instance with left(text, 1000)",
          )
        : error;
    }
  },
});

/** Of strings that are longer than V8 allows: made by Node, or joined by us. */
const isTooLong = (error: unknown) =>
  error instanceof Error &&
  ((error as NodeJS.ErrnoException).code === "ERR_STRING_TOO_LONG" ||
    error.message === "Invalid string length");

async function* piecesOf(result: SqlResult, context: Context): AsyncGenerator<SqlValue[][]> {
  for await (const piece of result.pieces()) {
    yield piece;
    await context.yieldToEvents();
  }
}

async function printObjects(result: SqlResult, context: Context): Promise<void> {
  const write = (text: string) => context.out.write(text);
  let separator = "[";
  for await (const piece of piecesOf(result, context)) {
    for (const row of piece) {
      write(separator);
      writeJson(Object.fromEntries(result.columns.map(({ name }, index) => [name, row[index]])), write);
      separator = ",\n";
    }
  }
  write(separator === "[" ? "[]\n" : "]\n");
}

async function printCsv(result: SqlResult, context: Context): Promise<void> {
  context.out.write(`${csvRow(result.columns.map(({ name }) => name))}\n`);
  for await (const piece of piecesOf(result, context)) {
    let text = "";
    for (const row of piece) {
      text += `${csvRow(row)}\n`;
      // Rows may be long.
      if (text.length < WRITE_CHARACTERS) continue;
      context.out.write(text);
      text = "";
    }
    context.out.write(text);
  }
}

async function printTable(result: SqlResult, context: Context): Promise<void> {
  const { columns } = result;
  const { color, out } = context;
  const isPlan = columns[0]?.name === "explain_key";
  const cells: string[][] = [];
  for await (const piece of piecesOf(result, context))
    for (const row of piece)
      if (isPlan) out.write(`${row[1]}\n`);
      else cells.push(row.map(cell));
  if (isPlan) return;
  const [heading = "", ...lines] = textTable(
    columns.map(({ name, numeric }) => ({ label: cell(name), right: numeric })),
    cells,
    { rule: true },
  );
  out.write(`${color ? `\x1b[1m${heading}\x1b[0m` : heading}\n`);
  for (const line of lines) out.write(`${line}\n`);
  out.write(`(${formatCount(cells.length)} row${cells.length === 1 ? "" : "s"})\n`);
}

/** Control characters could do anything to a terminal. */
function cell(value: SqlValue): string {
  if (value === null) return "NULL";
  const text = String(value);
  const clean = text.replace(
    /[\x00-\x1f\x7f-\x9f]/g,
    (one) => `\\x${one.charCodeAt(0).toString(16).padStart(2, "0")}`,
  );
  return clean.length > WIDEST ? `${clean.slice(0, WIDEST - 1)}…` : clean;
}
