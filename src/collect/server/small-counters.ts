/** Counters that are single numbers in files of their own: what they were at the last state that was written. */

export interface SmallState {
  readonly atNs: bigint;
  readonly values: Readonly<Record<string, bigint>>;
}

interface Growth {
  readonly fromNs: bigint | undefined;
  readonly grown: Readonly<Record<string, bigint>>;
  /** A counter fell: it began again, and all of its value is new. */
  readonly reset: boolean;
}

export class SmallCounters {
  readonly states = new Map<string, SmallState>();

  /** What the counters grew by since they were taken last; those that were not there then are left out. */
  take(key: string, atNs: bigint, values: Readonly<Record<string, bigint>>): Growth {
    const before = this.states.get(key);
    this.states.set(key, { atNs, values });
    const grown: Record<string, bigint> = {};
    let reset = false;
    for (const [name, value] of Object.entries(values)) {
      const then = before?.values[name];
      if (then === undefined) continue;
      if (value < then) reset = true;
      grown[name] = value < then ? value : value - then;
    }
    return { fromNs: before?.atNs, grown, reset };
  }

  /** The clock was wrong before. */
  moveBack(ns: bigint): void {
    for (const [key, { atNs, values }] of this.states) this.states.set(key, { atNs: atNs - ns, values });
  }
}
