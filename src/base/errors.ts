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
