/** The writes in flight by token. An epoch per token distinguishes late events of an earlier write. */

import { AssertionError, assert } from "../../../base/assert.ts";

export const UNUSED = 0;
/** Data is being accepted. */
export const FLOWING = 1;
/** Accepted, not yet on disk; only if writes wait for disks. */
export const DRAINING = 2;
/** Reply in flight to the writer. */
export const FLUSHING = 3;

export class Tokens {
  state = new Uint8Array(64);
  status = new Uint8Array(64);
  target = new Int32Array(64);
  epoch = new Int32Array(64);
  /** MB. */
  size = new Float64Array(64);
  /** Service of the target at the start of the write. */
  startAt = new Float64Array(64);

  use(token: number, target: number, size: number): void {
    if (token >= this.state.length) this.#grow(token);
    if (this.state[token] !== UNUSED) throw new AssertionError(`token ${token} is in use by another write`);
    this.state[token] = FLOWING;
    this.target[token] = target;
    this.size[token] = size;
  }

  release(token: number): void {
    assert(this.state[token] !== UNUSED, "a token is released once");
    this.state[token] = UNUSED;
    this.epoch[token]!++;
  }

  #grow(token: number): void {
    let length = this.state.length;
    while (length <= token) length *= 2;
    const { state, status, target, epoch, size, startAt } = this;
    this.state = new Uint8Array(length);
    this.status = new Uint8Array(length);
    this.target = new Int32Array(length);
    this.epoch = new Int32Array(length);
    this.size = new Float64Array(length);
    this.startAt = new Float64Array(length);
    this.state.set(state);
    this.status.set(status);
    this.target.set(target);
    this.epoch.set(epoch);
    this.size.set(size);
    this.startAt.set(startAt);
  }
}
