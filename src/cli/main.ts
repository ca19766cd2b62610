/** The program's entry: the real table on the real world. */

import { commands } from "./index.ts";
import { nodeIo } from "./io.ts";
import { runCli } from "./run.ts";
import { commandWords } from "./words.ts";

// Everything is written synchronously, so there is nothing left to wait for.
process.exit(await runCli(commandWords(), commands, nodeIo()));
