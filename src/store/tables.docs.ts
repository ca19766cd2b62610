/** docs/store-tables.md: the tables of a store. */
import type { TableSchema } from "../model/schema.ts";
import { STORE_SCHEMA, STORE_VERSION } from "../model/store-schema.ts";
import { sqlType } from "./sql-types.ts";

export const path = "docs/store-tables.md";

export function generate(): string {
  const intro = `# The tables of a store

Version ${STORE_VERSION}. Made by \`npm run docs\` from \`src/model/store-schema.ts\`; do not edit. \`plimsoll store schema\` prints the same.

Types are those of DuckDB, and of the Parquet columns. What was not recorded is NULL, never zero; \`UBIGINT\`,
\`INTEGER\` and \`UTINYINT\` columns always have a value. Flags are 0 or 1.
`;
  return [intro, ...STORE_SCHEMA.map(section)].join("\n");
}

function section(table: TableSchema): string {
  const rows = table.columns.map(
    ({ name, type, unit, meaning, origin }) =>
      `| \`${name}\` | ${sqlType(type)} | ${unit} | ${meaning} | ${origin} |`,
  );
  return `## ${table.name}

One row: ${table.row}. Filled by: ${table.filledBy}.

| column | type | unit | meaning | origin |
|---|---|---|---|---|
${rows.join("\n")}
`;
}
