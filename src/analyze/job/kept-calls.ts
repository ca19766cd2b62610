/** Single calls of a trace in columns that grow, in order of time at the end. */
import { sortPairs } from "../../base/radix-sort.ts";
import { withRoom } from "../../base/room.ts";
import type { TraceCalls } from "../../model/index.ts";

/** Calls of one rank, file, layer and direction; the first `count` rows. Times in seconds. */
interface LaneCalls {
  readonly count: number;
  readonly starts: Float64Array;
  readonly ends: Float64Array;
  readonly bytes: Float64Array;
  readonly offset: Float64Array;
}

export interface PictureOptions {
  /** Keep single calls up to this many. */
  readonly callsMax: number;
  /** Keep single calls of this span only, seconds since the start of the job. */
  readonly window?: { readonly startSeconds: number; readonly endSeconds: number };
}

export class KeptCalls {
  readonly options: PictureOptions;
  count = 0;
  /** More than are kept, so none is. */
  isTooMany = false;
  #numbers = new Float64Array(4 * 1024);
  #whole = new Uint32Array(3 * 1024);

  constructor(options: PictureOptions) {
    this.options = options;
  }

  add(
    { count, starts, ends, bytes, offset }: LaneCalls,
    rank: number,
    file: number,
    { layer, isWrite }: { readonly layer: number; readonly isWrite: boolean },
  ): void {
    const { window, callsMax } = this.options;
    if (window === undefined && this.count + count > callsMax) this.#giveUp();
    if (this.isTooMany) return;
    const kind = 2 * layer + (isWrite ? 1 : 0);
    for (let i = 0; i < count; i++) {
      const start = starts[i] as number;
      const end = ends[i] as number;
      if (window !== undefined && (end < window.startSeconds || start > window.endSeconds)) continue;
      if (this.count === callsMax) {
        this.#giveUp();
        return;
      }
      if (4 * this.count === this.#numbers.length) {
        this.#numbers = withRoom(this.#numbers, 2 * this.#numbers.length);
        this.#whole = withRoom(this.#whole, 2 * this.#whole.length);
      }
      const at = 4 * this.count;
      this.#numbers[at] = start;
      this.#numbers[at + 1] = end;
      this.#numbers[at + 2] = bytes[i] as number;
      this.#numbers[at + 3] = offset[i] as number;
      const to = 3 * this.count++;
      this.#whole[to] = rank;
      this.#whole[to + 1] = file;
      this.#whole[to + 2] = kind;
    }
  }

  #giveUp(): void {
    this.isTooMany = true;
    this.count = 0;
    this.#numbers = new Float64Array(0);
    this.#whole = new Uint32Array(0);
  }

  /** Sorted by start; files by their place among those that are shown. */
  finish(places: ReadonlyMap<number, number>, others: number): TraceCalls {
    const { count } = this;
    const order = new Float64Array(2 * count);
    for (let i = 0; i < count; i++) {
      order[2 * i] = this.#numbers[4 * i] as number;
      order[2 * i + 1] = i;
    }
    sortPairs(order);
    const number = (field: number) =>
      Float64Array.from(
        { length: count },
        (_, i) => this.#numbers[4 * (order[2 * i + 1] as number) + field] as number,
      );
    const whole = (field: number) => (i: number) =>
      this.#whole[3 * (order[2 * i + 1] as number) + field] as number;
    const [rank, file, kind] = [whole(0), whole(1), whole(2)];
    return {
      count,
      startSeconds: number(0),
      endSeconds: number(1),
      bytes: number(2),
      offset: number(3).map((offset) => (Number.isFinite(offset) ? offset : Number.NaN)),
      rank: Uint32Array.from({ length: count }, (_, i) => rank(i)),
      file: Uint32Array.from({ length: count }, (_, i) => places.get(file(i)) ?? others),
      layer: Uint8Array.from({ length: count }, (_, i) => kind(i) >> 1),
      write: Uint8Array.from({ length: count }, (_, i) => kind(i) & 1),
    };
  }
}
