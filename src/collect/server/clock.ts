/**
 * Times of samples. Each is later than the previous one, whatever the system clock does: ingest drops overlapping
 * intervals with their load.
 */

export interface TimeSource {
  /** Nanoseconds since 1970; may jump. */
  wallNs(): bigint;
  /** Milliseconds that never jump. */
  monotonicMs(): number;
}

/** A smaller step back is a clock correction: times advance in small steps until the clock has caught up. */
const HOLD_NS = 3_600_000_000_000n;
const STEP_NS = 1_000_000_000n;

export class SampleClock {
  readonly #source: TimeSource;
  readonly #everyNs: bigint;
  #lastNs: bigint | undefined;
  #lastMs: number | undefined;
  #baseNs = 0n;
  #baseMs = 0;
  jumps = 0;

  constructor(source: TimeSource, everyNs: bigint, lastNs: bigint | undefined) {
    this.#source = source;
    this.#everyNs = everyNs;
    this.#lastNs = lastNs;
  }

  /** The latest time that was given out. */
  get lastNs(): bigint | undefined {
    return this.#lastNs;
  }

  /**
   * Begins a sample. Returns by how much the times of earlier readings have to be moved back, because the clock went
   * back so far that it must have been wrong before: nearly always 0.
   */
  begin(): bigint {
    const wall = this.#source.wallNs();
    const ms = this.#source.monotonicMs();
    const last = this.#lastNs;
    let shift = 0n;
    this.#baseMs = ms;
    this.#baseNs = wall;
    if (last !== undefined && wall <= last) {
      this.jumps++;
      if (last - wall <= HOLD_NS) this.#baseNs = last + (STEP_NS < this.#everyNs ? STEP_NS : this.#everyNs);
      else shift = last - wall + this.#sinceLast(ms);
    }
    this.#lastMs = ms;
    this.#lastNs = this.#baseNs;
    return shift;
  }

  /** Now, within the sample. */
  nowNs(): bigint {
    const passed = BigInt(Math.max(0, Math.round((this.#source.monotonicMs() - this.#baseMs) * 1e6)));
    const now = this.#baseNs + passed;
    if (this.#lastNs === undefined || now > this.#lastNs) this.#lastNs = now;
    return this.#lastNs;
  }

  /** Monotonic time since the last sample; unknown across a restart. */
  #sinceLast(ms: number): bigint {
    return this.#lastMs === undefined
      ? this.#everyNs
      : BigInt(Math.max(1, Math.round((ms - this.#lastMs) * 1e6)));
  }
}
