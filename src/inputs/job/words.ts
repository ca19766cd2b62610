/** What a report or a comparison says of itself, the same from the command and from the page. */
import type { compareDocument } from "../../analyze/job/index.ts";
import { STDIN } from "./files.ts";
import type { ReadJob, ReportWords } from "./read.ts";

/** Names stand in the command up to this many. */
const NAMED_MAX = 3;

export const namesText = (paths: readonly string[]): string =>
  paths.length > NAMED_MAX ? `${paths.slice(0, NAMED_MAX).join(" ")} …` : paths.join(" ");

/** `output`: the HTML file; undefined where none is written. */
export function reportWords(
  version: string,
  paths: readonly string[],
  output: string | undefined,
): ReportWords {
  const logs = namesText(paths);
  return {
    madeBy: `Plimsoll ${version}`,
    command: `plimsoll report ${logs} -o ${output ?? "report.html"}`,
    callsHint:
      output === undefined
        ? ""
        : `Calls of a time range: plimsoll report --window FROM-TO -o FILE.html ${logs}`,
  };
}

const lastPart = (path: string) =>
  path === STDIN ? "stdin" : path.replace(/\/+$/, "").replace(/^.*\//s, "");

/** Two jobs, as `compareDocument` and `compareSummary` take them. */
export function compareInput(
  version: string,
  [before, after]: readonly [ReadJob, ReadJob],
  [first, second]: readonly [string, string],
  { noise, output = "diff.html" }: { readonly noise: number; readonly output?: string | undefined },
): Parameters<typeof compareDocument>[0] {
  const [one, other] = [lastPart(first), lastPart(second)];
  return {
    before,
    after,
    names: one === other ? [first, second] : [one, other],
    noise,
    madeBy: `Plimsoll ${version}`,
    command: `plimsoll diff ${first} ${second} -o ${output}`,
  };
}
