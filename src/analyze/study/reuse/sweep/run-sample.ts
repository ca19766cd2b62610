/** A few of the runs, for figures and intervals. */

interface SampleRows {
  readonly hash: Float64Array;
  readonly x: Float64Array;
  readonly side: Float64Array;
  readonly bytes: Float64Array;
}

export interface RunSampleState {
  readonly limit: number;
  readonly count: number;
  readonly rows: SampleRows;
}

/** The runs with the smallest hashes, as many as there is room for: the same ones in any order of arrival. */
export class RunSample {
  readonly #max: number;
  #limit = 2 ** 32;
  #rows: SampleRows;
  #count = 0;

  constructor(max: number) {
    this.#max = max;
    this.#rows = room(1024);
  }

  add(hash: number, x: number, side: number, bytes: number): void {
    if (hash >= this.#limit) return;
    if (this.#count === this.#rows.hash.length) this.#grow();
    if (hash >= this.#limit) return;
    const rows = this.#rows;
    rows.hash[this.#count] = hash;
    rows.x[this.#count] = x;
    rows.side[this.#count] = side;
    rows.bytes[this.#count] = bytes;
    this.#count++;
  }

  /** The sample whose state this was. */
  static of(max: number, { limit, count, rows }: RunSampleState): RunSample {
    const sample = new RunSample(max);
    sample.#limit = limit;
    sample.#count = count;
    sample.#rows = rows;
    return sample;
  }

  get state(): RunSampleState {
    return { limit: this.#limit, count: this.#count, rows: this.#rows };
  }

  get count(): number {
    return Math.min(this.#count, this.#max);
  }

  /** At most `max` of them, those with the smallest hashes first. */
  take(max = this.#max) {
    const { hash, x, side, bytes } = this.#rows;
    const order = Uint32Array.from({ length: this.#count }, (_, i) => i)
      // Equal hashes in the order of what they stand for, so that it does not matter who came first.
      .sort(
        (a, b) => (hash[a] as number) - (hash[b] as number) || (bytes[a] as number) - (bytes[b] as number),
      )
      .subarray(0, max);
    const of = (values: Float64Array) => Float64Array.from(order, (i) => values[i] as number);
    return { x: of(x), side: of(side), bytes: of(bytes) };
  }

  #grow(): void {
    if (this.#count <= this.#max) {
      const more = room(2 * this.#count);
      for (const name of COLUMNS) more[name].set(this.#rows[name]);
      this.#rows = more;
      return;
    }
    this.#limit /= 2;
    let kept = 0;
    for (let i = 0; i < this.#count; i++) {
      if ((this.#rows.hash[i] as number) >= this.#limit) continue;
      for (const name of COLUMNS) this.#rows[name][kept] = this.#rows[name][i] as number;
      kept++;
    }
    this.#count = kept;
  }
}

const COLUMNS = ["hash", "x", "side", "bytes"] as const;

const room = (length: number) => ({
  hash: new Float64Array(length),
  x: new Float64Array(length),
  side: new Float64Array(length),
  bytes: new Float64Array(length),
});
