/** A whole terminal for one command: drawn again and again, left as it was found, whatever ends the command. */
import type { ReadStream, WriteStream } from "node:tty";

const ENTER = "\x1b[?1049h\x1b[?25l";
const LEAVE = "\x1b[?25h\x1b[?1049l";

interface ScreenEvents {
  key(key: string): void;
  resize(): void;
}

export class Screen {
  readonly #out: WriteStream;
  readonly #in: ReadStream | undefined;
  readonly #events: ScreenEvents;
  readonly #onData = (data: Buffer) => {
    for (const key of data.toString("latin1")) this.#events.key(key);
  };
  readonly #onResize = () => this.#events.resize();
  /** However the process ends. */
  readonly #onExit = () => this.#out.write(LEAVE);
  #open = false;

  constructor(events: ScreenEvents) {
    this.#events = events;
    this.#out = process.stdout as WriteStream;
    this.#in = process.stdin.isTTY ? process.stdin : undefined;
  }

  get columns(): number {
    return this.#out.columns || 80;
  }

  get rows(): number {
    return this.#out.rows || 24;
  }

  open(): void {
    this.#open = true;
    this.#out.write(ENTER);
    this.#out.on("resize", this.#onResize);
    process.once("exit", this.#onExit);
    this.#in?.setRawMode(true);
    this.#in?.on("data", this.#onData).resume();
  }

  /** Each line takes the place of the one before; nothing flickers. */
  draw(lines: readonly string[]): void {
    if (!this.#open) return;
    const shown = lines.slice(0, this.rows).map((line) => `${line}\x1b[K`);
    this.#out.write(`\x1b[H${shown.join("\r\n")}\x1b[J`);
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    process.off("exit", this.#onExit);
    this.#out.off("resize", this.#onResize);
    this.#in?.off("data", this.#onData).pause();
    this.#in?.setRawMode(false);
    this.#out.write(LEAVE);
  }
}
