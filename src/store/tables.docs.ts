/** docs/store-tables.md: the tables of a store. */
import { STORE_SCHEMA, STORE_VERSION, type TableSchema } from "../model/index.ts";
import { sqlType } from "./sql-types.ts";

export const path = "docs/store-tables.md";

const TOTALS = `## job_totals

A view: one row for each run of a job, with the columns of \`jobs\` but \`source\`. Facts and times are those of the scheduler,
counters are sums over the rows of its clients, and NULL when no client was read. Clients belong to the run of the same id (and
cluster, where both are known) whose time, with ten minutes on both sides, holds the middle of their readings; the nearest one
when several do. Clients that fit no run are runs of their own; so are those that name no cluster when several clusters have a
job of that number then, with a warning.
`;

export function generate(): string {
  const intro = `# The tables of a store

Version ${STORE_VERSION}. Made by \`npm run docs\` from \`src/model/store-schema.ts\`; do not edit. \`plimsoll store schema\` prints the same.

Types are those of DuckDB, and of the Parquet columns. What was not recorded is NULL, never zero; \`UBIGINT\`,
\`INTEGER\` and \`UTINYINT\` columns always have a value. Flags are 0 or 1.
`;
  return [intro, ...STORE_SCHEMA.map(section), TOTALS].join("\n");
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
