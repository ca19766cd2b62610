/** `npm run bench lustre`: reading job_stats and making differences of two readings, beside a script in Python; and
 * readings of many targets into a store by the whole command. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { bytesSource } from "../../src/base/source.ts";
import { DeltaTracker, LustreParser, Reading } from "../../src/formats/lustre/index.ts";
import { benchIngest } from "./ingest.ts";
import { jobStatsText, type Layout } from "./inputs.ts";

/** Folder of the project; given by scripts/bench.mjs. */
const [root = "."] = process.argv.slice(2);
const JOBS = Number(process.env.PLIMSOLL_BENCH_JOBS ?? 20_000);
const TURNS = Number(process.env.PLIMSOLL_BENCH_TURNS ?? 7);
const PATH = "obdfilter/bench-OST0000/job_stats";

interface Turn {
  readonly parse: number;
  readonly both: number;
  readonly answer: string;
}

/** CPU seconds of `work`; other programs on the machine do not count. */
function cpuSeconds(work: () => void): number {
  const before = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1e6;
}

function ours(texts: readonly Uint8Array[], parser: LustreParser): Turn {
  const [first, second] = texts.map((bytes) => bytesSource(bytes, PATH));
  if (first === undefined || second === undefined) throw new Error("two readings are needed");
  const parse = cpuSeconds(() => parser.parse(first, {}, () => {}));
  const tracker = new DeltaTracker(parser.table);
  const feed = (source: typeof first, readAtNs: bigint) => {
    let result: ReturnType<DeltaTracker["feed"]>;
    parser.parse(source, { readAtNs }, (item) => {
      if (item instanceof Reading) result = tracker.feed(item);
    });
    return result;
  };
  feed(first, 60_000_000_000n);
  let deltas: ReturnType<DeltaTracker["feed"]>;
  const both = cpuSeconds(() => {
    deltas = feed(second, 120_000_000_000n);
  });
  let samples = 0n;
  let sum = 0n;
  for (let i = 0; i < (deltas?.changed.count ?? 0); i++) {
    samples += deltas?.changed.samples[i] ?? 0n;
    sum += deltas?.changed.sum[i] ?? 0n;
  }
  return { parse, both, answer: `${samples} ${sum}` };
}

function python(files: readonly string[]): Turn | undefined {
  const program = process.env.PYTHON ?? "python3";
  const { status, stdout } = spawnSync(program, [join(root, "bench", "lustre", "peer.py"), ...files], {
    encoding: "utf8",
  });
  if (status !== 0) return undefined;
  const [parse = 0, difference = 0, ...answer] = stdout.trim().split(" ");
  return { parse: Number(parse), both: Number(parse) + Number(difference), answer: answer.join(" ") };
}

const best = (values: readonly number[]) => Math.min(...values);
const worst = (values: readonly number[]) => Math.max(...values);

function report(label: string, turns: readonly Turn[], bytes: number, counters: number): void {
  for (const [what, key] of [
    ["read", "parse"],
    ["read and differences", "both"],
  ] as const) {
    const seconds = turns.map((turn) => turn[key]);
    const rate = (work: number, digits: number) =>
      `${(work / best(seconds)).toFixed(digits)} (worst ${(work / worst(seconds)).toFixed(digits)})`;
    console.log(
      `  ${`${label}, ${what}`.padEnd(32)} ${rate(bytes / 1e6, 0)} MB/s, ${rate(counters / 1e6, 2)} M counter lines/s`,
    );
  }
}

const folder = mkdtempSync(join(tmpdir(), "plimsoll-bench-lustre-"));
try {
  console.log(
    `${cpus()[0]?.model ?? "unknown processor"}; ${JOBS} jobs; CPU seconds, best of ${TURNS} turns, in turn\n`,
  );
  const parser = new LustreParser();
  for (const layout of ["2.12", "2.15"] as const satisfies readonly Layout[]) {
    const texts = [0, 1].map((step) => new TextEncoder().encode(jobStatsText(layout, JOBS, step)));
    const files = texts.map((bytes, step) => {
      const path = join(folder, `${layout}-${step}.job_stats`);
      writeFileSync(path, bytes);
      return path;
    });
    const bytes = texts[0]?.length ?? 0;
    const counters = JOBS * (layout === "2.12" ? 12 : 14);
    console.log(`job_stats as of ${layout}: ${(bytes / 1e6).toFixed(1)} MB, ${counters} counter lines`);
    const mine: Turn[] = [];
    const peer: Turn[] = [];
    for (let turn = 0; turn < TURNS; turn++) {
      mine.push(ours(texts, parser));
      if (turn < 3) peer.push(...[python(files)].filter((one) => one !== undefined));
    }
    report("plimsoll", mine, bytes, counters);
    if (peer.length === 0) console.log("  (no Python: the peer was left out)");
    else {
      report("Python", peer, bytes, counters);
      const ratio = best(peer.map(({ both }) => both)) / best(mine.map(({ both }) => both));
      console.log(`  plimsoll takes 1/${ratio.toFixed(1)} of the time for both`);
    }
    const answers = new Set([...mine, ...peer].map(({ answer }) => answer));
    console.log(
      answers.size === 1 ? `  same sums: ${[...answers]}\n` : `  SUMS DIFFER: ${[...answers].join(" | ")}\n`,
    );
  }
  benchIngest(root, folder);
} finally {
  rmSync(folder, { recursive: true });
}
