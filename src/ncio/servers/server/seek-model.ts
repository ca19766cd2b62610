/**
 * Simulates a disk with a head: an access that does not start at the end of the previous one takes a fixed extra time. Off by
 * default, and reported wherever it has an effect.
 */
export class SeekModel {
  readonly seekMs: number;
  seeks = 0;
  #fd = -1;
  #end = -1;
  #busyUntilMs = 0;
  #owedMs = 0;

  constructor(seekMs: number) {
    this.seekMs = seekMs;
  }

  moved(fd: number, offset: number, bytes: number): void {
    if (this.seekMs === 0) return;
    if (fd !== this.#fd || offset !== this.#end) {
      this.seeks++;
      this.#owedMs += this.seekMs;
    }
    this.#fd = fd;
    this.#end = offset + bytes;
  }

  /** Delay of the answer to the accesses since the last call. One disk serves all clients in turn. */
  waitMs(nowMs: number): number {
    if (this.#owedMs === 0) return 0;
    this.#busyUntilMs = Math.max(this.#busyUntilMs, nowMs) + this.#owedMs;
    this.#owedMs = 0;
    const wait = this.#busyUntilMs - nowMs;
    // Timers have whole milliseconds; the remainder is added to a later wait.
    return wait < 1 ? 0 : Math.round(wait);
  }
}
