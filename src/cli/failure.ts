/** Makes one line and an exit code of whatever a command threw. */

import { tmpdir } from "node:os";
import { dirname, isAbsolute, relative } from "node:path";
import { CheckFailed, FormatError, systemReason, UsageError } from "../base/errors.ts";
import { PART } from "../node/durable.ts";
import { isRaw, mayBeReplaced } from "../node/raw-path.ts";

export const EXIT = { done: 0, failed: 1, usage: 2, skipped: 3, SIGINT: 130, SIGTERM: 143 } as const;

interface Failure {
  readonly line: string;
  readonly code: number;
}

interface FailureSetting {
  /** The words to put before --help in the hint. */
  readonly command: string;
  /** The input files of the command line, for system errors that name none. */
  readonly files: readonly string[];
  isOutput(path: string): boolean;
}

export function describeFailure(error: unknown, setting: FailureSetting): Failure {
  if (error instanceof UsageError) {
    const words = setting.command === "" ? "plimsoll" : `plimsoll ${setting.command}`;
    return { line: oneLine(`${error.message}; see ${words} --help`), code: EXIT.usage };
  }
  if (error instanceof FormatError || error instanceof CheckFailed)
    return { line: oneLine(error.message), code: EXIT.failed };
  if ((error as { missing?: unknown })?.missing === DATABASE)
    return { line: oneLine(missingDatabase(error as NodeJS.ErrnoException)), code: EXIT.failed };
  const system = systemMessage(error, setting);
  if (system !== undefined) return { line: oneLine(system), code: EXIT.failed };
  const message = error instanceof Error ? error.message || error.name : String(error);
  const line = oneLine(`internal error: ${message} (run again with --debug for the stack)`);
  return { line, code: EXIT.failed };
}

/** The package whose absence the build marks (scripts/build.mjs). */
const DATABASE = "@duckdb/node-bindings";

const missingDatabase = ({ code, message }: NodeJS.ErrnoException): string =>
  code === "MODULE_NOT_FOUND"
    ? "this command needs the database DuckDB, which this installation (the core variant) has not; install the full plimsoll package"
    : `the database DuckDB cannot be loaded: ${message}`;

/** The stack of an error and of each cause, for --debug. */
export function stackOf(error: unknown): string {
  let text = "";
  for (let at = error, depth = 0; at !== undefined && depth < 10; depth++) {
    text += `${depth === 0 ? "" : "caused by: "}${at instanceof Error ? (at.stack ?? at.message) : String(at)}\n`;
    at = at instanceof Error ? at.cause : undefined;
  }
  return text;
}

/** File names can hold line breaks and terminal codes; a message must not. */
export function oneLine(text: string): string {
  return text.replace(/\s*[\r\n]+\s*/g, " ").replace(/[\x00-\x1f\x7f-\x9f]/g, (character) => {
    return `\\x${character.charCodeAt(0).toString(16).padStart(2, "0")}`;
  });
}

const WRITING_CODES = new Set(["ENOSPC", "EDQUOT", "EROFS", "EEXIST", "ENOTEMPTY", "EFBIG"]);
const WRITING_CALLS = new Set([
  "write",
  "mkdir",
  "mkdtemp",
  "rename",
  "unlink",
  "rmdir",
  "ftruncate",
  "fsync",
  "link",
]);

function systemMessage(error: unknown, { files, isOutput }: FailureSetting): string | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code, path, syscall } = error as NodeJS.ErrnoException;
  const reason = systemReason(error);
  // A module that cannot be found is our fault, and has no system call.
  if (code === undefined || reason === undefined || syscall === undefined) return undefined;
  if ((path === undefined || !isAbsolute(path)) && currentFolderIsGone())
    return "the current folder no longer exists; change to another one (cd)";
  if (syscall === "mkdtemp" && path !== undefined && relative(tmpdir(), dirname(path)) === "")
    return `cannot write temporary files in ${dirname(path)}: ${systemReason(error, "folder")}; set TMPDIR to a folder that you can write`;
  const writing =
    WRITING_CODES.has(code) ||
    WRITING_CALLS.has(syscall) ||
    (path !== undefined && (PART.test(path) || isOutput(path)));
  // People know the output by its own name, not by the one it has until it is whole.
  const what = path?.replace(PART, "") ?? (!writing && files.length === 1 ? files[0] : undefined);
  const target = what === undefined ? "" : ` ${what}`;
  const unopenable = path !== undefined && code === "ENOENT" && (isRaw(path) || mayBeReplaced(path));
  const why = unopenable
    ? "no such file (not every command can open a name that is not UTF-8; rename the file)"
    : systemReason(error, writing ? "folder" : "file");
  return `cannot ${writing ? "write" : "read"}${target}: ${why}`;
}

function currentFolderIsGone(): boolean {
  try {
    process.cwd();
    return false;
  } catch {
    return true;
  }
}
