/**
 * A disk with a head, simulated: an access that does not begin where the last one ended takes a fixed time longer. Off unless
 * asked for, and named wherever its effect is shown.
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

  /** How long the answer to what moved since the last call must wait. One disk serves all clients, one after the other. */
  waitMs(nowMs: number): number {
    if (this.#owedMs === 0) return 0;
    this.#busyUntilMs = Math.max(this.#busyUntilMs, nowMs) + this.#owedMs;
    this.#owedMs = 0;
    const wait = this.#busyUntilMs - nowMs;
    // Timers know whole milliseconds; what is left out now is waited for later.
    return wait < 1 ? 0 : Math.round(wait);
  }
}
