/** Health of the collector; numbers only grow unless their name begins with `last`. */

export class Health {
  samples = 0;
  failedSamples = 0;
  /** Files that disappeared between listing and reading. */
  vanishedFiles = 0;
  unreadableFiles = 0;
  /** Truncated texts. */
  cutFiles = 0;
  /** Negative counters, skipped. */
  invalidCounters = 0;
  clockJumps = 0;
  removedSegments = 0;
  writtenBytes = 0;
  lastSampleNs: bigint | undefined;
  lastDurationMs = 0;
  lastFiles = 0;
  lastTargets = 0;
  lastJobs = 0;
  lastUnreadable = 0;
  lastSegmentsBytes = 0;
  lastSegments = 0;
}

/** Reports each problem once, and again if it comes back. */
export class Troubles {
  readonly #say: (message: string) => void;
  #known = new Set<string>();
  #now = new Set<string>();

  constructor(say: (message: string) => void) {
    this.#say = say;
  }

  add(message: string): void {
    if (!this.#known.has(message) && !this.#now.has(message)) this.#say(message);
    this.#now.add(message);
  }

  /** Ends a round: problems that did not occur in it may be reported again. */
  turn(): void {
    this.#known = this.#now;
    this.#now = new Set();
  }
}
