/** What accesses did with the files of each class (A17): moved more bytes from them, more to them, or as many both ways. */
import { addMoved, COMPLETE, FLAGS, NO_TYPE, type Records } from "./records.ts";
import { ExactSums } from "./words.ts";

/** Types of an access are two bits. */
const TYPES = 4;
const CLASSES = [-1, 0, 1];

export class ClassTypes {
  readonly #runs = new Float64Array(CLASSES.length * TYPES);
  readonly #bytes = new ExactSums(CLASSES.length * TYPES);

  /** Adds the complete accesses of a file that moved bytes; `of` is its class, NaN without one. */
  add(of: number, { words, stride }: Records, from: number, to: number, moved: Float64Array): void {
    if (Number.isNaN(of)) return;
    const first = (of + 1) * TYPES;
    for (let row = from; row < to; row++) {
      const at = row * stride;
      const type = (words[at] as number) & 3;
      if (type === NO_TYPE || ((words[at + FLAGS] as number) & COMPLETE) === 0) continue;
      this.#runs[first + type] = (this.#runs[first + type] as number) + 1;
      addMoved(this.#bytes, first + type, moved[row - from] as number, words, at);
    }
  }

  /** File runs of a type with files of a class, and the bytes that they moved. */
  cell(of: number, type: number): { readonly runs: number; readonly bytes: number } {
    const at = (of + 1) * TYPES + type;
    return { runs: this.#runs[at] as number, bytes: this.#bytes.about(at) };
  }
}
