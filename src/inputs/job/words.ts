/** What a report or a comparison says of itself, the same from the command and from the page. */
import type { compareDocument } from "../../analyze/job/index.ts";
import { commandLine, operand } from "../../base/command-line.ts";
import { STDIN } from "./files.ts";
import type { ReadJob, ReportWords } from "./read.ts";

/** Where single calls are too many to keep. */
export const CALLS_HINT =
  "Calls of a time range: plimsoll report with --window FROM-TO and -o FILE.html, on the same inputs";

/** Where there is no command line that had these words. */
export const reportWords = (
  version: string,
  paths: readonly string[],
  output = "report.html",
): ReportWords => ({
  madeBy: `Plimsoll ${version}`,
  command: commandLine(["plimsoll", "report", ...paths.map(operand), "-o", output]),
  callsHint: CALLS_HINT,
});

const lastPart = (path: string) =>
  path === STDIN ? "stdin" : path.replace(/\/+$/, "").replace(/^.*\//s, "");

/** Two jobs, as `compareDocument` and `compareSummary` take them. */
export function compareInput(
  version: string,
  [before, after]: readonly [ReadJob, ReadJob],
  [first, second]: readonly [string, string],
  { noise, command }: { readonly noise: number; readonly command?: string },
): Parameters<typeof compareDocument>[0] {
  const [one, other] = [lastPart(first), lastPart(second)];
  return {
    before,
    after,
    names: one === other ? [first, second] : [one, other],
    noise,
    madeBy: `Plimsoll ${version}`,
    command: command ?? commandLine(["plimsoll", "diff", operand(first), operand(second), "-o", "diff.html"]),
  };
}
