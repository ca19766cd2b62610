/** Lets through only statements that read. */
import { type DuckDBConnection, type DuckDBPreparedStatement, StatementType } from "@duckdb/node-api";
import { UsageError } from "../base/errors.ts";

const WORDS = new Set(["select", "with", "from", "values", "table", "describe", "desc", "show", "summarize"]);
const ALLOWED = "select, with, from, values, table, describe, show, summarize, explain";

/** Prepares one reading statement; a `UsageError` for anything else. */
export async function prepareReading(
  connection: DuckDBConnection,
  sql: string,
): Promise<DuckDBPreparedStatement> {
  const text = withoutLeadingComments(sql);
  if (text.replace(/[;\s]/g, "") === "") throw new UsageError("SQL: the statement is empty");
  // DuckDB would run what stands behind EXPLAIN ANALYZE, whatever it is.
  const explained = /^explain(?:\s+analyze|\s*\([^()]*\))?\s+([\s\S]*)$/i.exec(text)?.[1];
  const body = explained ?? text;
  const word = /^[a-z]+/i.exec(body.replace(/^[(\s]+/, ""))?.[0].toLowerCase() ?? "";
  // A word that no statement begins with is a slip; DuckDB says where.
  if (WRITING.has(word) || (explained !== undefined && !WORDS.has(word))) throw refused(word);
  const statements = await connection.extractStatements(sql);
  if (statements.count !== 1) throw new UsageError(`SQL: one statement at a time, found ${statements.count}`);
  const prepared = await statements.prepare(0);
  const reads =
    WORDS.has(word) &&
    (prepared.statementType === StatementType.SELECT ||
      (explained !== undefined && prepared.statementType === StatementType.EXPLAIN));
  if (!reads) {
    prepared.destroySync();
    throw refused(word);
  }
  return prepared;
}

const WRITING = new Set(
  "alter analyze attach begin call checkpoint comment commit copy create deallocate delete detach drop execute export force import insert install load merge pragma prepare reset rollback set truncate update upsert use vacuum".split(
    " ",
  ),
);

function refused(word: string): UsageError {
  return new UsageError(`SQL: ${word} is not allowed: stores are read-only (allowed: ${ALLOWED})`);
}

function withoutLeadingComments(sql: string): string {
  return sql.replace(/^(?:\s+|--[^\n]*(?:\n|$)|\/\*[\s\S]*?\*\/)+/, "");
}
