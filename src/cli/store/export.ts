/** `plimsoll store export`: a table for other programs. */
import { closeSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { formatCount } from "../../base/units.ts";
import { STORE_SCHEMA } from "../../model/index.ts";
import { syncFile, syncFolder } from "../../node/durable.ts";
import { createOutput, temporaryPath } from "../../node/output-file.ts";
import { exportTable, Store, verifySegments } from "../../store/index.ts";
import { defineCommand } from "../command.ts";
import type { Context } from "../context.ts";
import { writeJson } from "../json.ts";
import { ENGINE_OPTIONS, STORE_ARGUMENT, storeOptions } from "./options.ts";

const FORMATS = ["parquet", "csv", "ndjson"] as const;
type ExportFormat = (typeof FORMATS)[number];

export default defineCommand({
  name: "store export",
  description:
    "Writes all rows of a table to one file, which appears only when complete. Verifies the checksums of the segments first and fails on damage. Duplicate runs are written once. In NDJSON (one JSON object per line) integers beyond 2^53 are strings; missing values are null, and empty in CSV. In CSV, text that a spreadsheet would run as a formula starts with an apostrophe.",
  arguments: [STORE_ARGUMENT],
  options: {
    table: {
      kind: "choice",
      choices: STORE_SCHEMA.map(({ name }) => name),
      help: "table to export",
    },
    output: { kind: "string", short: "o", help: "output file", valueName: "FILE" },
    format: {
      kind: "choice",
      choices: FORMATS,
      help: "file format (default: by file extension)",
    },
    ...ENGINE_OPTIONS,
  },
  examples: [
    {
      command: "plimsoll store export centre.store --table accesses -o accesses.parquet",
      does: "for pandas, R, Spark",
    },
    { command: "plimsoll store export centre.store --table runs -o runs.csv", does: "for a spreadsheet" },
  ],
  async run({ arguments: [path = ""], options }, context) {
    const table = STORE_SCHEMA.find(({ name }) => name === options.table);
    if (table === undefined)
      throw new UsageError(`--table is missing (have: ${STORE_SCHEMA.map(({ name }) => name).join(", ")})`);
    const { output: out } = options;
    if (out === undefined) throw new UsageError("--output is missing: name a file");
    const format = (options.format ?? formatOf(out)) as ExportFormat;
    const store = await Store.open(path, storeOptions(options));
    // A copy that others trust is made of rows that are as they were stored.
    await verifySegments(store.path, store.batches(), [table.name]);
    let rows: number;
    if (format === "ndjson") rows = await exportLines(store, table.name, out, context);
    else {
      const temporary = temporaryPath(out);
      const partial = context.partialOutput(temporary);
      // DuckDB would say it in its own words.
      closeSync(openSync(temporary, "w"));
      rows = await exportTable(store, table, temporary, { ...storeOptions(options), format });
      syncFile(temporary);
      renameSync(temporary, out);
      syncFolder(dirname(out));
      partial.done();
    }
    await store.close();
    if (context.json) context.printJson({ table: table.name, path: out, format, rows });
    else context.note(`wrote ${formatCount(rows)} rows of ${table.name} to ${out}`);
  },
});

function formatOf(path: string): ExportFormat {
  const format = FORMATS.find((one) => path.toLowerCase().endsWith(`.${one}`));
  if (format === undefined)
    throw new UsageError(
      `--output ${path}: expected a name that ends in .parquet, .csv or .ndjson, or --format`,
    );
  return format;
}

async function exportLines(store: Store, table: string, path: string, context: Context): Promise<number> {
  const partial = context.partialOutput(temporaryPath(path));
  const output = createOutput(path);
  const query = await store.query();
  let rows = 0;
  try {
    const { columns, pieces } = await query.raw(`from ${table}`);
    const encoder = new TextEncoder();
    for await (const piece of pieces()) {
      let text = "";
      for (const row of piece) {
        writeJson(Object.fromEntries(columns.map(({ name }, index) => [name, row[index]])), (part) => {
          text += part;
        });
        text += "\n";
      }
      output.append(encoder.encode(text));
      rows += piece.length;
    }
    output.commit();
    partial.done();
    return rows;
  } catch (error) {
    output.abort();
    throw error;
  } finally {
    query.close();
  }
}
