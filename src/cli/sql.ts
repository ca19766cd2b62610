/** `plimsoll sql`: questions to a store. */
import { textTable } from "../base/text-table.ts";
import { csvRow } from "../base/csv.ts";
import { UsageError } from "../base/errors.ts";
import { formatCount } from "../base/units.ts";
import { isSynthetic, originText, type SqlValue } from "../model/index.ts";
import { provenanceOf, type SqlColumn, type SqlResult, Store } from "../store/index.ts";
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
    const store = await Store.open(options.store, storeOptions(options));
    const query = await store.query();
    try {
      const provenance = await provenanceOf(query, ["runs", "jobs", "readings"]);
      const result = await query.raw(statement);
      const asTable = context.stdoutIsTerminal && !context.json;
      const most = (options.maxRows ?? (asTable ? TERMINAL_ROWS : 0)) || Number.POSITIVE_INFINITY;
      const limited = new LimitedRows(result, most, context);
      if (context.json) await printObjects(result.columns, limited, context);
      else if (asTable) await printTable(result.columns, limited, context);
      else await printCsv(result.columns, limited, context);
      if (isSynthetic(provenance)) context.note(`data of this store: ${originText(provenance)}`);
      if (limited.more)
        context.note(`stopped after ${formatCount(most)} rows; there are more (--max-rows 0 for all)`);
    } catch (error) {
      throw isTooLong(error)
        ? new UsageError(
            "SQL: cannot print a text of 512 MiB or more; shorten it, for instance with left(text, 1000)",
          )
        : error;
    } finally {
      query.close();
      await store.close();
    }
  },
});

/** Of strings that are longer than V8 allows: made by Node, or joined by us. */
const isTooLong = (error: unknown) =>
  error instanceof Error &&
  ((error as NodeJS.ErrnoException).code === "ERR_STRING_TOO_LONG" ||
    error.message === "Invalid string length");

/** The rows of a result up to a number, piece by piece. */
class LimitedRows {
  more = false;
  readonly #result: SqlResult;
  readonly #most: number;
  readonly #context: Context;

  constructor(result: SqlResult, most: number, context: Context) {
    this.#result = result;
    this.#most = most;
    this.#context = context;
  }

  async *pieces(): AsyncGenerator<SqlValue[][]> {
    let left = this.#most;
    for await (const piece of this.#result.pieces()) {
      if (piece.length > left) {
        this.more = true;
        yield piece.slice(0, left);
        return;
      }
      yield piece;
      left -= piece.length;
      await this.#context.yieldToEvents();
    }
  }
}

async function printObjects(
  columns: readonly SqlColumn[],
  rows: LimitedRows,
  context: Context,
): Promise<void> {
  let separator = "[";
  for await (const piece of rows.pieces()) {
    for (const row of piece) {
      context.out.write(separator);
      writeJson(Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])), (text) =>
        context.out.write(text),
      );
      separator = ",\n";
    }
  }
  context.out.write(separator === "[" ? "[]\n" : "]\n");
}

async function printCsv(columns: readonly SqlColumn[], rows: LimitedRows, context: Context): Promise<void> {
  context.out.write(`${csvRow(columns.map(({ name }) => name))}\n`);
  for await (const piece of rows.pieces()) {
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

async function printTable(columns: readonly SqlColumn[], rows: LimitedRows, context: Context): Promise<void> {
  if (columns[0]?.name === "explain_key") {
    for await (const piece of rows.pieces()) for (const row of piece) context.out.write(`${row[1]}\n`);
    return;
  }
  const cells: string[][] = [];
  for await (const piece of rows.pieces()) for (const row of piece) cells.push(row.map(cell));
  const [heading = "", ...lines] = textTable(
    columns.map(({ name, numeric }) => ({ label: cell(name), right: numeric })),
    cells,
    { rule: true },
  );
  const { color, out } = context;
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
