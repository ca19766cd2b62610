/** The outside world as the CLI sees it. Tests hand in their own; the program uses `nodeIo()`. */

import { writeSync } from "node:fs";
import { isatty } from "node:tty";
import { inFile } from "../base/errors.ts";

export type StopSignal = "SIGINT" | "SIGTERM";

export interface Io {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdout: Terminal & { write(bytes: Uint8Array): void };
  readonly stderr: Terminal & { write(text: string): void };
  /** Milliseconds on a clock that never jumps. */
  now(): number;
  /** Both give a function that ends the listening. */
  onSignal(handler: (signal: StopSignal) => void): () => void;
  onUncaught(handler: (error: unknown) => void): () => void;
}

interface Terminal {
  readonly isTerminal: boolean;
  /** Width in characters; 80 where unknown. */
  readonly columns: number;
}

export function nodeIo(): Io {
  return {
    env: process.env,
    stdout: terminal(1, "stdout", (bytes: Uint8Array) => inFile("standard output", () => writeAll(1, bytes))),
    stderr: terminal(2, "stderr", writeMessage),
    now: () => performance.now(),
    onSignal(handler) {
      process
        .on("SIGINT", handler as NodeJS.SignalsListener)
        .on("SIGTERM", handler as NodeJS.SignalsListener);
      return () => process.off("SIGINT", handler).off("SIGTERM", handler);
    },
    onUncaught(handler) {
      // The event loop can run dry under a promise that nobody settles; without this that looks like success.
      const dry = () => handler(new Error("the command ended without finishing its work"));
      process.on("uncaughtException", handler).on("unhandledRejection", handler).on("beforeExit", dry);
      return () => {
        process.off("uncaughtException", handler).off("unhandledRejection", handler).off("beforeExit", dry);
      };
    },
  };
}

/** Writes all bytes before it returns. A full pipe (EAGAIN, when someone made it non-blocking) is waited for. */
function writeAll(fd: number, bytes: Uint8Array): void {
  let waitMs = 1;
  for (let done = 0; done < bytes.length; ) {
    try {
      done += writeSync(fd, bytes, done);
      waitMs = 1;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EAGAIN") throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, waitMs);
      waitMs = Math.min(waitMs * 2, 50);
    }
  }
}

function writeMessage(text: string): void {
  try {
    writeAll(2, Buffer.from(text));
  } catch {
    // Nobody reads the messages; the exit code still tells.
  }
}

function terminal<Write>(fd: number, stream: "stdout" | "stderr", write: Write): Terminal & { write: Write } {
  const isTerminal = isatty(fd);
  return {
    isTerminal,
    // Touching process.stdout costs milliseconds, so only where there is a width to learn.
    get columns() {
      return (isTerminal && process[stream].columns) || 80;
    },
    write,
  };
}
