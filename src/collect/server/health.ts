/** How the collector itself is doing; numbers only grow unless their name begins with `last`. */

export class Health {
  samples = 0;
  failedSamples = 0;
  /** Files that were there in the listing and gone when they were opened or read. */
  vanishedFiles = 0;
  unreadableFiles = 0;
  /** Texts that were cut, or that broke off. */
  cutFiles = 0;
  /** Counters that were negative and were left out. */
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

/** Says each trouble once, and again when it has been away. */
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

  /** A round is over: what did not come in it may be said again. */
  turn(): void {
    this.#known = this.#now;
    this.#now = new Set();
  }
}
