/** `plimsoll generate single`: a catalogue of small logs with known answers, or jobs with twins without their flaws. */
import { textTable } from "../../base/text-table.ts";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { UsageError } from "../../base/errors.ts";
import { formatBytes, formatSeconds } from "../../base/units.ts";
import type { LogTruth } from "../../generate/recorder/record.ts";
import { makeSingle, SINGLE_LOGS, type SingleLog } from "../../generate/single/index.ts";
import { nodeEncoders } from "../../node/encoders.ts";
import { defineCommand } from "../command.ts";
import { generateCounterfactual } from "./counterfactual.ts";
import { replaceFolder } from "../../node/output-folder.ts";
import { writeFile } from "../../node/write-file.ts";
import { option } from "../option.ts";

/** Of answers.json; only a folder whose answers name this scenario is replaced. */
const SCENARIO = "single";
const VERSION = 1;

interface Answer {
  readonly id: string;
  readonly file: string;
  readonly about: string;
  readonly expected: readonly string[];
  readonly facts: LogTruth;
}

export default defineCommand({
  name: "generate single",
  description:
    "Writes a catalogue of small Darshan logs, each of a job with one I/O problem or none, and answers.json with the expected findings and true totals of each. With --counterfactual it writes jobs with one to three causes of slow I/O at once, simulated from a time model with known parameters, each with twins without the causes: the difference in run time is the gain of the fix. The logs are labelled as synthetic; the same seed gives the same bytes.",
  options: {
    output: option.output("DIR", "output folder; replaces an earlier catalogue"),
    seed: option.whole("random seed", { min: 0, max: 2 ** 32 - 1, default: 1 }),
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
    if (options.output === undefined || options.output === "")
      throw new UsageError("--output is missing: name a folder");
    const { output, counterfactual: jobs, seed, only } = options;
    if (jobs !== undefined) return generateCounterfactual({ output, jobs, seed, only }, context);
    const chosen = choose(options.only);
    const logs: Answer[] = [];
    const earlier = { path: output, what: "catalogue", isOurs: isCatalogue };
    const { folder } = await replaceFolder(earlier, context, async (work) => {
      for (const log of chosen) {
        const { bytes, facts } = makeSingle(log, options.seed, nodeEncoders);
        const file = `${log.id}.darshan`;
        writeFile(join(work, file), bytes);
        logs.push({ id: log.id, file, about: log.about, expected: log.expected, facts });
        await context.yieldToEvents();
      }
      const answers = { scenario: SCENARIO, version: VERSION, seed: options.seed, logs };
      writeFile(join(work, "answers.json"), `${JSON.stringify(answers, null, 2)}\n`);
    });
    const path = join(folder, "answers.json");
    if (context.json) context.printJson({ answers: path, logs: logs.length });
    else context.out.write(summary(folder, path, logs));
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

function isCatalogue(folder: string): boolean {
  try {
    return JSON.parse(readFileSync(join(folder, "answers.json"), "utf8"))?.scenario === SCENARIO;
  } catch {
    return false;
  }
}

function summary(folder: string, answers: string, logs: readonly Answer[]): string {
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
  plimsoll darshan parse --perf ${join(folder, logs[0]?.file ?? "")}
`;
}
