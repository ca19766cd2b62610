/** Where the bytes of files lie: per file and layout its bytes, and who touches each layout (A12). Layouts are numbers. */
import { addMoved, FLAGS, layoutAt, type Names, PLACE, type Records, whoAt } from "./records.ts";
import { Codes, Column, ExactSums, longer } from "./words.ts";

export class Layouts {
  /** One entry per file and known layout, those of a file behind each other; its bytes are sum number i. */
  readonly file = new Column();
  readonly layout = new Column();
  readonly bytes = new ExactSums(1024);
  /** Sum of the squares of the bytes of its accesses, and the most of one of them. */
  squares = new Float64Array(1024);
  largest = new Float64Array(1024);
  filesKnown = 0;
  /** Pairs of who and layout. */
  readonly touched = new Codes();
  /** Selected files by their largest recorded stripe count; -1 is not recorded. */
  readonly widths = new Map<number, number>();
  readonly #names: Names;
  readonly #unknown = new ExactSums(1);
  #stamp = new Float64Array(64);
  #entry = new Float64Array(64);
  /** By who: the last turn in which they were seen; files and their layouts take turns. */
  #seen = new Float64Array(64);
  #turn = 0;

  constructor(names: Names) {
    this.#names = names;
  }

  /** Bytes of all accesses with a known layout. */
  get bytesKnown(): bigint {
    const all = new ExactSums(1);
    for (let entry = 0; entry < this.file.length; entry++) all.addSum(0, this.bytes, entry);
    return all.value(0);
  }

  get bytesUnknown(): bigint {
    return this.#unknown.value(0);
  }

  /** `width`: the largest recorded stripe count of the accesses of the file. */
  add(
    file: number,
    { words, stride }: Records,
    from: number,
    to: number,
    moved: Float64Array,
    width: number,
  ): void {
    const stamp = file + 1;
    let [known, lastLayout] = [false, 0];
    for (let row = from; row < to; row++) {
      const at = row * stride;
      const place = words[at + PLACE] as number;
      const layout = layoutAt(place, words[at + FLAGS] as number);
      const bytes = moved[row - from] as number;
      if (layout === 0) {
        addMoved(this.#unknown, 0, bytes, words, at);
        continue;
      }
      known = true;
      if (layout !== lastLayout) {
        lastLayout = layout;
        this.#turn++;
        if (this.#stamp[layout] !== stamp) this.#open(file, layout);
      }
      const entry = this.#entry[layout] as number;
      const who = whoAt(place);
      // Most of the accesses of a file are by who touched it before.
      if (this.#seen[who] !== this.#turn) {
        this.#seen[who] = this.#turn;
        this.touched.of(who, layout);
      }
      addMoved(this.bytes, entry, bytes, words, at);
      this.squares[entry] = (this.squares[entry] as number) + bytes * bytes;
      if (bytes > (this.largest[entry] as number)) this.largest[entry] = bytes;
    }
    if (known) this.filesKnown++;
    this.widths.set(width, (this.widths.get(width) ?? 0) + 1);
  }

  #open(file: number, layout: number): void {
    this.#stamp[layout] = file + 1;
    this.#entry[layout] = this.file.length;
    this.#reach(this.file.length + 1);
    this.file.push(file);
    this.layout.push(layout);
  }

  #reach(count: number): void {
    this.bytes.reach(count);
    this.squares = longer(this.squares, count);
    this.largest = longer(this.largest, count);
  }

  /** Before the files of a part: layouts got new numbers while it was read. */
  begin(): void {
    const { layouts, who } = this.#names.counts;
    this.#stamp = longer(this.#stamp, layouts + 1);
    this.#entry = longer(this.#entry, layouts + 1);
    this.#seen = longer(this.#seen, who);
  }
}
