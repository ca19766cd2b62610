/** `npm run bench intervals`: the union of random intervals against other ways in JavaScript and C. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { Random } from "../../src/base/prng.ts";

/** Folder of the project, and of the bundled programs; given by scripts/bench.mjs. */
const [root = ".", bundles = "."] = process.argv.slice(2);
const TURNS = 3;
const INPUTS = [
  { label: "1 M pairs", count: 1_000_000, rounds: 8 },
  { label: "10 M pairs", count: 10_000_000, rounds: 3 },
];

interface Variant {
  readonly label: string;
  readonly command: string;
  readonly args: readonly string[];
}

const script = (label: string, name: string): Variant => ({
  label,
  command: process.execPath,
  args: [join(bundles, "variants.mjs"), name],
});

function variants(work: string): Variant[] {
  const list = [
    script("ours, columns", "columns"),
    script("ours, pairs", "pairs"),
    script("index sort, comparator", "index"),
    script("two Float64Array.sort", "two-sorts"),
  ];
  const binary = join(work, "peer");
  const source = join(root, "bench", "intervals", "peer.c");
  const built = spawnSync("cc", ["-O3", "-o", binary, source], { stdio: ["ignore", "inherit", "inherit"] });
  if (built.status !== 0) {
    console.log("not measured: C (no cc that builds bench/intervals/peer.c)");
    return list;
  }
  for (const name of ["radix", "qsort"]) list.push({ label: `C ${name}`, command: binary, args: [name] });
  return list;
}

/** Ten starts a second and lengths of 70 ms on average: half of the time is covered. */
function writeInput(path: string, count: number): void {
  const random = new Random(count);
  const pairs = new Float64Array(2 * count);
  for (let i = 0; i < count; i++) {
    const start = random.unit() * (count / 10);
    pairs[2 * i] = start;
    pairs[2 * i + 1] = start + random.exponential(0.07);
  }
  writeFileSync(path, new Uint8Array(pairs.buffer));
}

/** Seconds of the rounds but the first, in which compilers settle and pages are touched. */
function run(variant: Variant, rounds: number, path: string): { seconds: number[]; length: string } {
  // Pinned to one core, so that helper threads do not help.
  const args = ["-c", "1", variant.command, ...variant.args, String(rounds), path];
  const child = spawnSync("taskset", args, { encoding: "utf8" });
  if (child.status !== 0) throw new Error(`${variant.label} failed: ${child.error?.message ?? child.stderr}`);
  const lines = child.stdout.trim().split("\n");
  return { seconds: lines.slice(1, -1).map(Number), length: lines.at(-1) ?? "" };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] as number;
}

const work = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
try {
  const list = variants(work);
  console.log(
    `machine: ${cpus()[0]?.model}, one core; Node ${process.version}; medians of ${TURNS} turns, ± half the range between quartiles`,
  );
  for (const { label, count, rounds } of INPUTS) {
    const path = join(work, "pairs");
    writeInput(path, count);
    const results = new Map(list.map((variant) => [variant, { seconds: [] as number[], length: "" }]));
    // Variants take turns, so that a slow minute of the machine hits them alike.
    for (let turn = 0; turn < TURNS; turn++) {
      for (const [variant, result] of results) {
        const { seconds, length } = run(variant, rounds, path);
        result.seconds.push(...seconds);
        result.length = length;
      }
    }
    const [ours] = results.values();
    const mine = quantile(ours?.seconds ?? [], 0.5);
    console.log(`\n${label}, ${ours?.length}`);
    for (const [variant, { seconds, length }] of results) {
      const median = quantile(seconds, 0.5);
      const spread = (50 * (quantile(seconds, 0.75) - quantile(seconds, 0.25))) / median;
      const differs = length === ours?.length ? "" : `  DIFFERS: ${length}`;
      console.log(
        `${variant.label.padEnd(24)} ${(1000 * median).toFixed(1).padStart(9)} ms ±${spread.toFixed(0).padStart(2)} %  ${(median / mine).toFixed(2).padStart(6)} times ours${differs}`,
      );
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
