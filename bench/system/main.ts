/** `npm run bench system`: the study of a system as a whole command on generated sites. */
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";

const [root = "."] = process.argv.slice(2);
const TURNS = Number(process.env.PLIMSOLL_BENCH_TURNS ?? 3);
const ZONE = "America/Los_Angeles";
/** What the study is to stay below at scale 1. */
const GOAL = { seconds: 60, peakMb: 4096 };

interface Turn {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
  readonly steps: Readonly<Record<string, number>>;
  readonly rows: { readonly jobs: number; readonly minutes: number };
}

const work = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
try {
  console.log(
    `${cpus()[0]?.model ?? "?"}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}; ${TURNS} turns, medians (range)`,
  );
  console.log(
    "plimsoll study system --json, cold process, default memory and threads; one run before is not counted.",
  );
  console.log(`Goal at scale 1: ${GOAL.seconds} s, ${GOAL.peakMb} MB.`);
  const given = process.env.PLIMSOLL_BENCH_STORE;
  if (given !== undefined) measure(given);
  else for (const scale of (process.env.PLIMSOLL_BENCH_SCALE ?? "0.05").split(",")) withSite(scale, measure);
} finally {
  rmSync(work, { recursive: true, force: true });
}

function withSite(scale: string, use: (store: string) => void): void {
  const out = join(work, "site");
  const args = ["generate", "sitewide", "--tables", "--scale", scale, "--seed", "1", "--output", out];
  const { seconds } = plimsoll(args, join(work, "generate.txt"));
  console.log(`\nplimsoll ${args.slice(0, -2).join(" ")}: ${seconds.toFixed(0)} s`);
  try {
    use(join(out, "store"));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

function measure(store: string): void {
  const before = loadavg()[0] ?? 0;
  study(store);
  const turns = Array.from({ length: TURNS }, () => study(store));
  const rows = turns[0]?.rows;
  console.log(`${rows?.jobs} jobs, ${rows?.minutes} rows of minutes; load ${before.toFixed(1)} before`);
  console.log("seconds\tprocessor s\tpeak MB\tns of processor for each row");
  const all = (rows?.jobs ?? 0) + (rows?.minutes ?? 0);
  console.log(
    [
      spread(turns.map(({ seconds }) => seconds)),
      spread(turns.map(({ cpuSeconds }) => cpuSeconds)),
      median(turns.map(({ peakMb }) => peakMb)).toFixed(0),
      ((1e9 * median(turns.map(({ cpuSeconds }) => cpuSeconds))) / Math.max(1, all)).toFixed(0),
    ].join("\t"),
  );
  const slowest = Object.keys(turns[0]?.steps ?? {})
    .map((step) => [step, median(turns.map(({ steps }) => steps[step] ?? 0))] as const)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 8)
    .map(([step, seconds]) => `${step} ${seconds.toFixed(2)}`);
  console.log(`slowest steps, seconds\t${slowest.join(", ")}`);
}

function study(store: string): Turn {
  const output = join(work, "study.json");
  const measured = plimsoll(["study", "system", "--store", store, "--zone", ZONE, "--json"], output);
  const { items, seconds } = JSON.parse(readFileSync(output, "utf8"));
  const { jobs, minuteRows } = items.B02.values;
  return { ...measured, steps: seconds, rows: { jobs, minutes: minuteRows } };
}

/** One run of the program, measured by time(1). */
function plimsoll(args: readonly string[], output: string) {
  const notes = join(work, "time.txt");
  const stdout = openSync(output, "w");
  try {
    const { status } = spawnSync(
      "/usr/bin/time",
      ["-f", "%e %U %S %M", "-o", notes, join(root, "bin", "plimsoll"), ...args],
      { stdio: ["ignore", stdout, "inherit"] },
    );
    if (status !== 0) throw new Error(`plimsoll ${args.join(" ")} ended with ${status}`);
  } finally {
    closeSync(stdout);
  }
  const [seconds = 0, user = 0, system = 0, kib = 0] = readFileSync(notes, "utf8")
    .trim()
    .split(" ")
    .map(Number);
  return { seconds, cpuSeconds: user + system, peakMb: kib / 1024 };
}

function median(values: readonly number[]): number {
  const rising = [...values].sort((a, b) => a - b);
  return rising[Math.floor(rising.length / 2)] ?? Number.NaN;
}

function spread(values: readonly number[]): string {
  return `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`;
}
