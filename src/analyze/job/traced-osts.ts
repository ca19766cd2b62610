/** Load per OST of traced calls, by the stripes that each call touches. */
import type { StripeLayout } from "../../model/index.ts";
import type { SoundCalls } from "./run-calls.ts";

export class OstSums {
  bytesRead = 0;
  bytesWritten = 0;
  seconds = 0;
  calls = 0;

  add(isWrite: boolean, bytes: number, seconds: number, calls: number): void {
    if (isWrite) this.bytesWritten += bytes;
    else this.bytesRead += bytes;
    this.seconds += seconds;
    this.calls += calls;
  }
}

/** The OSTs of one layout among those of the job. */
export class LayoutOsts {
  readonly layout: StripeLayout;
  readonly #all: Map<number, OstSums>;
  /** By place in the layout, where known already. */
  readonly #sums: OstSums[] = [];

  constructor(layout: StripeLayout, all: Map<number, OstSums>) {
    this.layout = layout;
    this.#all = all;
  }

  add(calls: SoundCalls, isWrite: boolean): void {
    const { stripeBytes, osts } = this.layout;
    const cycle = osts.length;
    for (let i = 0; i < calls.count; i++) {
      const offset = calls.offset[i] as number;
      const bytes = calls.bytes[i] as number;
      if (Number.isNaN(offset) || bytes === 0) continue;
      const seconds = ((calls.endNs[i] as number) - (calls.startNs[i] as number)) / 1e9;
      const first = Math.floor(offset / stripeBytes);
      const last = Math.floor((offset + bytes - 1) / stripeBytes);
      if (first === last) {
        this.#at(first % cycle).add(isWrite, bytes, seconds, 1);
        continue;
      }
      // Each of the first stripes stands for all later ones of its OST: whole rounds, and the end of the last one.
      for (let stripe = first; stripe <= Math.min(last, first + cycle - 1); stripe++) {
        const rounds = Math.floor((last - stripe) / cycle);
        const from = Math.max(offset, stripe * stripeBytes);
        const end = Math.min(offset + bytes, (stripe + rounds * cycle + 1) * stripeBytes);
        const to = rounds === 0 ? end : (stripe + 1) * stripeBytes;
        const later =
          rounds === 0 ? 0 : (rounds - 1) * stripeBytes + end - (stripe + rounds * cycle) * stripeBytes;
        const amount = to - from + later;
        const share = amount / bytes;
        this.#at(stripe % cycle).add(isWrite, amount, seconds * share, share);
      }
    }
  }

  #at(place: number): OstSums {
    let sums = this.#sums[place];
    if (sums !== undefined) return sums;
    const ost = this.layout.osts[place] as number;
    sums = this.#all.get(ost) ?? new OstSums();
    this.#all.set(ost, sums);
    this.#sums[place] = sums;
    return sums;
  }
}
