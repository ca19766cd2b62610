/** Counters in files with a single number: their values at the last state written. */

export interface SmallState {
  readonly atNs: bigint;
  readonly values: Readonly<Record<string, bigint>>;
}

interface Growth {
  readonly fromNs: bigint | undefined;
  readonly grown: Readonly<Record<string, bigint>>;
  /** A counter that fell was reset: all of its value is new. */
  readonly reset: boolean;
}

export class SmallCounters {
  readonly states = new Map<string, SmallState>();

  /** Growth of the counters since the last call, without counters that are new. */
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
