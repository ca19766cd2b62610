/** `plimsoll store schema`: what the tables of a store hold. */
import { textTable } from "../../base/text-table.ts";
import { STORE_SCHEMA, STORE_VERSION } from "../../model/index.ts";
import { defineCommand } from "../command.ts";
import { didYouMean } from "../../base/choice.ts";
import { UsageError } from "../../base/errors.ts";

export default defineCommand({
  name: "store schema",
  description:
    "Prints the tables and columns of a store: type, unit, meaning, and source counter. All stores have the same tables. Missing values are NULL, never zero.",
  arguments: [{ name: "table", help: "print only this table", optional: true, kind: "text" }],
  examples: {
    "plimsoll store schema": "all tables",
    "plimsoll store schema runs": "one table",
    "plimsoll store schema --json": "for programs",
  },
  async run({ arguments: [wanted] }, context) {
    const tables = STORE_SCHEMA.filter(({ name }) => wanted === undefined || name === wanted);
    if (tables.length === 0) {
      const names = STORE_SCHEMA.map(({ name }) => name);
      throw new UsageError(
        `unknown table: ${wanted} (have: ${names.join(", ")})${didYouMean(wanted ?? "", names)}`,
      );
    }
    if (context.json) {
      context.printJson({ version: STORE_VERSION, tables });
      return;
    }
    for (const { name, row, columns } of tables) {
      context.out.write(`${name}: ${row}\n`);
      const lines = textTable(
        [{}, { min: 4 }, { min: 9 }, {}],
        columns.map((column) => [`  ${column.name} `, column.type, column.unit, column.meaning]),
        { gap: " " },
      );
      for (const line of lines) context.out.write(`${line}\n`);
      context.out.write("\n");
    }
  },
});
