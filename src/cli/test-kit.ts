/** A world in memory for tests of the CLI, and a few commands that do what tests need. */

import { type CommandEntry, defineCommand, type OptionSpecs } from "./command.ts";
import type { Context } from "./context.ts";
import type { Io, StopSignal } from "./io.ts";
import { runCli } from "./run.ts";

export interface FakeWorld extends Io {
  out: string;
  err: string;
  clockMs: number;
  send(signal: StopSignal): void;
}

export interface WorldOptions {
  readonly env?: Record<string, string>;
  readonly terminal?: boolean;
  readonly write?: (bytes: Uint8Array) => void;
}

export function fakeWorld({ env = {}, terminal = false, write }: WorldOptions = {}): FakeWorld {
  const listeners = new Set<(signal: StopSignal) => void>();
  const decoder = new TextDecoder();
  const world: FakeWorld = {
    out: "",
    err: "",
    clockMs: 0,
    env,
    stdout: {
      isTerminal: terminal,
      columns: 80,
      write: write ?? ((bytes) => void (world.out += decoder.decode(bytes))),
    },
    stderr: { isTerminal: terminal, columns: 80, write: (text) => void (world.err += text) },
    now: () => world.clockMs,
    onSignal: (handler) => {
      listeners.add(handler);
      return () => listeners.delete(handler);
    },
    onUncaught: () => () => {},
    send: (signal) => {
      for (const listener of listeners) listener(signal);
    },
  };
  return world;
}

/** A table with one command, "try it", that does what the test says. */
export function tableWith(
  run: (context: Context, words: readonly string[]) => void | Promise<void>,
  options: OptionSpecs = {},
): CommandEntry[] {
  const command = defineCommand({
    name: "try it",
    description: "Does what a test says.",
    examples: {
      "plimsoll try it": "tries",
    },
    arguments: [{ name: "file", help: "any file", kind: "file", variadic: true, optional: true }],
    options,
    run: async (invocation, context) => run(context, invocation.arguments),
  });
  return [{ name: command.name, summary: "does what a test says", load: async () => ({ default: command }) }];
}

/** Runs "try it" with the given body; gives the exit code and what was printed. */
export async function attempt(
  run: (context: Context, words: readonly string[]) => void | Promise<void>,
  words: readonly string[] = [],
  world: FakeWorld = fakeWorld(),
): Promise<{ code: number; out: string; err: string }> {
  const code = await runCli(["try", "it", ...words], tableWith(run), world);
  return { code, out: world.out, err: world.err };
}
