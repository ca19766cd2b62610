/** `plimsoll generate single --counterfactual N`: jobs with known causes, their twins, and what mending brings. */
import { join } from "node:path";
import { shellWord } from "../../base/command-line.ts";
import { UsageError } from "../../base/errors.ts";
import { textTable } from "../../base/text-table.ts";
import { formatSeconds, formatShare } from "../../base/units.ts";
import { CAUSES, type Cause, isCause } from "../../generate/counterfactual/index.ts";
import { type TwinAnswer as Answer, writeTwins } from "../../generate/write/single.ts";
import type { Context } from "../context.ts";

/** Rows that a terminal shows. */
const SHOWN = 20;

interface Request {
  readonly output: string;
  readonly jobs: number;
  readonly seed: number;
  /** Main causes; all of them, decoys and controls when empty. */
  readonly only: readonly string[];
}

export async function generateCounterfactual(request: Request, context: Context): Promise<void> {
  const causes = chosenCauses(request.only);
  const { path, folder, answers } = await writeTwins(request.output, { ...request, causes }, context);
  if (context.json) context.printJson({ answers: path, jobs: request.jobs, logs: logCount(answers) });
  else context.out.write(summary(folder, path, answers));
}

function chosenCauses(ids: readonly string[]): readonly Cause[] {
  const unknown = ids.find((id) => !isCause(id));
  if (unknown !== undefined) throw new UsageError(`unknown cause: ${unknown} (have: ${CAUSES.join(", ")})`);
  return CAUSES.filter((cause) => ids.includes(cause));
}

const logCount = (answers: readonly Answer[]): number =>
  answers.reduce(
    (sum, { mendedLog, causes }) =>
      sum + 1 + (mendedLog === null ? 0 : 1) + (causes.length > 1 ? causes.length : 0),
    0,
  );

function summary(folder: string, path: string, answers: readonly Answer[]): string {
  const columns = [
    { label: "log", min: 20 },
    { label: "ranks", right: true },
    { label: "run", right: true, min: 8 },
    { label: "mended", right: true, min: 8 },
    { label: "causes and the gain of fixing each" },
  ];
  const rows = answers
    .slice(0, SHOWN)
    .map((answer) => [
      ...[answer.log, String(answer.ranks), formatSeconds(answer.runSeconds)],
      ...[formatSeconds(answer.mendedRunSeconds), causesText(answer)],
    ]);
  const more = answers.length > SHOWN ? `\nand ${answers.length - SHOWN} more` : "";
  return `Made ${answers.length} jobs as ${logCount(answers)} Darshan logs (synthetic) in ${folder}/:

${textTable(columns, rows).join("\n")}${more}

The answers are in ${path}. Look further:
  plimsoll findings ${shellWord(join(folder, answers[0]?.log ?? ""))}
`;
}

function causesText({ kind, causes }: Answer): string {
  if (kind === "control") return "none";
  if (kind === "decoy") return `none; looks like ${causes[0]?.cause}`;
  return causes.map(({ cause, trueGainShare }) => `${cause} ${formatShare(trueGainShare)}`).join(", ");
}
