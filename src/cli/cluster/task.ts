/** `plimsoll cluster task`: one task of a run; what the batch scripts start. */
import { isDone, performTask, RunFolder } from "../../cluster/index.ts";
import { defineCommand } from "../command.ts";
import { nodeIo } from "../io.ts";
import { runCli } from "../run.ts";

export default defineCommand({
  name: "cluster task",
  description:
    "Runs one task of a run that plimsoll cluster planned. The batch scripts call it. Finished tasks are skipped, so it is safe to call by hand. Writes state, output, time and peak memory of the task to the run folder.",
  arguments: [
    { name: "run", help: "folder of the run", kind: "file" },
    { name: "task", help: "task, such as map-3", kind: "text" },
  ],
  examples: { "plimsoll cluster task plimsoll-ingest map-3": "run the third task of an ingest" },
  async run({ arguments: [path = "", task = ""] }, context) {
    const folder = RunFolder.open(path);
    const code = await performTask(folder, task, {
      env: process.env,
      signal: context.signal,
      say: (message) => context.note(message),
      async run(words) {
        const io = nodeIo();
        const decoder = new TextDecoder();
        let [out, err] = ["", ""];
        const code = await runCli(["--json", ...words], context.commands, {
          ...io,
          stdout: {
            isTerminal: false,
            columns: 100,
            write: (bytes) => void (out += decoder.decode(bytes, { stream: true })),
          },
          stderr: {
            isTerminal: false,
            columns: 100,
            write(text) {
              err = `${err}${text}`.slice(-10_000);
              io.stderr.write(text);
            },
          },
        });
        return { code, out, err };
      },
    });
    // Slurm takes any other code for a failure, also that of an ingest that left files out.
    context.exitWith(isDone(code) ? 0 : code);
  },
});
