/** Totals of modules whose counters darshan-parser does not add up itself. */
import type { RecordBlock } from "./blocks.ts";
import type { Counter, ModuleSpec } from "./modules/index.ts";

/** Amounts that add up; sizes, ranks and times of day do not. */
export const isSummable = ({ name, unit }: Counter) =>
  !/TIMESTAMP|FASTEST|SLOWEST|_MAX_|ACCESS\d_ACCESS|DATATYPE|VARIANCE/.test(name) &&
  (unit === "count" || unit === "bytes" || unit === "seconds");

/** Sums for the modules whose totals darshan-parser does not print. */
export class PlainTotals {
  readonly integers: BigInt64Array;
  readonly reals: Float64Array;
  readonly #spec: ModuleSpec;

  constructor(spec: ModuleSpec) {
    this.#spec = spec;
    this.integers = new BigInt64Array(spec.integers.length);
    this.reals = new Float64Array(spec.reals.length);
  }

  add(block: RecordBlock): void {
    const { i64, f64 } = block.views;
    const { integersAt, realsAt, integers, reals } = this.#spec;
    for (let k = 0; k < block.count; k++) {
      const at = block.at(k);
      integers.forEach((_, index) => {
        const value = i64[at + integersAt + index] as bigint;
        if (value > 0n) this.integers[index] = (this.integers[index] as bigint) + value;
      });
      reals.forEach((_, index) => {
        const value = f64[at + realsAt + index] as number;
        if (value > 0) this.reals[index] = (this.reals[index] as number) + value;
      });
    }
  }
}
