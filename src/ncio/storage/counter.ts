/** Counts requests of storage without servers. */
import type { RequestCounts } from "../storage.ts";

export class Counter {
  #requests = 0;
  #movedBytes = 0;

  add(requests: number, bytes: number): void {
    this.#requests += requests;
    this.#movedBytes += bytes;
  }

  counts(): RequestCounts {
    return { requests: this.#requests, messages: 0, movedBytes: this.#movedBytes };
  }
}
