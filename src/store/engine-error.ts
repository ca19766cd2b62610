/** What DuckDB says, as the errors that the rest of the program knows. */
import { join } from "node:path";
import { FormatError, LimitError, systemError, UsageError } from "../base/errors.ts";
import { changedSegment } from "./changed-segment.ts";
import type { Database } from "./database.ts";
import { sizeOf } from "./files.ts";
import type { BatchInfo } from "./manifest.ts";

/** Kinds of message that a wrong query causes, and nothing else. */
const QUERY_FAULTS =
  /^(?:Failed to extract statements: )?(?:Parser|Binder|Catalog|Conversion|Out of Range|Not implemented|Permission|Mismatch Type|Syntax|Invalid Input|Parameter Not Allowed|Invalid Configuration|Dependency|Sequence|Constraint|TransactionContext|Invalid type) Error: /;

const SYSTEM: readonly (readonly [RegExp, string])[] = [
  [/No space left on device/, "ENOSPC"],
  [/Disk quota exceeded/, "EDQUOT"],
  [/Read-only file system/, "EROFS"],
  [/Permission denied/, "EACCES"],
  [/Input\/output error/, "EIO"],
  [/Too many open files/, "EMFILE"],
  [/File too large/, "EFBIG"],
];

/** The system's error behind a message of DuckDB, if that is what it is. `writing` is the file that was being written. */
export function systemErrorOf(error: unknown, writing?: string): Error | undefined {
  const message = messageOf(error);
  const code = SYSTEM.find(([pattern]) => pattern.test(message))?.[1];
  if (code === undefined || !/IO Error|Could not|Cannot/.test(message)) return undefined;
  const path = writing ?? /"([^"]+)"/.exec(message)?.[1] ?? "";
  const wrote = writing !== undefined || /write|create|truncate|sync/i.test(message);
  return systemError(code, wrote ? "write" : "open", path, error);
}

/** Kinds of those that values in a segment cause as well. */
const VALUE_FAULTS = /^(?:Conversion|Out of Range|Invalid Input|Mismatch Type|Invalid type) Error: /;

/**
 * Makes the error of a query of ours clear. Our queries fit the tables, so where one does not fit, a segment has other
 * columns or values than its table; what is left is our own fault and comes back unchanged.
 */
export async function ownReadingError(
  error: unknown,
  store: string,
  live: readonly BatchInfo[],
  { connection, memoryBytes }: Pick<Database, "connection" | "memoryBytes">,
): Promise<unknown> {
  const message = messageOf(error);
  const isFault = isEngineError(error) && QUERY_FAULTS.test(message);
  const changed =
    isFault && brokenSegment(store, live) === undefined
      ? await changedSegment(connection, store, live)
      : undefined;
  if (changed !== undefined) return new FormatError(changed.source, {}, changed.detail, { cause: error });
  const clear = readingError(error, store, live, memoryBytes);
  if (clear !== error || !isFault || !VALUE_FAULTS.test(message)) return clear;
  const what = `a value in it is out of range (${firstLine(message)}); to look for damage: plimsoll store check --deep`;
  return new FormatError(store, {}, what, { cause: error });
}

/** Makes the error of a query over the live batches of a store clear. Faults of the query itself come back unchanged. */
export function readingError(
  error: unknown,
  store: string,
  live: readonly BatchInfo[],
  memoryBytes: number,
): unknown {
  if (!isEngineError(error)) return error;
  const message = messageOf(error);
  if (/^Out of Memory Error/.test(message)) {
    const mb = Math.round(memoryBytes / 1024 / 1024);
    return new LimitError(store, {}, `the query needs more than ${mb} MiB of memory; raise --memory`, {
      cause: error,
    });
  }
  const broken = brokenSegment(store, live);
  if (broken !== undefined) return new FormatError(broken.path, {}, broken.what, { cause: error });
  const system = systemErrorOf(error);
  if (system !== undefined) return system;
  const segment = live
    .flatMap(({ tables }) => Object.values(tables).flat())
    .find(({ file }) => message.includes(file));
  if (segment !== undefined)
    return new FormatError(join(store, segment.file), {}, `damaged segment: ${firstLine(message)}`, {
      cause: error,
    });
  if (QUERY_FAULTS.test(message)) return error;
  const what = `a segment is damaged (${firstLine(message)}); plimsoll store repair lists it and the losses`;
  return new FormatError(store, {}, what, { cause: error });
}

/** Makes the error of reading one Parquet file that is not of a store clear: damage, memory, or the system's. */
export function fileError(error: unknown, path: string, memoryBytes: number): unknown {
  if (!isEngineError(error)) return error;
  const message = messageOf(error);
  if (/^Out of Memory Error/.test(message)) {
    const mb = Math.round(memoryBytes / 1024 / 1024);
    return new LimitError(path, {}, `reading it needs more than ${mb} MiB of memory; raise --memory`, {
      cause: error,
    });
  }
  const what = firstLine(message).replace(/^(?:Invalid(?: Input)?|IO|Conversion) Error: /, "");
  return (
    systemErrorOf(error) ??
    new FormatError(path, {}, `not a readable Parquet file: ${what}`, { cause: error })
  );
}

/** The first segment that is not there, or has another size than the manifest says. */
function brokenSegment(
  store: string,
  batches: readonly BatchInfo[],
): { path: string; what: string } | undefined {
  for (const { tables } of batches) {
    for (const { file, bytes } of Object.values(tables).flat()) {
      const path = join(store, file);
      const found = sizeOf(path);
      if (found === undefined)
        return {
          path,
          what: "segment is missing; if a compaction ran at the same time, try again, else see plimsoll store repair",
        };
      if (found !== bytes)
        return {
          path,
          what: `damaged segment: ${found} bytes, the manifest says ${bytes}; see plimsoll store repair`,
        };
    }
  }
  return undefined;
}

/**
 * A wrong query as one line with its place: `SQL line 1, column 8: Referenced column "x" not found …`. Other errors
 * come back unchanged.
 */
export function queryFault(error: unknown, sql: string): unknown {
  const message = messageOf(error);
  if (!isEngineError(error) || !QUERY_FAULTS.test(message)) return error;
  const text = message
    .replace(QUERY_FAULTS, "")
    .replace(/\n\nLINE \d+: [\s\S]*$/, "")
    .replace(/\s*\n\s*/g, " ")
    .trim();
  return new UsageError(`SQL${placeOf(message, sql)}: ${text}`, { cause: error });
}

/** DuckDB shows a piece of the line with a caret below; long lines are cut at both ends. */
function placeOf(message: string, sql: string): string {
  const [, number, shown = "", caret = ""] = /\n\nLINE (\d+): ([^\n]*)\n( *)\^/.exec(message) ?? [];
  if (number === undefined) return "";
  const line = sql.split("\n")[Number(number) - 1] ?? "";
  const at = caret.length - `LINE ${number}: `.length;
  const cut = shown.startsWith("...") ? 3 : 0;
  const start = cut === 0 ? 0 : line.indexOf(shown.slice(cut).replace(/\.\.\.$/, ""));
  return start < 0 ? ` line ${number}` : ` line ${number}, column ${start + at - cut + 1}`;
}

/** DuckDB throws plain errors without a code. */
function isEngineError(error: unknown): error is Error {
  return error instanceof Error && Object.getPrototypeOf(error) === Error.prototype && !("code" in error);
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function firstLine(message: string): string {
  return message.split("\n", 1)[0] ?? "";
}
