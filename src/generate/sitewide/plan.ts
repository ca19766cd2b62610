/** What one job does in each minute of its run: filled again for each job. */

/** How the writes of a job lie in time. */
export const PATTERNS = ["none", "periodic", "continuous", "single"] as const;
export const PERIODIC = 1;
export const CONTINUOUS = 2;
export const SINGLE = 3;

/** The longest run that has minutes, and one more for a run that begins within a minute. */
export const BINS_MAX = 1442;

export class Plan {
  member = 0;
  job = 0;
  user = 0;
  nodes = 0;
  /** First and last second of the run, and the minutes since 1970 that it touches. */
  start = 0;
  end = 0;
  firstMinute = 0;
  bins = 0;
  pattern = 0;
  period = 0;
  /** OSTs that hold objects of the job, and the first of them. */
  osts = 1;
  firstOst = 0;
  /** Where its directories are, and the share of its opens that it closes. */
  mdt = 0;
  closing = 1;
  readonly written = new Float64Array(BINS_MAX);
  readonly read = new Float64Array(BINS_MAX);
  readonly opens = new Float64Array(BINS_MAX);
  /** The burst that a minute belongs to, so that each burst is a file of its own. */
  readonly burst = new Int32Array(BINS_MAX);

  clear(start: number, end: number): void {
    this.start = start;
    this.end = end;
    this.firstMinute = Math.floor(start / 60);
    this.bins = Math.floor(end / 60) - this.firstMinute + 1;
    this.pattern = this.period = 0;
    for (const column of [this.written, this.read, this.opens, this.burst]) column.fill(0, 0, this.bins);
  }

  /** Minutes with a write. */
  get writeMinutes(): number {
    return positive(this.written, this.bins);
  }

  /** Puts `bytes` into the minutes [from, to), at least one into each. */
  putBurst(from: number, to: number, bytes: number, number: number): void {
    const minutes = to - from;
    const each = Math.floor(bytes / minutes);
    for (let bin = from; bin < to; bin++) {
      this.written[bin] = each;
      this.burst[bin] = number;
    }
    this.written[from] = each + (bytes - each * minutes);
  }
}

function positive(values: Float64Array, count: number): number {
  let found = 0;
  for (let i = 0; i < count; i++) if ((values[i] as number) > 0) found++;
  return found;
}
