/** Cache of query results by name; drops the least recently used ones above a size limit. */

interface Known {
  readonly answer: Promise<unknown>;
  /** Estimated; 0 until the result is there. */
  bytes: number;
}

export class AnswerCache {
  readonly #bytesMax: number;
  /** In order of use. */
  readonly #known = new Map<string, Known>();
  #bytes = 0;

  constructor(bytesMax: number) {
    this.#bytesMax = bytesMax;
  }

  get size(): number {
    return this.#known.size;
  }

  answer<T>(name: string, ask: () => Promise<T>): Promise<T> {
    const known = this.#known.get(name);
    if (known !== undefined) {
      this.#known.delete(name);
      this.#known.set(name, known);
      return known.answer as Promise<T>;
    }
    const answer = ask();
    const made: Known = { answer, bytes: 0 };
    this.#known.set(name, made);
    answer.then(
      (value) => {
        made.bytes = ENTRY_BYTES + name.length + roughBytes(value);
        this.#bytes += made.bytes;
        this.#forget();
      },
      () => this.#known.delete(name),
    );
    return answer;
  }

  /** A result above the limit stays until the next one comes. */
  #forget(): void {
    for (const [name, { bytes }] of this.#known) {
      if (this.#bytes <= this.#bytesMax || this.#known.size === 1) return;
      // Pending results have no size yet and are not dropped.
      if (bytes === 0) continue;
      this.#known.delete(name);
      this.#bytes -= bytes;
    }
  }
}

/** A map entry, a promise and a name. */
const ENTRY_BYTES = 200;
const OBJECT_BYTES = 32;
const VALUE_BYTES = 8;

/** Approximate size of a value made of plain objects, lists, maps and typed arrays. */
export function roughBytes(value: unknown): number {
  if (typeof value === "string") return OBJECT_BYTES + value.length;
  if (typeof value === "bigint") return OBJECT_BYTES;
  if (typeof value !== "object" || value === null) return VALUE_BYTES;
  if (ArrayBuffer.isView(value)) return OBJECT_BYTES + value.byteLength;
  const parts = value instanceof Map ? [...value].flat() : value instanceof Set ? [...value] : value;
  let bytes = OBJECT_BYTES;
  for (const part of Array.isArray(parts) ? parts : Object.values(parts))
    bytes += VALUE_BYTES + roughBytes(part);
  return bytes;
}
