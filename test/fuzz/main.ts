// Fuzzing as a program: `npm run fuzz -- --count N --seed S [--from I]`. Two passes over the same mutants: one
// with our reader alone, which must stay quick and small; one that compares what it reads with the oracle.

import { join } from "node:path";
import { parseArgs } from "node:util";
import { FormatError, LimitError } from "../../src/base/errors.ts";
import { bytesSource } from "../../src/base/source.ts";
import { DarshanLog } from "../../src/formats/darshan/log.ts";
import { nodeCodecs } from "../../src/node/codecs.ts";
import { readAsOracle } from "./adapter.ts";
import { processorMs } from "./campaign.ts";
import { mutate } from "./mutate.ts";
import { type FuzzProblem, runFuzz } from "./run.ts";
import { loadSeedLogs } from "./seed-logs.ts";

/** Of processor time, which other programs do not lengthen. */
const MILLISECONDS_MAX = 1000;
const RSS_MIB_MAX = 512;
/** What a mutant may inflate to; a bomb holds far more. Comparing makes an object of each record, so it gets less. */
const limits = { plainBytesMax: 16 * 1048576 };
const compareLimits = { plainBytesMax: 2 * 1048576 };

const { values } = parseArgs({
  options: {
    root: { type: "string", default: "." },
    seed: { type: "string", default: "1" },
    count: { type: "string", default: "20000" },
    from: { type: "string", default: "0" },
    pass: { type: "string" },
  },
});
const seed = Number(values.seed);
const count = Number(values.count);
const from = Number(values.from);
const data = process.env.PLIMSOLL_DATA ?? join(values.root, "..", "shared", "data");
const seedLogs = loadSeedLogs([
  join(data, "darshan", "public"),
  join(values.root, "test", "fixtures", "darshan"),
]);
const problems: FuzzProblem[] = [];
const replay = (index: number) => `npm run fuzz -- --seed ${seed} --from ${index} --count 1`;

if (values.pass !== "compare") walk();
if (values.pass !== "walk") await compare();
for (const { index, description, problem } of problems.slice(0, 20)) {
  console.log(`mutant ${index} (${description}): ${problem}\n  again: ${replay(index)}`);
}
console.log(`${problems.length} problems`);
process.exitCode = problems.length > 0 ? 1 : 0;

/** Our reader alone: every block of every module, all of it, by the clock. */
function walk(): void {
  let read = 0;
  let slowest = 0;
  let slowestIndex = -1;
  for (let index = from; index < from + count; index++) {
    const { bytes, description } = mutate(seedLogs, seed, index);
    const start = processorMs();
    const report = (problem: string) => problems.push({ index, description, problem, replay: replay(index) });
    try {
      readThrough(bytes);
      read++;
    } catch (error) {
      if (!(error instanceof FormatError)) report(`unexpected error: ${String(error)}`);
    }
    const took = processorMs() - start;
    if (took > slowest) {
      slowest = took;
      slowestIndex = index;
    }
    if (took > MILLISECONDS_MAX) report(`took ${Math.round(took)} ms`);
  }
  const peak = process.resourceUsage().maxRSS / 1024;
  if (peak > RSS_MIB_MAX) {
    problems.push({
      index: -1,
      description: "all",
      problem: `the process reached ${Math.round(peak)} MiB`,
      replay: "",
    });
  }
  console.log(
    `reader alone: ${count} mutants of ${seedLogs.length} logs and synthetic ones, seed ${seed}: ${read} read, ` +
      `${count - read} refused; slowest ${slowest.toFixed(0)} ms (mutant ${slowestIndex}); peak ${Math.round(peak)} MiB`,
  );
}

function readThrough(bytes: Uint8Array): number {
  const log = new DarshanLog(bytesSource(bytes, "mutant"), { codecs: nodeCodecs, limits });
  let records = log.names.size;
  for (const entry of log.modules) {
    for (const block of log.records(entry)) records += block.count;
    for (const block of log.segments(entry)) records += block.count;
  }
  return records;
}

async function compare(): Promise<void> {
  const result = await runFuzz({
    seedLogs,
    seed,
    count,
    from,
    readUnderTest: (bytes) => readAsOracle(bytes, { codecs: nodeCodecs, limits: compareLimits }),
    isExpectedError: (error) => error instanceof FormatError,
    isLimitError: (error) => error instanceof LimitError,
    // Making objects of millions of records takes longer than reading them, and is not what is timed here.
    limits: {
      plainBytesMax: compareLimits.plainBytesMax,
      millisecondsMax: 30_000,
      rssGrowthMax: 4 * 2 ** 30,
    },
    replayCommand: (_, index) => replay(index),
  });
  problems.push(...result.problems);
  const { read, rejected, limited, bombs } = result;
  console.log(
    `against the oracle: ${result.count} mutants: ${read} read and equal, ${rejected} rejected by both, ${limited} stopped by a limit, ${bombs} bombs`,
  );
}
