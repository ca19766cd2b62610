/** The commands of start.ts in one bundle, loaded at once. */
import type { Command, CommandEntry } from "./command.ts";
import client from "./collect/client.ts";
import dxt from "./darshan/dxt.ts";
import parse from "./darshan/parse.ts";
import { nodeIo } from "./io.ts";
import { runCli } from "./run.ts";
import { commandWords } from "./words.ts";

const entry = (command: Command): CommandEntry => ({
  name: command.name,
  summary: "",
  load: async () => ({ default: command }),
});

void runCli(commandWords(), [parse, dxt, client].map(entry), nodeIo()).then((code) => process.exit(code));
