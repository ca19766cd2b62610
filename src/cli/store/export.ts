/** `plimsoll store export`: a table for other programs. */
import { UsageError } from "../../base/errors.ts";
import { formatCount } from "../../base/units.ts";
import { STORE_SCHEMA } from "../../model/index.ts";
import { exportFile, type ExportFormat, useStore } from "../../store/index.ts";
import { defineCommand } from "../command.ts";
import { ENGINE_OPTIONS, STORE_ARGUMENT, storeOptions } from "./options.ts";
import { option } from "../option.ts";

const FORMATS: readonly ExportFormat[] = ["parquet", "csv", "ndjson"];

export default defineCommand({
  name: "store export",
  description:
    "Writes all rows of a table to one file, which appears only when complete. Verifies the checksums of the segments first and fails on damage. Duplicate runs are written once. In NDJSON (one JSON object per line) integers beyond 2^53 are strings; missing values are null, and empty in CSV. --without-names replaces all names, and ids derived from them, by codes: with the same key a name has the same code in every table. Text that may contain names (warnings, command lines, reasons) is dropped; target names, times and counters stay. In CSV, text that a spreadsheet would run as a formula starts with an apostrophe. If a store has generated data, every table says so in its column synthetic or origin.",
  arguments: [STORE_ARGUMENT],
  options: {
    table: option.choice(
      STORE_SCHEMA.map(({ name }) => name),
      "table to export",
    ),
    output: option.output("FILE", "output file"),
    "without-names": option.text(
      "KEY",
      "replace names of users, accounts, jobs, nodes, files and file systems by codes of this key (8 characters or more)",
    ),
    format: option.choice(FORMATS, "file format (default: by file extension)"),
    ...ENGINE_OPTIONS,
  },
  examples: {
    "plimsoll store export centre.store --table accesses -o accesses.parquet": "for pandas, R, Spark",
    "plimsoll store export centre.store --table runs -o runs.csv": "for a spreadsheet",
    'plimsoll store export centre.store --table jobs --without-names "$(cat key)" -o jobs.parquet':
      "for others, without names",
  },
  async run({ arguments: [path = ""], options }, context) {
    const table = STORE_SCHEMA.find(({ name }) => name === options.table);
    if (table === undefined)
      throw new UsageError(`--table is missing (have: ${STORE_SCHEMA.map(({ name }) => name).join(", ")})`);
    const { output: out } = options;
    if (out === undefined) throw new UsageError("--output is missing: name a file");
    const { withoutNames: nameKey } = options;
    const format = (options.format ?? formatOf(out)) as ExportFormat;
    const setting = { ...storeOptions(options), format, ...(nameKey === undefined ? {} : { nameKey }) };
    const rows = await useStore(path, storeOptions(options), (store) =>
      exportFile(store, table, out, setting, context),
    );
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
