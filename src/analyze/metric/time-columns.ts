/** Time cut into columns: how much of each was busy, and with how many accesses. A sweep fills them one after the other. */
export class TimeColumns {
  /** Nanoseconds with an access under way. */
  readonly busyNs: Float64Array;
  /** Nanoseconds of accesses: two at once for 5 ns are 10. */
  readonly accessNs: Float64Array;
  /** Where each column begins, and infinity: the last one takes all that lies behind. */
  readonly edges: Float64Array;
  #at = 0;

  /** `edgeAt` has where the columns begin, the first one at 0. */
  constructor(columns: number, edgeAt: (column: number) => number) {
    this.busyNs = new Float64Array(columns);
    this.accessNs = new Float64Array(columns);
    this.edges = Float64Array.from({ length: columns + 1 }, (_, column) => edgeAt(column));
    this.edges[columns] = Number.POSITIVE_INFINITY;
  }

  /** Where the current column ends. */
  get edge(): number {
    return this.edges[this.#at + 1] as number;
  }

  /** Goes on to the column of this time. */
  goTo(ns: number): void {
    while (this.edge <= ns) this.#at++;
  }

  /** Adds to the current column. */
  add(busyNs: number, accessNs: number): void {
    this.busyNs[this.#at]! += busyNs;
    this.accessNs[this.#at]! += accessNs;
  }
}
