/** A file under the `plimsoll` policy: its rate and its best number of writers, both measured. */
import { assert } from "../../../base/assert.ts";
import { type FilePolicy, type Work, sizeOf } from "../policy.ts";

export const SLOTS_MAX = 16;
/**
 * Initial writers per file: at least two, since one is limited by a single client's rate, and enough to keep this many bytes in
 * flight, since small blocks are dominated by round trips. But no more than this share of the file's data: writes in progress
 * can no longer move if the target turns out to be slow.
 */
const SLOTS_FIRST = 2;
const BYTES_UNDER_WAY = 32 * 2 ** 20;
const SHARE_UNDER_WAY = 1 / 8;
/** No piece is planned shorter than this: each costs a round trip to the target, 20 ms on the machines of the paper. */
export const PIECE_SECONDS = 0.5;
/** Pieces are multiples of this, to align with stripe boundaries. */
const MIB = 2 ** 20;
/** Smaller pieces cost more in round trips than they save at the end. */
export const PIECE_BYTES_MIN = 8 * MIB;
/** Max piece on a file of unknown rate: on a slow file, larger ones would delay the end. */
const PIECE_BYTES_FIRST = 32 * MIB;
/** A file that takes less than this has hardly a second piece per writer. */
const FEW_PIECES = 2 * PIECE_BYTES_FIRST;
/** Weight of a new measurement against the older ones. */
const NEW_WEIGHT = 0.25;
/** A different number of writers must be this much better to be kept. */
const GAIN_MIN = 1.03;

export class MeasuredFile implements FilePolicy {
  /** Of this step alone: the rate of an earlier step shows the capability of the target, not its rate under today's load. */
  #rate = Number.NaN;
  #active = 0;
  #slots: number;
  readonly #firstPiece: number;
  /** Bytes and busy seconds of late, older ones fading. */
  #bytes = 0;
  #seconds = 0;
  /** Busy since the last write ended. */
  #newSeconds = 0;
  #last = 0;
  #endedAt = 0;
  /** The same for the present number of writers. */
  #windowBytes = 0;
  #windowSeconds = 0;
  #windowEnds = 0;
  /** While doubling the writers increases the rate, their number doubles, up to the need of small blocks; later it changes by one. */
  #doubling: boolean;
  readonly #doublingMax: number;
  /** Best rate seen with each number of writers. */
  readonly #rateWith = new Float64Array(SLOTS_MAX + 2);

  constructor(work: Work, target: number) {
    const block = Math.max(1, sizeOf(work, 0));
    const share = (block * work.writers) / work.targets;
    // With many pieces the step can measure by itself, under the current load; with few there is no time for that.
    const slots = share < FEW_PIECES ? (work.priorSlots?.[target] ?? Number.NaN) : Number.NaN;
    const underWay = Math.min(BYTES_UNDER_WAY, share * SHARE_UNDER_WAY);
    const wanted = slots >= 1 ? Math.round(slots) : Math.max(SLOTS_FIRST, Math.ceil(underWay / block));
    this.#slots = Math.min(SLOTS_MAX, wanted);
    this.#doublingMax = Math.min(SLOTS_MAX, Math.ceil(BYTES_UNDER_WAY / block));
    this.#doubling = !(slots >= 1) && this.#slots < this.#doublingMax;
    // Two rounds of pieces per file, when there are few blocks.
    const first = Math.ceil(share / (2 * this.#slots) / MIB) * MIB;
    this.#firstPiece = Math.min(PIECE_BYTES_FIRST, Math.max(PIECE_BYTES_MIN, first));
  }

  rateAt(now: number): number {
    const silent = this.#active > 0 ? now - this.#endedAt : 0;
    return this.#seconds > 0 && silent > 0
      ? Math.min(this.#rate, this.#bytes / (this.#seconds + silent))
      : this.#rate;
  }

  slots(): number {
    return this.#slots;
  }

  began(now: number, active: number): void {
    this.#pass(now, active);
    if (active === 0) this.#endedAt = now;
    this.#active = active + 1;
  }

  ended(now: number, active: number, bytes: number): void {
    assert(active > 0, "a write ends that began");
    this.#pass(now, active);
    this.#active = active - 1;
    if (bytes === 0) return;
    this.#bytes = this.#bytes * (1 - NEW_WEIGHT) + bytes;
    this.#seconds = this.#seconds * (1 - NEW_WEIGHT) + this.#newSeconds;
    this.#newSeconds = 0;
    this.#endedAt = now;
    if (this.#seconds > 0) this.#rate = this.#bytes / this.#seconds;
    this.#windowBytes += bytes;
    this.#windowEnds++;
    if (this.#windowEnds >= (this.#doubling ? this.#slots : Math.max(4, 2 * this.#slots))) this.#judge();
  }

  pieceBytes(queuedBytes: number): number {
    if (!(this.#rate > 0)) return this.#firstPiece;
    // A third of what is left, so that pieces shrink towards the end and the last ones can move.
    const seconds = Math.max(PIECE_SECONDS, queuedBytes / this.#rate / 3);
    const bytes = (this.#rate / this.#slots) * seconds;
    return Math.max(PIECE_BYTES_MIN, Math.ceil(bytes / MIB) * MIB);
  }

  #pass(now: number, active: number): void {
    assert(now >= this.#last, "the clock of a file does not go back");
    if (active > 0) {
      this.#newSeconds += now - this.#last;
      this.#windowSeconds += now - this.#last;
    }
    this.#last = now;
  }

  /** Climbs: more writers while that helps, else back to the best number known. */
  #judge(): void {
    const rates = this.#rateWith;
    const slots = this.#slots;
    const rate = this.#windowSeconds > 0 ? this.#windowBytes / this.#windowSeconds : 0;
    const before = rates[slots] as number;
    rates[slots] = before === 0 ? rate : before + NEW_WEIGHT * (rate - before);
    this.#windowBytes = 0;
    this.#windowSeconds = 0;
    this.#windowEnds = 0;
    let best = slots;
    for (let k = 1; k <= SLOTS_MAX; k++)
      if ((rates[k] as number) > GAIN_MIN * (rates[best] as number)) best = k;
    this.#doubling = this.#doubling && best === slots && slots < this.#doublingMax;
    if (this.#doubling) {
      this.#slots = Math.min(this.#doublingMax, 2 * slots);
      return;
    }
    assert(
      best >= 1 && best <= SLOTS_MAX,
      "a file has at least one writer, and no more than the policy allows",
    );
    const next = best + 1;
    this.#slots = best === slots && next <= SLOTS_MAX && rates[next] === 0 ? next : best;
  }
}
