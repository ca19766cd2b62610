/** Where the bytes of files lie: per file and layout its bytes, and who touches each layout (A12). Layouts are numbers. */
import {
  FLAGS,
  layoutAt,
  type Names,
  PLACE,
  READ,
  READ_KNOWN,
  type Records,
  whoAt,
  WRITTEN,
  WRITTEN_KNOWN,
} from "./records.ts";
import { Codes, Column, ExactSums, longer, numberOf } from "./words.ts";

export class Layouts {
  /** One entry per file and known layout, those of a file behind each other; its bytes are sum number i. */
  readonly file = new Column();
  readonly layout = new Column();
  readonly bytes = new ExactSums(1024);
  /** Sum of the squares of the bytes of its accesses, and the most of one of them. */
  squares = new Float64Array(1024);
  largest = new Float64Array(1024);
  /** Bytes of accesses without (0) and with (1) a known layout. */
  readonly known = new ExactSums(2);
  filesKnown = 0;
  /** Pairs of who and layout. */
  readonly touched = new Codes();
  /** Selected files by their largest recorded stripe count; -1 is not recorded. */
  readonly widths = new Map<number, number>();
  readonly #names: Names;
  #stamp = new Float64Array(64);
  #entry = new Float64Array(64);

  constructor(names: Names) {
    this.#names = names;
  }

  /** `width`: the largest recorded stripe count of the accesses of the file. */
  add(file: number, records: Records, from: number, to: number, width: number): void {
    const { words, stride } = records;
    const stamp = file + 1;
    let [known, lastWho, lastLayout] = [false, -1, -1];
    for (let row = from; row < to; row++) {
      const at = row * stride;
      const flags = words[at + FLAGS] as number;
      const place = words[at + PLACE] as number;
      const layout = layoutAt(place, flags);
      let entry = -1;
      if (layout !== 0) {
        known = true;
        if (this.#stamp[layout] !== stamp) {
          this.#stamp[layout] = stamp;
          this.#entry[layout] = this.file.length;
          this.#reach(this.file.length + 1);
          this.file.push(file);
          this.layout.push(layout);
        }
        entry = this.#entry[layout] as number;
        const who = whoAt(place);
        if (who !== lastWho || layout !== lastLayout) this.touched.of(who, layout);
        lastWho = who;
        lastLayout = layout;
      }
      const [low, high] = [words[at + READ] as number, words[at + READ + 1] as number];
      const [lowWritten, highWritten] = [words[at + WRITTEN] as number, words[at + WRITTEN + 1] as number];
      let moved = 0;
      if ((flags & READ_KNOWN) !== 0) {
        this.#count(entry, low, high);
        moved += numberOf(low, high);
      }
      if ((flags & WRITTEN_KNOWN) !== 0) {
        this.#count(entry, lowWritten, highWritten);
        moved += numberOf(lowWritten, highWritten);
      }
      if (entry !== -1) {
        this.squares[entry] = (this.squares[entry] as number) + moved * moved;
        if (moved > (this.largest[entry] as number)) this.largest[entry] = moved;
      }
    }
    if (known) this.filesKnown++;
    this.widths.set(width, (this.widths.get(width) ?? 0) + 1);
  }

  #count(entry: number, low: number, high: number): void {
    if (entry !== -1) this.bytes.add(entry, low, high);
    this.known.add(entry === -1 ? 0 : 1, low, high);
  }

  #reach(count: number): void {
    this.bytes.reach(count);
    this.squares = longer(this.squares, count);
    this.largest = longer(this.largest, count);
  }

  /** Before the files of a part: layouts got new numbers while it was read. */
  begin(): void {
    const count = this.#names.counts.layouts + 1;
    this.#stamp = longer(this.#stamp, count);
    this.#entry = longer(this.#entry, count);
  }
}
