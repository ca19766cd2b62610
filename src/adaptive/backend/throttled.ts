/** Wraps a back end with a fixed rate per target, shared by all processes that write to it. */
import type { Backend, BackendServices, TargetFile } from "./backend.ts";

export function throttled(inner: Backend, rates: readonly number[], { pace }: BackendServices): Backend {
  const slow = (file: TargetFile, target: number): TargetFile =>
    (rates[target] ?? 0) > 0
      ? {
          ...file,
          async write(bytes, at) {
            await pace(target, bytes.length);
            await file.write(bytes, at);
          },
        }
      : file;
  return {
    ...inner,
    name: `${inner.name}, throttled`,
    create: async (path, target) => slow(await inner.create(path, target), target),
    open: async (path, target) => slow(await inner.open(path, target), target),
  };
}

/** A late writer may catch up on this much: latency of requests does not reduce the rate of a target. */
const BURST_SECONDS = 0.05;

/** The queue of each target: a request ends when it and all requests before it have been served. */
export class Pacer {
  readonly #rates: readonly number[];
  readonly #now: () => number;
  readonly #freeAt: number[] = [];

  /** `now` in seconds. */
  constructor(rates: readonly number[], now: () => number) {
    this.#rates = rates;
    this.#now = now;
  }

  /** Seconds from now until the target has taken the bytes. */
  wait(target: number, bytes: number): number {
    const rate = this.#rates[target] ?? 0;
    if (!(rate > 0)) return 0;
    const now = this.#now();
    // The first request of all has nothing to catch up on.
    const free = Math.max(this.#freeAt[target] ?? now, now - BURST_SECONDS) + bytes / rate;
    this.#freeAt[target] = free;
    return Math.max(0, free - now);
  }
}
