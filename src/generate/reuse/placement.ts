/** Which OST a selected file lies on: each round of files fills every OST once. */
import { Random } from "../../base/prng.ts";
import { OST_LEAST_OVER_MOST } from "./scenario.ts";
import { PLACEMENT_STREAM } from "./truth.ts";

export class Placement {
  /** What each OST should get of an average file, in mean 1. */
  readonly #share: Float64Array;
  readonly #load: Float64Array;
  #placed = 0;
  #bytes = 0;

  constructor(seed: number, osts: number) {
    // Hot and cold OSTs lie anywhere.
    const random = Random.stream(seed, PLACEMENT_STREAM, 0);
    const order = Uint32Array.from({ length: osts }, (_, i) => i);
    for (let i = osts - 1; i > 0; i--) {
      const j = random.below(i + 1);
      const kept = order[i] as number;
      order[i] = order[j] as number;
      order[j] = kept;
    }
    const mean = (1 + OST_LEAST_OVER_MOST) / 2;
    this.#share = Float64Array.from(
      order,
      (place) => (OST_LEAST_OVER_MOST + ((1 - OST_LEAST_OVER_MOST) * place) / (osts - 1)) / mean,
    );
    this.#load = new Float64Array(osts);
  }

  get osts(): number {
    return this.#share.length;
  }

  /** The OST of each of the next files, at most one for each OST: the largest goes where most is missing. */
  round(bytes: ArrayLike<number>): Uint32Array {
    const count = bytes.length;
    this.#placed += count;
    for (let i = 0; i < count; i++) this.#bytes += bytes[i] as number;
    const missing = this.#share.map(
      (share, ost) => (share * this.#bytes) / this.osts - (this.#load[ost] as number),
    );
    const needy = Array.from(missing, (_, ost) => ost).sort(
      (a, b) => (missing[b] as number) - (missing[a] as number) || a - b,
    );
    const large = Array.from({ length: count }, (_, file) => file).sort(
      (a, b) => (bytes[b] as number) - (bytes[a] as number) || a - b,
    );
    const result = new Uint32Array(count);
    large.forEach((file, place) => {
      const ost = needy[place] as number;
      result[file] = ost;
      this.#load[ost] = (this.#load[ost] as number) + (bytes[file] as number);
    });
    return result;
  }
}
