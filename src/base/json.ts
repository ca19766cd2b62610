/**
 * Writes a value as one JSON document, piece by piece, so that its size is not bounded by the longest string V8
 * allows. Beyond what JSON.stringify takes: a bigint is a number within ±2^53 and a string beyond; a typed array
 * and an iterator (a generator that makes rows) are arrays.
 */
export function writeJson(value: unknown, write: (text: string) => void): void {
  const writer = new JsonWriter(write);
  writer.value(value);
  writer.end();
}

/** The same as one text. */
export function jsonText(value: unknown): string {
  const pieces: string[] = [];
  writeJson(value, (text) => pieces.push(text));
  return pieces.join("");
}

const PIECE = 16 * 1024;
const SAFE = BigInt(Number.MAX_SAFE_INTEGER);

class JsonWriter {
  readonly #write: (text: string) => void;
  readonly #keys = new Map<string, string>();
  #text = "";

  constructor(write: (text: string) => void) {
    this.#write = write;
  }

  end(): void {
    this.#write(this.#text);
    this.#text = "";
  }

  value(value: unknown): void {
    switch (typeof value) {
      case "string":
        this.#put(JSON.stringify(value));
        break;
      case "number":
        // JSON knows no NaN and no infinities.
        this.#put(Number.isFinite(value) ? String(value) : "null");
        break;
      case "bigint":
        this.#put(value >= -SAFE && value <= SAFE ? String(value) : `"${value}"`);
        break;
      case "boolean":
        this.#put(value ? "true" : "false");
        break;
      case "object":
        this.#object(value);
        break;
      default:
        this.#put("null");
    }
  }

  #object(value: object | null): void {
    if (value === null) this.#put("null");
    else if (isRow(value)) this.#array(value);
    else if ("toJSON" in value && typeof value.toJSON === "function") this.value(value.toJSON());
    else this.#fields(value);
  }

  #array(items: Iterable<unknown>): void {
    let separator = "[";
    for (const item of items) {
      this.#put(separator);
      this.value(item);
      separator = ",";
    }
    this.#put(separator === "[" ? "[]" : "]");
  }

  #fields(object: object): void {
    let separator = "{";
    for (const key of Object.keys(object)) {
      const value = (object as Record<string, unknown>)[key];
      if (value === undefined || typeof value === "function") continue;
      this.#put(`${separator}${this.#key(key)}`);
      this.value(value);
      separator = ",";
    }
    this.#put(separator === "{" ? "{}" : "}");
  }

  /** Counter names repeat in every record; they are quoted once. */
  #key(key: string): string {
    let quoted = this.#keys.get(key);
    if (quoted === undefined) {
      quoted = `${JSON.stringify(key)}:`;
      if (this.#keys.size < 10_000) this.#keys.set(key, quoted);
    }
    return quoted;
  }

  #put(text: string): void {
    this.#text += text;
    if (this.#text.length > PIECE) this.end();
  }
}

function isRow(value: object): value is Iterable<unknown> {
  if (Array.isArray(value)) return true;
  if (ArrayBuffer.isView(value)) return !(value instanceof DataView);
  return Symbol.iterator in value && "next" in value;
}
