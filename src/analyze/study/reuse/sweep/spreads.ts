/** How much the bytes and the I/O time of a file vary from run to run (A15). */
import { Column, type Pages } from "./column.ts";
import {
  BYTES_KNOWN,
  COMPLETE,
  FLAGS,
  IO,
  MOVED,
  NO_TYPE,
  READ_TYPE,
  type Records,
  WRITE_TYPE,
} from "./records.ts";

interface SpreadSettings {
  readonly ddof: number;
  /** Whether accesses that moved nothing take part. */
  readonly withIdle: boolean;
  /** Read accesses and write accesses apart. */
  readonly perType: boolean;
}

export class Spreads {
  readonly covBytes: Column;
  readonly covTime: Column;
  /** One entry per file and type, where asked for. */
  readonly types: Readonly<Record<"file" | "covBytes" | "covTime", Column>>;
  readonly #settings: SpreadSettings;
  #bytes = new Float64Array(256);
  #times = new Float64Array(256);

  constructor(settings: SpreadSettings, pages?: Pages) {
    const column = () => new Column(pages);
    [this.covBytes, this.covTime] = [column(), column()];
    this.types = { file: column(), covBytes: column(), covTime: column() };
    this.#settings = settings;
  }

  /** Returns the longest I/O time of an access; NaN without any. */
  add(file: number, records: Records, from: number, to: number, moved: Float64Array): number {
    if (to - from > this.#bytes.length) {
      this.#bytes = new Float64Array(2 * (to - from));
      this.#times = new Float64Array(2 * (to - from));
    }
    const { ddof, withIdle, perType } = this.#settings;
    const [bytes, times] = this.#collect(records, from, to, moved, NO_TYPE, withIdle);
    this.covBytes.put(file, variation(this.#bytes, bytes, ddof));
    this.covTime.put(file, variation(this.#times, times, ddof));
    let longest = Number.NaN;
    for (let i = 0; i < times; i++)
      if (!(longest >= (this.#times[i] as number))) longest = this.#times[i] as number;
    if (perType)
      for (const type of [READ_TYPE, WRITE_TYPE]) {
        const [n, m, rows] = this.#collect(records, from, to, moved, type, true);
        if (rows === 0) continue;
        this.types.file.push(file);
        this.types.covBytes.push(variation(this.#bytes, n, ddof));
        this.types.covTime.push(variation(this.#times, m, ddof));
      }
    return longest;
  }

  /** Bytes and times of the complete accesses of a type, or of all; returns how many of each, and of accesses. */
  #collect(
    { words, doubles, stride }: Records,
    from: number,
    to: number,
    moved: Float64Array,
    type: number,
    withIdle: boolean,
  ): [bytes: number, times: number, accesses: number] {
    const wanted = withIdle ? COMPLETE : COMPLETE | MOVED;
    let [bytes, times, accesses] = [0, 0, 0];
    for (let row = from; row < to; row++) {
      const at = row * stride;
      const flags = words[at + FLAGS] as number;
      if ((flags & wanted) !== wanted) continue;
      if (type !== NO_TYPE && ((words[at] as number) & 3) !== type) continue;
      accesses++;
      if ((flags & BYTES_KNOWN) === BYTES_KNOWN) this.#bytes[bytes++] = moved[row - from] as number;
      const io = doubles[(at + IO) >> 1] as number;
      if (!Number.isNaN(io)) this.#times[times++] = io;
    }
    return [bytes, times, accesses];
  }
}

/** sd / mean of the first n values; NaN for fewer than two or a mean that is not above zero. */
function variation(values: Float64Array, n: number, ddof: number): number {
  if (n < 2) return Number.NaN;
  let sum = 0;
  for (let i = 0; i < n; i++) sum += values[i] as number;
  const mean = sum / n;
  if (!(mean > 0)) return Number.NaN;
  let squares = 0;
  for (let i = 0; i < n; i++) squares += ((values[i] as number) - mean) ** 2;
  return Math.sqrt(squares / (n - ddof)) / mean;
}
