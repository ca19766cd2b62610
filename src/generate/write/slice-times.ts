/** What a slice of a centre leaves for the join beside its rows: times of its runs on selected files. */
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { inFile } from "../../base/errors.ts";
import { writeFile } from "../../node/write-file.ts";
import type { SliceReader, SliceTimes } from "../reuse/index.ts";

const OWN = "times.bin";
const NEIGHBOURS = "neighbours.bin";
const ANSWERS = "load.json";
const BUFFER_NUMBERS = 8192;

export function writeSliceTimes(folder: string, { own, neighbours, ...answers }: SliceTimes): void {
  writeFile(join(folder, OWN), new Uint8Array(own.buffer));
  writeFile(join(folder, NEIGHBOURS), new Uint8Array(neighbours.buffer));
  writeFile(join(folder, ANSWERS), JSON.stringify(answers));
}

/** Reads them piece by piece; `close` when done. */
export class SliceTimesFiles implements SliceReader {
  readonly slowedRuns: SliceTimes["slowedRuns"];
  readonly removals: SliceTimes["removals"];
  readonly own: () => number;
  readonly neighbour: () => number;
  readonly #files: readonly NumberFile[];

  constructor(folder: string) {
    ({ slowedRuns: this.slowedRuns, removals: this.removals } = JSON.parse(
      readFileSync(join(folder, ANSWERS), "utf8"),
    ));
    const [own, neighbours] = [new NumberFile(join(folder, OWN)), new NumberFile(join(folder, NEIGHBOURS))];
    this.own = () => own.next();
    this.neighbour = () => neighbours.next();
    this.#files = [own, neighbours];
  }

  close(): void {
    for (const file of this.#files) file.close();
  }
}

class NumberFile {
  readonly #path: string;
  readonly #file: number;
  readonly #numbers = new Float64Array(BUFFER_NUMBERS);
  #at = 0;
  #count = 0;

  constructor(path: string) {
    this.#path = path;
    this.#file = openSync(path, "r");
  }

  /** Not a number at the end. */
  next(): number {
    if (this.#at === this.#count) {
      this.#count = inFile(this.#path, () => readSync(this.#file, this.#numbers)) / 8;
      this.#at = 0;
      if (this.#count === 0) return Number.NaN;
    }
    return this.#numbers[this.#at++] as number;
  }

  close(): void {
    closeSync(this.#file);
  }
}
