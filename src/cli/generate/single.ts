/** `plimsoll generate single`: a catalogue of small logs with known answers, or jobs with twins without their flaws. */
import { join } from "node:path";
import { shellWord } from "../../base/command-line.ts";
import { UsageError } from "../../base/errors.ts";
import { textTable } from "../../base/text-table.ts";
import { formatBytes, formatSeconds } from "../../base/units.ts";
import { SINGLE_LOGS, type SingleLog } from "../../generate/single/index.ts";
import { type SingleAnswer, writeCatalogue } from "../../generate/write/single.ts";
import { defineCommand } from "../command.ts";
import { option } from "../option.ts";
import { OUTPUT, requiredOutput, SEED } from "./answers.ts";
import { generateCounterfactual } from "./counterfactual.ts";

export default defineCommand({
  name: "generate single",
  description:
    "Writes a catalogue of small Darshan logs, each of a job with one I/O problem or none, and answers.json with the expected findings and true totals of each. With --counterfactual it writes jobs with one to three causes of slow I/O at once, simulated from a time model with known parameters, each with twins without the causes: the difference in run time is the gain of the fix. The logs are labelled as synthetic; the same seed gives the same bytes.",
  options: {
    output: OUTPUT,
    seed: SEED,
    only: option.list("ID", "make only this log; with --counterfactual: only jobs with this main cause"),
    counterfactual: option.whole(
      "instead of the catalogue: N jobs with known causes and their twins without them",
      { min: 1, max: 100_000 },
    ),
  },
  examples: {
    "plimsoll generate single --output logs": "all logs and answers.json",
    "plimsoll generate single --output logs --only fix-before --only fix-after":
      "one job before and after a fix",
    "plimsoll generate single --output jobs --counterfactual 50 --seed 4":
      "50 jobs with known causes, their twins, and the gain of fixing each cause",
  },
  async run({ options }, context) {
    const { counterfactual: jobs, seed, only } = options;
    const output = requiredOutput(options.output);
    if (jobs !== undefined) return generateCounterfactual({ output, jobs, seed, only }, context);
    const { path, folder, answers } = await writeCatalogue(output, choose(only), seed, context);
    if (context.json) context.printJson({ answers: path, logs: answers.length });
    else context.out.write(summary(folder, path, answers));
  },
});

/** The logs with these ids in the order of the catalogue; all of them when no id is given. */
function choose(ids: readonly string[]): readonly SingleLog[] {
  for (const id of ids) {
    if (!SINGLE_LOGS.some((log) => log.id === id)) {
      throw new UsageError(`unknown log: ${id} (have: ${SINGLE_LOGS.map((log) => log.id).join(", ")})`);
    }
  }
  return ids.length === 0 ? SINGLE_LOGS : SINGLE_LOGS.filter((log) => ids.includes(log.id));
}

function summary(folder: string, answers: string, logs: readonly SingleAnswer[]): string {
  const columns = [
    { label: "log", min: 26 },
    { label: "ranks", right: true, min: 6 },
    { label: "files", right: true, min: 6 },
    { label: "moved", right: true, min: 9 },
    { label: "run", right: true, min: 8 },
    { label: " findings to expect" },
  ];
  const rows = logs.map(({ file, expected, facts }) => [
    ...[file, String(facts.ranks), String(facts.files), formatBytes(facts.bytesRead + facts.bytesWritten)],
    ...[formatSeconds(facts.runSeconds), ` ${expected.join(", ") || "-"}`],
  ]);
  return `Made ${logs.length} Darshan logs (synthetic) in ${folder}/:

${textTable(columns, rows, { gap: " " }).join("\n")}

The answers are in ${answers}. Look further:
  plimsoll darshan parse --perf ${shellWord(join(folder, logs[0]?.file ?? ""))}
`;
}
