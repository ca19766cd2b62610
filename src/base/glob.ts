/**
 * Patterns on file names, as rsync and ripgrep have them: `*` and `?` stay within a part of a path, `**` does not, `[abc]` and
 * `[!abc]` are one character, `{a,b}` is either, a backslash takes the next character as it is. A pattern without a slash
 * is about the last part, one with a slash in the middle about the last parts; one that begins with a slash is about the
 * whole path, and one that ends with a slash about everything below.
 */
import { UsageError } from "./errors.ts";

const ALTERNATIVES_MAX = 1000;
const PART = /\\[\s\S]|\*\*+\/?|[*?]|\[[!^]?\]?[^\]/]*\]|[^\w\s/]/gu;

function globMatcher(pattern: string): (path: string) => boolean {
  const tests = alternativesOf(pattern).map(regexOf);
  return (path) => tests.some((test) => test.test(path));
}

function regexOf(pattern: string): RegExp {
  const whole = pattern.endsWith("/") ? `${pattern}**` : pattern;
  const body = whole.replace(PART, (part) => {
    if (part.startsWith("**")) return part.endsWith("/") ? "(?:[^]*/)?" : "[^]*";
    if (part === "*") return "[^/]*";
    if (part === "?") return "[^/]";
    if (part.startsWith("\\") && part.length > 1) return literal([...part][1] as string);
    return part.length > 1 && part.startsWith("[") ? classOf(part) : literal(part);
  });
  return new RegExp(`${whole.startsWith("/") ? "^" : "(?:^|/)"}${body}$`, "u");
}

const literal = (text: string) => text.replace(/[$()*+./?[\\\]^{|}]/g, "\\$&");
const member = (text: string) => (text === "-" ? "\\-" : literal(text));

/** `[!a-c]` as a class of a regular expression. A range that runs backwards holds nothing, as in a shell. */
function classOf(part: string): string {
  const isNot = /^\[[!^]/.test(part);
  const members = [...part.slice(isNot ? 2 : 1, -1)];
  let body = "";
  for (let i = 0; i < members.length; i++) {
    const [from, dash, to] = [members[i] as string, members[i + 1], members[i + 2]];
    if (dash !== "-" || to === undefined) body += member(from);
    else {
      if ((from.codePointAt(0) as number) <= (to.codePointAt(0) as number))
        body += `${member(from)}-${member(to)}`;
      i += 2;
    }
  }
  if (isNot) return `[^/${body}]`;
  return body === "" ? "[]" : `(?!/)[${body}]`;
}

/** Without braces: `a{b,c}` is `ab` and `ac`. Braces that hold no comma, or never close, stand for themselves. */
function alternativesOf(pattern: string): string[] {
  const done: string[] = [];
  const open = [pattern];
  for (let one = open.pop(); one !== undefined; one = open.pop()) {
    const found = bracesIn(one);
    if (found === undefined) done.push(one);
    else for (const choice of found.choices) open.push(found.before + choice + found.after);
    if (done.length + open.length > ALTERNATIVES_MAX)
      throw new UsageError(`${pattern}: more than ${ALTERNATIVES_MAX} alternatives in braces`);
  }
  return done;
}

function bracesIn(pattern: string): { before: string; choices: string[]; after: string } | undefined {
  const starts: number[] = [];
  for (let i = 0; i < pattern.length; i++) {
    if (pattern[i] === "\\") i++;
    else if (pattern[i] === "{") starts.push(i);
    else if (pattern[i] === "}") {
      const start = starts.pop();
      if (start === undefined) continue;
      // The innermost pair: its text has no braces that could be alternatives of their own.
      const choices = splitAtCommas(pattern.slice(start + 1, i));
      if (choices.length > 1)
        return { before: pattern.slice(0, start), choices, after: pattern.slice(i + 1) };
    }
  }
  return undefined;
}

function splitAtCommas(text: string): string[] {
  const parts = [""];
  for (let i = 0; i < text.length; i++) {
    if (text[i] === ",") parts.push("");
    else {
      parts[parts.length - 1] += text[i] as string;
      if (text[i] === "\\") parts[parts.length - 1] += text[++i] ?? "";
    }
  }
  return parts;
}

/** Which names are meant: those that match one of `include` (all without any), and none of `exclude`. */
export interface NamePatterns {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
}

interface Pattern {
  /** As it was given, with its option. */
  readonly text: string;
  readonly matches: (name: string) => boolean;
  isUsed: boolean;
}

/** What a filter has seen: names, those it kept, and which of its patterns matched. */
export interface FilterState {
  readonly names: number;
  readonly kept: number;
  readonly used: readonly boolean[];
}

/** Applies patterns and remembers which of them matched anything. */
export class NameFilter implements NamePatterns {
  readonly include: readonly string[];
  readonly exclude: readonly string[];
  readonly #include: readonly Pattern[];
  readonly #exclude: readonly Pattern[];
  #names = 0;
  #kept = 0;

  constructor({ include, exclude }: NamePatterns) {
    this.include = include;
    this.exclude = exclude;
    this.#include = include.map((pattern) => patternOf("--include", pattern));
    this.#exclude = exclude.map((pattern) => patternOf("--exclude", pattern));
  }

  keeps(name: string): boolean {
    const isIn = anyOf(this.#include, name);
    const isOut = anyOf(this.#exclude, name);
    const isKept = (isIn || this.#include.length === 0) && !isOut;
    this.#names++;
    if (isKept) this.#kept++;
    return isKept;
  }

  get state(): FilterState {
    const used = [...this.#include, ...this.#exclude].map(({ isUsed }) => isUsed);
    return { names: this.#names, kept: this.#kept, used };
  }

  /** Adds what another filter of the same patterns has seen, in another thread. */
  add({ names, kept, used }: FilterState): void {
    this.#names += names;
    this.#kept += kept;
    for (const [index, pattern] of [...this.#include, ...this.#exclude].entries())
      pattern.isUsed ||= used[index] === true;
  }

  /** Patterns that match nothing are a slip of the pen, and so are patterns that leave nothing. */
  requireMatches(): void {
    const unused = [...this.#include, ...this.#exclude].find(({ isUsed }) => !isUsed);
    if (unused !== undefined) throw new UsageError(`${unused.text}: no file name matches this pattern`);
    if (this.#names > 0 && this.#kept === 0)
      throw new UsageError("--include and --exclude together leave no file");
  }
}

function patternOf(option: string, pattern: string): Pattern {
  if (pattern === "") throw new UsageError(`${option} is empty; expected a pattern such as '*.h5'`);
  return { text: `${option} ${pattern}`, matches: globMatcher(pattern), isUsed: false };
}

/** Whether one of them matches. Those that never did are asked in any case: whether they ever do is wanted, too. */
function anyOf(patterns: readonly Pattern[], name: string): boolean {
  let isMatch = false;
  for (const pattern of patterns) {
    if (isMatch && pattern.isUsed) continue;
    if (!pattern.matches(name)) continue;
    isMatch = true;
    pattern.isUsed = true;
  }
  return isMatch;
}
