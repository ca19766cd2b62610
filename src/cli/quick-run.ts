/** Runs the command line with commands that are loaded already. */
import type { Command } from "./command.ts";
import { nodeIo } from "./io.ts";
import { runCli } from "./run.ts";
import { commandWords } from "./words.ts";

export function runQuick(commands: readonly Command[]): void {
  const table = commands.map((command) => ({
    ...{ name: command.name, summary: "" },
    load: async () => ({ default: command }),
  }));
  void runCli(commandWords(), table, nodeIo()).then((code) => process.exit(code));
}
