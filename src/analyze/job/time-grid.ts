/** A column of amounts for one of the planes of a grid. */
interface Amounts {
  readonly plane: number;
  readonly values: Float64Array;
}

/**
 * Amounts in lanes × columns of time. The end of the time axis need not be known: when a value lies beyond the last
 * column, columns are joined two by two, as often as it takes.
 */
export class TimeGrid {
  readonly lanes: number;
  readonly columns: number;
  /** Sums kept per cell. */
  readonly planes: readonly Float64Array[];
  readonly #start = new Float64Array(1);
  readonly #end = new Float64Array(1);
  readonly #one: readonly Amounts[];
  #seconds: number;
  /** The axis is known, so what lies beyond belongs to its end. */
  readonly #fixed: boolean;

  constructor(lanes: number, columns: number, planes: number, seconds: number) {
    this.lanes = lanes;
    this.columns = columns;
    this.planes = Array.from({ length: planes }, () => new Float64Array(lanes * columns));
    this.#one = this.planes.map((_, plane) => ({ plane, values: new Float64Array(1) }));
    this.#fixed = seconds > 0;
    this.#seconds = this.#fixed ? seconds : 0.001;
  }

  /** Length of the time axis. */
  get seconds(): number {
    return this.#seconds;
  }

  get columnSeconds(): number {
    return this.#seconds / this.columns;
  }

  /** Makes the axis as long as that, unless its length is known. */
  reach(seconds: number): void {
    while (!this.#fixed && seconds > this.#seconds) this.#double();
  }

  /** Spreads `amounts` (one per plane) evenly over [start, end] seconds. */
  spread(lane: number, start: number, end: number, amounts: readonly number[]): void {
    this.#start[0] = start;
    this.#end[0] = end;
    amounts.forEach((amount, plane) => {
      (this.#one[plane] as Amounts).values[0] = amount;
    });
    this.spreadAll(lane, this.#start, this.#end, this.#one, 1);
  }

  /** The same for the first `count` rows of columns, some planes of each. */
  spreadAll(
    lane: number,
    starts: Float64Array,
    ends: Float64Array,
    amounts: readonly Amounts[],
    count: number,
  ): void {
    let latest = 0;
    for (let i = 0; i < count; i++) if ((ends[i] as number) > latest) latest = ends[i] as number;
    this.reach(latest);
    const scale = this.columns / this.#seconds;
    const last = this.columns - 1;
    const row = lane * this.columns;
    const planes = amounts.map(({ plane }) => this.planes[plane] as Float64Array);
    const values = amounts.map((one) => one.values);
    for (let i = 0; i < count; i++) {
      const start = starts[i] as number;
      const end = ends[i] as number;
      const first = Math.min(Math.max(Math.floor(start * scale), 0), last);
      const final = Math.min(Math.max(Math.ceil(end * scale) - 1, first), last);
      if (first === final) {
        for (let a = 0; a < planes.length; a++)
          (planes[a] as Float64Array)[row + first]! += (values[a] as Float64Array)[i] as number;
        continue;
      }
      for (let column = first; column <= final; column++) {
        const from = column === first ? start : column / scale;
        const to = column === final ? end : (column + 1) / scale;
        const share = Math.max(0, to - from) / (end - start);
        for (let a = 0; a < planes.length; a++)
          (planes[a] as Float64Array)[row + column]! += ((values[a] as Float64Array)[i] as number) * share;
      }
    }
  }

  /** Adds a lane to another and empties it. */
  foldLane(from: number, into: number): void {
    for (const values of this.planes) {
      for (let column = 0; column < this.columns; column++) {
        const at = from * this.columns + column;
        const to = into * this.columns + column;
        values[to] = (values[to] as number) + (values[at] as number);
        values[at] = 0;
      }
    }
  }

  #double(): void {
    this.#seconds *= 2;
    const half = this.columns / 2;
    for (const values of this.planes) {
      for (let lane = 0; lane < this.lanes; lane++) {
        const row = lane * this.columns;
        for (let column = 0; column < half; column++)
          values[row + column] =
            (values[row + 2 * column] as number) + (values[row + 2 * column + 1] as number);
        values.fill(0, row + half, row + this.columns);
      }
    }
  }
}
