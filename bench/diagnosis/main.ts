/** `npm run bench diagnosis`: whether findings name the main cause first, and what they say it costs, where the truth is known. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { textTable } from "../../src/base/text-table.ts";
import { drishtiCommand, insightsOf } from "./drishti.ts";
import { type Line, lineOf, linesOf, type Score, scoreCase } from "./score.ts";
import {
  counterfactualCases,
  type LoggedCase,
  pairCases,
  pairsFolder,
  programCases,
  type Said,
} from "./sets.ts";

const [root = "."] = process.argv.slice(2);
const JOBS = Number(process.env.PLIMSOLL_BENCH_JOBS ?? 200);
/** Rules may be written against jobs of even seeds; nobody looked at those of odd ones. */
const [SEEN = 2, UNSEEN = 3] = (process.env.PLIMSOLL_BENCH_SEED ?? "2,3").split(",").map(Number);
const drishti = drishtiCommand();

/** The library as it is built: the bundle of a benchmark cannot hold its native parts. */
const { readJob }: typeof import("../../src/library/analyze.ts") = await import(
  pathToFileURL(resolve(root, "dist", "analyze.js")).href
);

/** What `plimsoll findings --json` says of a log, in its order. */
async function findingsOf(log: string): Promise<Said[]> {
  const { verdicts } = await readJob([log]);
  return verdicts.findings.map(({ id, severity, cost }) => ({
    ...{ id, severity },
    seconds: cost?.seconds ?? Number.NaN,
  }));
}

async function scoresOf(cases: Iterable<LoggedCase>): Promise<Score[]> {
  const scores: Score[] = [];
  for (const one of cases) {
    const insights = drishti === undefined ? undefined : insightsOf(drishti, one.log);
    scores.push(scoreCase(one, await findingsOf(one.log), insights));
  }
  return scores;
}

/** Single jobs are named where rules may be mended by them. */
function print(title: string, scores: readonly Score[], named = true): void {
  if (scores.length === 0) return;
  const planted = scores.filter(({ truth }) => truth.mainCause !== "none");
  const lines = [...linesOf(scores), lineOf("all with a cause", planted)];
  const columns = [
    { label: "main cause" },
    ..."jobs,first,related,× 1.5,× 2,cost error,costs,false highs,missed".split(",").map(right),
    ...(drishti === undefined ? [] : ["Drishti HIGH", "other HIGH"].map(right)),
  ];
  console.log(`\n${title}\n\n${textTable(columns, lines.map(cells)).join("\n")}`);
  const wrong = scores.filter(({ falseHighs }) => falseHighs.length > 0).length;
  console.log(
    `\nmain cause first ${share(lines.at(-1)?.first ?? 0, planted.length)}, jobs with a false high ${share(wrong, scores.length)}`,
  );
  for (const score of named ? scores : [])
    if (score.falseHighs.length > 0 || !isRight(score)) console.log(complaint(score));
}

const right = (label: string) => ({ label, right: true });

function cells(line: Line): string[] {
  const { label, jobs, first, related, within15, within2, errorMedian, costs, falseHighs, missed } = line;
  const isNone = label === "none";
  const known = (value: number) => (isNone ? "-" : String(value));
  return [
    ...[label, String(jobs), known(first), known(related), known(within15), known(within2)],
    ...[Number.isNaN(errorMedian) ? "-" : `${Math.round(100 * errorMedian)} %`, known(costs)],
    ...[String(falseHighs), known(missed)],
    ...(drishti === undefined ? [] : [known(line.drishtiNames), String(line.drishtiOthers)]),
  ];
}

const share = (part: number, whole: number) =>
  `${part} of ${whole}${whole === 0 ? "" : ` (${((100 * part) / whole).toFixed(1)} %)`}`;

const isRight = ({ isFirst, truth, factor }: Score) =>
  truth.mainCause === "none" || (isFirst && Math.max(factor, 1 / factor) <= 2);

/** One line for whoever mends a rule. */
function complaint({ truth, first, factor, falseHighs }: Score): string {
  const causes = truth.causes.map(({ cause, gainSeconds }) => `${cause} ${gainSeconds.toFixed(2)} s`);
  const loud = falseHighs.map(({ id, seconds }) => `${id} ${seconds.toFixed(2)} s`);
  const claimed = Number.isNaN(factor) ? "no cost" : `cost ${factor.toFixed(2)} × true`;
  return [
    `  ${truth.id}: ${causes.join(", ") || "nothing"} of ${truth.runSeconds.toFixed(2)} s; first ${first}`,
    ...(truth.causes.length === 0 ? [] : [claimed]),
    ...(loud.length === 0 ? [] : [`false: ${loud.join(", ")}`]),
  ].join("; ");
}

const work = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
try {
  if (drishti === undefined)
    console.log(
      "Drishti is not installed: set DRISHTI to its command or folder (bench/README.md says how to get it)",
    );
  const half = Math.ceil(JOBS / 2);
  const seen = await scoresOf(counterfactualCases(SEEN, half, work));
  print(`Counterfactual jobs, seed ${SEEN}`, seen);
  const unseen = await scoresOf(counterfactualCases(UNSEEN, JOBS - half, work));
  print(`Counterfactual jobs, seed ${UNSEEN} (no rule was written against these)`, unseen, false);
  const pairs = pairsFolder(root);
  if (pairs === undefined) console.log("\nno measured pairs: ../shared/data/pathologies is not there");
  else print("Measured pairs", await scoresOf(pairCases(pairs)));
  const programs = process.env.PLIMSOLL_BENCH_PROGRAMS;
  if (programs === undefined)
    console.log("\nno real programs: set PLIMSOLL_BENCH_PROGRAMS to the results of examples/pathologies");
  else
    print(
      "Real programs",
      programCases(programs).map(({ truth, said }) => scoreCase(truth, said)),
    );
} finally {
  rmSync(work, { recursive: true, force: true });
}
