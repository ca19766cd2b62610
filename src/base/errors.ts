/**
 * The kinds of failure. Bad input is a `FormatError`, a bad request is a `UsageError`, what does not hold is `CheckFailed`, and a
 * fault of our own is an `AssertionError` (see assert.ts), which nobody catches to carry on.
 */

/** Where in an input something was found: a byte offset in a binary file or a line in a text file. */
interface Place {
  readonly offset?: number;
  readonly line?: number;
}

/**
 * The input is bad. `source` names the input (a path or any label), the place is where it was noticed, and the
 * message says what was expected and what was found, in one line.
 */
export class FormatError extends Error {
  readonly source: string;
  readonly offset: number | undefined;
  readonly line: number | undefined;
  /** The message without the source and place. */
  readonly detail: string;

  constructor(source: string, place: Place, detail: string, options?: ErrorOptions) {
    const where =
      place.offset !== undefined
        ? `byte ${place.offset}: `
        : place.line !== undefined
          ? `line ${place.line}: `
          : "";
    super(`${source}: ${where}${detail}`, options);
    this.name = "FormatError";
    this.source = source;
    this.offset = place.offset;
    this.line = place.line;
    this.detail = detail;
  }
}

/** The input asks for more than a limit allows; the message names the option that raises it. */
export class LimitError extends FormatError {
  constructor(source: string, place: Place, detail: string, options?: ErrorOptions) {
    super(source, place, detail, options);
    this.name = "LimitError";
  }
}

/** The request is bad: an unknown option, a value out of range, options that contradict each other. */
export class UsageError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UsageError";
  }
}

/** What was to be checked does not hold, or this machine lacks what is needed: no fault of ours, nor of the input. */
export class CheckFailed extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "CheckFailed";
  }
}

/** Calls on a descriptor, such as write and fsync, do not say which file they failed on; a message must. */
export function namedError(error: unknown, path: string): unknown {
  if (error instanceof Error && "code" in error && (error as { path?: unknown }).path === undefined)
    Object.assign(error, { path });
  return error;
}

/** A system error of `call` that names no file gets the name of this one. */
export function inFile<T>(path: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    throw namedError(error, path);
  }
}

/** What is wrong with a path or the file behind it. */
const PATH_REASONS: Readonly<Record<string, string>> = {
  ENOENT: "no such file",
  EACCES: "permission denied",
  EPERM: "not permitted",
  EISDIR: "is a folder",
  ENOTDIR: "a part of the path is not a folder",
  ELOOP: "too many symbolic links",
  ENAMETOOLONG: "name too long",
  EIO: "input/output error",
  ENXIO: "not a regular file or pipe",
  ESTALE: "stale file handle",
};

/** What else stops a call on files. */
const OTHER_REASONS: Readonly<Record<string, string>> = {
  EMFILE: "too many open files; raise ulimit -n",
  ENFILE: "too many open files on this machine",
  ENOSPC: "no space left",
  EDQUOT: "quota exceeded",
  EROFS: "read-only file system",
  EEXIST: "exists already",
  ENOTEMPTY: "folder is not empty",
  EFBIG: "file too large",
};

const codeIn = (error: unknown) => String((error as { code?: unknown } | null | undefined)?.code ?? "");

/** Why a call on a file failed, in words; undefined where it is no error of the system that can be told so. */
export function systemReason(error: unknown, what: "file" | "folder" = "file"): string | undefined {
  const code = codeIn(error);
  if (code === "ENOENT") return `no such ${what}`;
  return PATH_REASONS[code] ?? OTHER_REASONS[code];
}

/** The same where the path is to blame, and neither the machine nor what is written. */
export const pathReason = (error: unknown): string | undefined => PATH_REASONS[codeIn(error)];

/** An error as Node's own calls throw it, for what something else ran into. */
export function systemError(
  code: string,
  syscall: string,
  path: string,
  cause?: unknown,
): Error & { readonly code: string } {
  return Object.assign(new Error(`${code}: ${syscall} '${path}'`, { cause }), { code, syscall, path });
}
