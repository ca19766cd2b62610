/** Cuts a stream of bytes into frames. A complete frame is passed on in place, without a copy. */

/** Gets the buffer and the range of the frame in it, including the length field. Valid until it returns. */
type OnFrame = (bytes: Buffer, start: number, end: number) => void;

const SMALL_BYTES = 4096;

export class FrameReader {
  readonly #onFrame: OnFrame;
  /** Throws when a frame of this many bytes (without the length field) is not acceptable. */
  readonly #check: (length: number) => void;
  /** An incomplete frame. */
  #held: Buffer = Buffer.allocUnsafeSlow(SMALL_BYTES);
  #heldBytes = 0;
  /** Data received after the frame that stopped the reader. */
  #backlog: Buffer | undefined;
  #stopped = false;

  constructor(onFrame: OnFrame, check: (length: number) => void) {
    this.#onFrame = onFrame;
    this.#check = check;
  }

  get stopped(): boolean {
    return this.#stopped;
  }

  /** Whether a frame is incomplete. */
  get isWithinFrame(): boolean {
    return this.#heldBytes > 0;
  }

  /** Passes on no more frames until `resume`. Data fed in the meantime waits: pause the stream as well. */
  stop(): void {
    this.#stopped = true;
  }

  resume(): void {
    this.#stopped = false;
    const backlog = this.#backlog;
    this.#backlog = undefined;
    if (backlog !== undefined) this.feed(backlog);
  }

  feed(chunk: Buffer): void {
    if (this.#stopped) {
      this.#backlog = this.#backlog === undefined ? chunk : Buffer.concat([this.#backlog, chunk]);
      return;
    }
    let at = this.#heldBytes === 0 ? 0 : this.#complete(chunk);
    while (!this.#stopped && chunk.length - at >= 4) {
      const end = at + 4 + chunk.readUInt32LE(at);
      this.#check(end - at - 4);
      if (end > chunk.length) break;
      const start = at;
      at = end;
      this.#onFrame(chunk, start, end);
    }
    if (at >= chunk.length) return;
    if (this.#stopped) this.#backlog = chunk.subarray(at);
    else this.#hold(chunk, at);
  }

  /** Extends the incomplete frame, and passes it on when complete; returns the bytes taken of the chunk. */
  #complete(chunk: Buffer): number {
    let at = 0;
    while (this.#heldBytes < 4 && at < chunk.length) this.#held[this.#heldBytes++] = chunk[at++] as number;
    if (this.#heldBytes < 4) return at;
    const length = this.#held.readUInt32LE(0);
    if (this.#heldBytes === 4) this.#check(length);
    const need = 4 + length;
    this.#makeRoom(need);
    const taken = Math.min(need - this.#heldBytes, chunk.length - at);
    chunk.copy(this.#held, this.#heldBytes, at, at + taken);
    this.#heldBytes += taken;
    at += taken;
    if (this.#heldBytes === need) {
      this.#heldBytes = 0;
      this.#onFrame(this.#held, 0, need);
    }
    return at;
  }

  #hold(chunk: Buffer, at: number): void {
    const bytes = chunk.length - at;
    this.#makeRoom(bytes < 4 ? 4 : 4 + chunk.readUInt32LE(at));
    chunk.copy(this.#held, 0, at);
    this.#heldBytes = bytes;
  }

  /** Untouched memory costs nothing, so a false length does not either. */
  #makeRoom(bytes: number): void {
    if (bytes <= this.#held.length) return;
    const larger = Buffer.allocUnsafeSlow(bytes);
    this.#held.copy(larger, 0, 0, this.#heldBytes);
    this.#held = larger;
  }
}
