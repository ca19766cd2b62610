/**
 * Rows without names of people, projects, machines and files, for others to look at. Each name becomes a code of the name and
 * a key: the same name has the same code in all tables, and nobody without the key can try names.
 */
import { createHmac } from "node:crypto";
import { assert } from "../base/assert.ts";
import { type Column, STORE_SCHEMA, type TableSchema } from "../model/index.ts";
import { quoteName, quoteText } from "./database.ts";

/** Texts that are words of ours, of Lustre or of Slurm; every other text is a name. */
const WORDS: ReadonlySet<string> = new Set([
  ...["jobs.source", "jobs.state", "runs.clock", "runs.log_version", "runs.library_version", "runs.modules"],
  ...["runs.partial_modules", "accesses.layer", "accesses.fs_type", "accesses.osts", "sources.status"],
  ...["minutes.target", "targets.target", "readings.target", "readings.kind", "target_states.target"],
  ...["target_states.recovery", "exports.target", "job_mounts.kind", "servers.health", "job_hours.target"],
  ...[
    "target_hours.target",
    "target_days.target",
    "minutes.why",
    "targets.why",
    "servers.why",
    "exports.why",
  ],
]);
/** Sentences that may hold names in them. */
const SENTENCES: ReadonlySet<string> = new Set(["warnings", "node_warnings", "reason", "command_line"]);
/** Numbers that are made of names or stand for people. */
const NUMBERS: ReadonlySet<string> = new Set([
  ...["user_id", "run_id", "file_id", "application_id", "job_key", "hash_high", "hash_low"],
]);

const KNOWN = new Map(
  STORE_SCHEMA.flatMap(({ name, columns }) => columns.map((one) => [`${name}.${one.name}`, one])),
);
assert(
  [...WORDS].every((word) => KNOWN.get(word)?.type === "text"),
  "words that stay are texts of the store",
);
assert(
  [...SENTENCES, ...NUMBERS].every((name) => [...KNOWN.values()].some((column) => column.name === name)),
  "what is hidden by its name is a column of the store",
);

/** All columns of a table, as expressions that keep its types. */
export function withoutNames({ name: table, columns }: TableSchema, query: string, key: string): string {
  // The key itself is in no statement.
  const secret = quoteText(createHmac("sha256", key).update("plimsoll store export").digest("hex"));
  const code = (text: string) => `sha256(${secret} || sha256(${secret} || ${text}))`;
  const expression = (column: Column): string => {
    const name = quoteName(column.name);
    if (NUMBERS.has(column.name)) {
      const wide = column.name === "job_key" ? quoteName("job_id") : `${name}::VARCHAR`;
      const number = `('0x' || left(${code(wide)}, ${column.type === "i64" ? 13 : 16}))::${column.type === "i64" ? "BIGINT" : "UBIGINT"}`;
      return `case when ${name} is null then null else ${number} end as ${name}`;
    }
    if (column.type !== "text" || WORDS.has(`${table}.${column.name}`)) return name;
    if (SENTENCES.has(column.name)) return `null::VARCHAR as ${name}`;
    return `case when ${name} = '' then '' else 'x' || left(${code(name)}, 16) end as ${name}`;
  };
  return `select ${columns.map(expression).join(", ")} from (${query})`;
}
