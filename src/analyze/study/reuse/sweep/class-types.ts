/** What accesses did with the files of each class (A17): moved more bytes from them, more to them, or as many both ways. */
import { addMoved, COMPLETE, FLAGS, NO_TYPE, type Records } from "./records.ts";
import { WordSums } from "./words.ts";

/** By number of the file: 1 read-heavy, -1 write-heavy, 0 both, and this where it has none. */
export const NO_CLASS = 2;
export type FileClasses = Int8Array;

/** Types of an access are two bits. */
const TYPES = 4;
const CLASSES = [-1, 0, 1];

export class ClassTypes {
  readonly #runs = new Float64Array(CLASSES.length * TYPES);
  readonly #bytes = new WordSums(CLASSES.length * TYPES);

  /** Adds the complete accesses of a file of this class that moved bytes. */
  add(of: number, { words, stride }: Records, from: number, to: number, moved: Float64Array): void {
    if (of === NO_CLASS) return;
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
