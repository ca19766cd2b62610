/** Where the bytes of files lie: per file and layout its bytes, and who touches each layout (A12). Layouts are numbers. */
import { roomFor } from "../../../../base/room.ts";
import { Column, type Pages } from "./column.ts";
import { addMoved, FLAGS, layoutAt, type Names, PLACE, type Records, whoAt } from "./records.ts";
import { Codes, WordSums } from "./words.ts";

export class Layouts {
  /** One entry per file and known layout, those of a file behind each other, with its bytes as a double. */
  readonly file: Column;
  readonly layout: Column;
  readonly bytes: Column;
  /** Bytes of entries that pass 2^53. */
  readonly large = new Map<number, bigint>();
  /** Sum of the squares of the bytes of its accesses, and the most of one of them. */
  readonly squares: Column;
  readonly largest: Column;
  filesKnown = 0;
  /** Pairs of who and layout. */
  readonly touched = new Codes();
  /** Selected files by their largest recorded stripe count; -1 is not recorded. */
  readonly widths = new Map<number, number>();
  readonly #names: Names;
  readonly #known = new WordSums(1);
  readonly #unknown = new WordSums(1);
  /** The layouts of a file, with what its accesses moved there. */
  #layouts: number[] = [];
  readonly #bytes = new WordSums(16);
  #squares = new Float64Array(16);
  #largest = new Float64Array(16);
  #stamp = new Float64Array(64);
  #entry = new Float64Array(64);
  /** By who: the last turn in which they were seen; files and their layouts take turns. */
  #seen = new Float64Array(64);
  #turn = 0;

  constructor(names: Names, pages?: Pages) {
    const column = () => new Column(pages);
    [this.file, this.layout, this.bytes] = [column(), column(), column()];
    [this.squares, this.largest] = [column(), column()];
    this.#names = names;
  }

  /** Bytes of all accesses with a known layout. */
  get bytesKnown(): bigint {
    return this.#known.value(0);
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
        if (this.#stamp[layout] !== stamp) this.#open(stamp, layout);
      }
      const entry = this.#entry[layout] as number;
      const who = whoAt(place);
      // Most of the accesses of a file are by who touched it before.
      if (this.#seen[who] !== this.#turn) {
        this.#seen[who] = this.#turn;
        this.touched.of(who, layout);
      }
      addMoved(this.#bytes, entry, bytes, words, at);
      this.#squares[entry] = (this.#squares[entry] as number) + bytes * bytes;
      if (bytes > (this.#largest[entry] as number)) this.#largest[entry] = bytes;
    }
    if (known) {
      this.filesKnown++;
      this.#close(file);
    }
    this.widths.set(width, (this.widths.get(width) ?? 0) + 1);
  }

  #open(stamp: number, layout: number): void {
    const entry = this.#layouts.length;
    this.#stamp[layout] = stamp;
    this.#entry[layout] = entry;
    this.#layouts.push(layout);
    this.#bytes.reach(entry + 1);
    this.#squares = roomFor(this.#squares, entry + 1);
    this.#largest = roomFor(this.#largest, entry + 1);
  }

  #close(file: number): void {
    const entries = this.#layouts.length;
    for (let entry = 0; entry < entries; entry++) {
      if (!this.#bytes.isSmall(entry)) this.large.set(this.file.length, this.#bytes.value(entry));
      this.file.push(file);
      this.layout.push(this.#layouts[entry] as number);
      this.bytes.push(this.#bytes.about(entry));
      this.squares.push(this.#squares[entry] as number);
      this.largest.push(this.#largest[entry] as number);
      this.#known.addSum(0, this.#bytes, entry);
    }
    this.#bytes.clear(entries);
    this.#squares.fill(0, 0, entries);
    this.#largest.fill(0, 0, entries);
    this.#layouts.length = 0;
  }

  /** Before the files of a part: layouts got new numbers while it was read. */
  begin(): void {
    const { layouts, who } = this.#names.counts;
    this.#stamp = roomFor(this.#stamp, layouts + 1);
    this.#entry = roomFor(this.#entry, layouts + 1);
    this.#seen = roomFor(this.#seen, who);
  }
}
