/** docs/model.md: the tables and their columns. */
import { SCHEMA, type TableSchema } from "./schema.ts";

export const path = "docs/model.md";

export function generate(): string {
  const intro = `# The model

Everything that Plimsoll reads or records becomes rows of these tables. Made by \`npm run docs\` from
\`src/model/schema.ts\`; do not edit.

Types: \`i64\` and \`u64\` are exact 64-bit integers, \`f64\` a double, \`flag\` 0 or 1. A value that was not recorded is null
(in memory: NaN in \`f64\`, -2^63 in \`i64\`); it is never zero. \`u64\`, \`i32\` and \`flag\` columns always have a value.
`;
  return [intro, ...SCHEMA.map(section)].join("\n");
}

function section(table: TableSchema): string {
  const rows = table.columns.map(
    ({ name, type, unit, meaning, origin }) => `| \`${name}\` | ${type} | ${unit} | ${meaning} | ${origin} |`,
  );
  return `## ${table.name}

One row: ${table.row}. Filled by: ${table.filledBy}.

| column | type | unit | meaning | origin |
|---|---|---|---|---|
${rows.join("\n")}
`;
}
