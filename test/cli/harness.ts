/** A real process for test/cli: `slow FILE` writes half a file and waits; `many` prints until nobody reads. */

import { writeFileSync } from "node:fs";
import { nodeIo } from "../../src/cli/io.ts";
import { runCli } from "../../src/cli/run.ts";
import { tableWith } from "../../src/cli/test-kit.ts";

const table = tableWith(async (context, [what, path = ""]) => {
  if (what === "many") {
    for (let line = 0; line < 5_000_000; line++) context.out.write(`line ${line}\n`);
    return;
  }
  if (what === "forget") {
    await new Promise(() => {});
    return;
  }
  context.partialOutput(path);
  writeFileSync(path, "half");
  context.out.write("ready\n");
  context.out.flush();
  await new Promise((resolve) => setTimeout(resolve, 60_000));
});

process.exit(await runCli(["try", "it", ...process.argv.slice(2)], table, nodeIo()));
