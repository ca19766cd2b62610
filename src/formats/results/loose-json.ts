/**
 * JSON as benchmarks write it, which is not always JSON: commas too many or missing, nan and inf, raw control characters in
 * texts, bare backslashes, text before the first brace, and an end that was cut off. What is clear is read; what is not is an error.
 */

export function looseJson(text: string): unknown {
  const from = text.search(/[[{]/);
  if (from < 0) throw new Error("no JSON object in it");
  try {
    return JSON.parse(text.slice(from));
  } catch {
    return new LooseReader(text, from).value(0);
  }
}

/** Documents one behind the other; text between them that belongs to none is passed over. */
export function looseJsonDocuments(text: string): unknown[] {
  const from = text.search(/[[{]/);
  if (from < 0) throw new Error("no JSON object in it");
  try {
    return [JSON.parse(text.slice(from))];
  } catch {
    const reader = new LooseReader(text, from);
    const documents: unknown[] = [];
    do documents.push(reader.value(0));
    while (reader.atNext(/^[[{]/m));
    return documents;
  }
}

const DEPTH_MAX = 200;

class LooseReader {
  readonly #text: string;
  #at: number;

  constructor(text: string, from: number) {
    this.#text = text;
    this.#at = from;
  }

  /** Goes to the next place that looks like this; false where there is none. */
  atNext(start: RegExp): boolean {
    const index = this.#text.slice(this.#at).search(start);
    if (index >= 0) this.#at += index;
    return index >= 0;
  }

  value(depth: number): unknown {
    if (depth > DEPTH_MAX) throw new Error(`JSON is nested more than ${DEPTH_MAX} deep`);
    this.#skip(/\s*/y);
    const next = this.#text[this.#at];
    if (next === "{") return this.#object(depth);
    if (next === "[") return this.#array(depth);
    if (next === '"') return this.#string();
    return this.#word();
  }

  #object(depth: number): Record<string, unknown> {
    const result: Record<string, unknown> = Object.create(null);
    this.#at++;
    for (;;) {
      this.#skip(/[\s,]*/y);
      if (this.#closes("}")) return result;
      if (this.#text[this.#at] !== '"') throw new Error(`JSON: expected a name at character ${this.#at}`);
      const key = this.#string();
      this.#skip(/\s*:/y);
      result[key] = this.#ended ? null : this.value(depth + 1);
    }
  }

  #array(depth: number): unknown[] {
    const result: unknown[] = [];
    this.#at++;
    for (;;) {
      this.#skip(/[\s,]*/y);
      if (this.#closes("]")) return result;
      result.push(this.value(depth + 1));
    }
  }

  /** True at the bracket, and where the text was cut off. */
  #closes(bracket: string): boolean {
    if (this.#ended) return true;
    if (this.#text[this.#at] !== bracket) return false;
    this.#at++;
    return true;
  }

  get #ended(): boolean {
    return this.#at >= this.#text.length;
  }

  #string(): string {
    const match = this.#match(/"((?:[^"\\]|\\[\s\S])*)("|$)/y);
    const inner = match[1] ?? "";
    return inner.replace(
      /\\(?:u([\da-f]{4})|([\s\S]))/gi,
      (all, code: string | undefined, letter: string | undefined) => {
        if (code !== undefined) return String.fromCharCode(Number.parseInt(code, 16));
        return ESCAPES[letter ?? ""] ?? all;
      },
    );
  }

  #word(): unknown {
    const [word] = this.#match(/[^\s,\]}:]+/y);
    if (word === "true" || word === "false") return word === "true";
    if (word === "null" || /^[+-]?(nan|inf|infinity)(\(.*\))?$/i.test(word)) return null;
    const number = Number(word);
    if (Number.isNaN(number)) throw new Error(`JSON: ${word.slice(0, 40)} is not a value`);
    return number;
  }

  #match(pattern: RegExp): RegExpExecArray {
    pattern.lastIndex = this.#at;
    const match = pattern.exec(this.#text);
    if (match === null) throw new Error(`JSON: expected a value at character ${this.#at}`);
    this.#at = pattern.lastIndex;
    return match;
  }

  #skip(pattern: RegExp): void {
    pattern.lastIndex = this.#at;
    if (pattern.test(this.#text)) this.#at = pattern.lastIndex;
  }
}

const ESCAPES: Readonly<Record<string, string>> = {
  ...{ n: "\n", t: "\t", r: "\r", b: "\b", f: "\f", '"': '"', "\\": "\\", "/": "/" },
};

/** The part of a document at these keys; undefined where there is none. */
export function at(value: unknown, ...keys: readonly (string | number)[]): unknown {
  let found = value;
  for (const key of keys) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, key)) return undefined;
    found = (found as Record<string | number, unknown>)[key];
  }
  return found;
}

export const numberAt = (value: unknown, ...keys: readonly (string | number)[]): number => {
  const found = at(value, ...keys);
  return typeof found === "number"
    ? found
    : typeof found === "string" && found.trim() !== ""
      ? Number(found)
      : Number.NaN;
};

export const textAt = (value: unknown, ...keys: readonly (string | number)[]): string => {
  const found = at(value, ...keys);
  return found === undefined || found === null || typeof found === "object" ? "" : String(found);
};

export const listAt = (value: unknown, ...keys: readonly (string | number)[]): readonly unknown[] => {
  const found = at(value, ...keys);
  return Array.isArray(found) ? found : [];
};
