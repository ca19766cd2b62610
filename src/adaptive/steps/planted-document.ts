/** Accuracy of replays on questions with known answers, as a document. */
import { formatMany, formatShare } from "../../base/units.ts";
import { type Cell, type Document, table } from "../../model/index.ts";
import type { PlantedCheck } from "../sim/what-if/planted.ts";

export function plantedDocument(
  check: PlantedCheck,
  { command, madeBy }: { readonly command: string; readonly madeBy: string },
): Document {
  const rows = check.answers.map(({ job, run, fitError, planted, told, error }): Cell[] => [
    ...[job, run, fitError, planted],
    ...[told ?? null, error ?? null],
  ]);
  return {
    title: "What if: planted removals",
    facts: [{ label: "Store", text: check.store }],
    verdict: plantedVerdict(check),
    sections: [
      {
        id: "removals",
        title: "Removed runs",
        blocks: [
          table(
            "removals",
            "I/O time that other runs would have saved without each of these runs: planted and replayed.",
            [
              ["job", "Job", "text", "runs.job_id"],
              ["run", "Run", "text", "runs.run_id"],
              ["fit-error", "Fit error", "share", "Median, of runs left out of the fit."],
              ["planted", "Planted", "seconds", "Saved, by answers.json."],
              ["told", "Replayed", "seconds", "Saved, by the replay; empty where it gives no answer."],
              ["error", "Error", "share", "Of the replay against the planted value."],
            ],
            rows,
          ),
        ],
      },
    ],
    command,
    madeBy,
  };
}

export function plantedVerdict({
  answers,
  fitError,
  answerError,
  within,
  withinError,
}: PlantedCheck): string {
  const silent = answers.filter(({ told }) => told === undefined).length;
  return `Synthetic and simulated: replays reproduce recorded times with a median error of ${formatShare(fitError)}; of ${formatMany(answers.length, "planted removal")} ${within} are answered right within ${formatShare(withinError)}${Number.isNaN(answerError) ? "" : ` (median error ${formatShare(answerError)})`}${silent === 0 ? "" : `, ${silent} not at all`}.`;
}
