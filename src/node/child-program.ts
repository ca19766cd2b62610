/** A program in a process of its own, from the side of its parent. */
import { type ChildProcess, type ForkOptions, fork, type Serializable } from "node:child_process";
import { once } from "node:events";

interface ChildOptions extends Pick<ForkOptions, "cwd" | "detached" | "env" | "execArgv" | "execPath"> {
  readonly args?: readonly string[];
  /** Descriptor that its errors are written to; without one the last of them are kept for messages. */
  readonly stderr?: number;
}

const PRINTED_MAX = 2000;

interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** Waits for its exit, and asks it to end when `stop` aborts; throws when it could not be started. */
export async function exitOf(child: ChildProcess, stop?: AbortSignal): Promise<Exit> {
  const end = () => void child.kill("SIGTERM");
  stop?.addEventListener("abort", end, { once: true });
  try {
    const [code, signal] = await once(child, "exit");
    return { code, signal };
  } finally {
    stop?.removeEventListener("abort", end);
  }
}

/** The last line of what a program printed: usually its error. */
export const lastLine = (printed: string): string => printed.trim().split("\n").at(-1) ?? "";

/** A program of ours, with messages in both directions. */
export class ChildProgram {
  readonly process: ChildProcess;
  /** It has exited, or could not be started. */
  readonly ended: Promise<void>;
  /** It has ended, and all that it said has been heard. */
  readonly gone: Promise<void>;
  /** Why it could not be started. */
  startError: Error | undefined;
  #printed = "";

  constructor(program: string, { args = [], stderr, ...options }: ChildOptions = {}) {
    const child = fork(program, args, {
      ...options,
      serialization: "advanced",
      stdio: ["ignore", "ignore", stderr ?? "pipe", "ipc"],
    });
    this.process = child;
    child.stderr?.on("data", (text: Buffer) => {
      this.#printed = (this.#printed + text.toString()).slice(-PRINTED_MAX);
    });
    this.ended = new Promise((resolve) => {
      child.once("exit", () => resolve());
      child.on("error", (error) => {
        if (child.pid !== undefined) return;
        this.startError ??= error;
        resolve();
      });
    });
    const heard = new Promise<void>((resolve) => child.once("disconnect", () => resolve()));
    this.gone = this.ended.then(() => (child.connected && this.startError === undefined ? heard : undefined));
  }

  /** `ended with code 1` or `SIGKILL`, once it has ended. */
  get how(): string {
    const { signalCode, exitCode } = this.process;
    return this.startError?.message ?? signalCode ?? `ended with code ${exitCode}`;
  }

  /** The last line of errors that it printed. */
  get lastLine(): string {
    return lastLine(this.#printed);
  }

  /** What it does not hear any more is lost: its end is noticed otherwise. */
  tell(message: Serializable): void {
    if (this.process.connected) this.process.send(message, undefined, undefined, () => {});
  }

  /** It goes on without us, and we without it. */
  letGo(): void {
    this.process.disconnect();
    this.process.unref();
  }

  async kill(): Promise<void> {
    if (this.#isOver()) return;
    this.process.kill("SIGKILL");
    await this.ended;
  }

  /** Asks it to end; kills it when it has not done so in time. */
  async end(withinMs: number): Promise<void> {
    if (this.#isOver()) return;
    this.process.kill("SIGTERM");
    const timer = setTimeout(() => this.process.kill("SIGKILL"), withinMs);
    await this.ended;
    clearTimeout(timer);
  }

  #isOver(): boolean {
    const { pid, exitCode, signalCode } = this.process;
    return pid === undefined || exitCode !== null || signalCode !== null;
  }
}
