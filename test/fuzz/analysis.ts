// Mutated Darshan logs through the commands that judge a job: bounded work, sound documents, one-line errors.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Campaign, Problems } from "./campaign.ts";
import { breachOfRun, numberBreach } from "./contract.ts";
import { mutate } from "./mutate.ts";
import { loadSeedLogs } from "./seed-logs.ts";

const root = join(dirname(fileURLToPath(import.meta.url)), "..", "..");
const fixtures = join(root, "test", "fixtures", "darshan");
const data = process.env.PLIMSOLL_DATA ?? join(root, "..", "shared", "data");
/** What a mutant may inflate to; a bomb holds far more. */
const LIMIT = ["--max-plain-bytes", "4MiB"];

/** Tries the mutants of a campaign; gives those that broke a promise as text. */
export async function analyzeMutants(campaign: Campaign, testFile: string): Promise<string> {
  const { seed, from, count } = campaign;
  const seedLogs = loadSeedLogs([join(data, "darshan", "public"), fixtures]);
  const problems = new Problems(testFile);
  const folder = mkdtempSync(join(tmpdir(), "plimsoll-analysis-"));
  try {
    const log = join(folder, "mutant.darshan");
    const page = join(folder, "page.html");
    for (let index = from; index < from + count; index++) {
      const { bytes, description } = mutate(seedLogs, seed, index);
      writeFileSync(log, bytes);
      for (const words of commandsFor(index, count === 1, log, page)) {
        rmSync(page, { force: true });
        const breach = (await breachOfRun(words)) ?? pageBreach(page);
        if (breach !== undefined) problems.add(seed, index, description, breach);
      }
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return problems.text;
}

/** Every mutant is judged as text and as JSON; what takes longer has its turn. */
function commandsFor(index: number, all: boolean, log: string, page: string): string[][] {
  const turn = (of: number) => all || index % 10 === of;
  return [
    ["report", "--full", ...LIMIT, log],
    ["findings", "--json", ...LIMIT, log],
    ...(turn(1) || turn(6) ? [["report", "--json", "--keep-going", ...LIMIT, log]] : []),
    ...(turn(2) || turn(7) ? [["diff", "--full", ...LIMIT, log, join(fixtures, "mpiio4_dxt.darshan")]] : []),
    ...(turn(3) ? [["report", ...LIMIT, "-o", page, log]] : []),
    ...(turn(4) ? [["report", ...LIMIT, log, log]] : []),
    ...(turn(5) ? [["diff", "--json", ...LIMIT, join(fixtures, "mpiio4_dxt.darshan"), log]] : []),
  ];
}

/** What is drawn is checked by its path data, what is written by its words; the script in a page is ours. */
function pageBreach(page: string): string | undefined {
  let html: string;
  try {
    html = readFileSync(page, "latin1");
  } catch {
    return undefined;
  }
  const breach = numberBreach(html.replace(/<(script|style)\b[\s\S]*?<\/\1>/g, ""));
  return breach && `the page ${breach}`;
}
