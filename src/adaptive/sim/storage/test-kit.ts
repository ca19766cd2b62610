/** Small worlds for tests: no background, no contention, no overhead by default. */

import { EventQueue } from "../events.ts";
import { type ParameterName, type StorageParameters, withDefaults } from "./parameters.ts";
import { type Flush, Storage } from "./storage.ts";

export const quiet = (changes: Partial<Record<ParameterName, number>> = {}): StorageParameters =>
  withDefaults({
    diskRate: 100,
    ingestRate: 400,
    clientRate: 1000,
    dirtyLimit: 0,
    opOverhead: 0,
    startJitter: 0,
    ...changes,
  });

export interface Rig {
  readonly queue: EventQueue;
  readonly storage: Storage;
  /** End times by token, in seconds. */
  readonly ends: Map<number, number>;
  readonly statuses: Map<number, number>;
  /** Runs to the end, or until a time. */
  run(until?: number): void;
}

export function makeRig(parameters: StorageParameters, targets = 1, flush: Flush = "target"): Rig {
  const queue = new EventQueue();
  const storage = new Storage({ queue, parameters, targets, flush });
  const ends = new Map<number, number>();
  const statuses = new Map<number, number>();
  storage.onWriteEnd = (token, _target, status) => {
    ends.set(token, queue.now);
    statuses.set(token, status);
  };
  return {
    queue,
    storage,
    ends,
    statuses,
    run: (until = Number.POSITIVE_INFINITY) => {
      while (queue.nextTime <= until && queue.next()) {
        storage.handle(queue.kind, queue.a, queue.b);
        for (let target = 0; target < targets; target++) storage.check(target);
      }
      // An empty timer advances the clock to the wanted time.
      if (until < Number.POSITIVE_INFINITY) {
        queue.push(until, 255, 0, 0);
        while (queue.next() && queue.kind !== 255) storage.handle(queue.kind, queue.a, queue.b);
      }
    },
  };
}
