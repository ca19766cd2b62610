/** `npm run bench study`: the study of file reuse as a whole command, against the same values from pandas in the same run. */
import { spawnSync } from "node:child_process";
import { closeSync, mkdtempSync, openSync, readdirSync, readFileSync, readSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { compare, type OurResult, type PeerResult } from "./compare.ts";

const [root = "."] = process.argv.slice(2);
const TURNS = 3;
/** Whoever takes longer gets one turn. */
const LONG_SECONDS = 150;
const ZONE = "America/Los_Angeles";
/** Accesses of the generator at --scale 1 and at --background 1. */
const SELECTED = 400_000;
const OTHERS = 55_700_000;
/** What pandas may have with PLIMSOLL_BENCH_LARGE=1, bytes of address space: nearly all that this machine has. */
const LIMIT = 0.92 * totalmem();
const ATTEMPTS = 4;

const ACCESSES = `select run_id, file_id, mount, application_id, user_id, start_unix_ns, bytes_read, bytes_written,
  slowest_seconds, variance_seconds, variance_bytes, layer, osts from accesses`;
const RUNS = "select run_id, application_id, user_id from runs";
/** For A16. */
const CALLS = `select file_id, mount, layer, reads, writes, sequential_reads, sequential_writes, stripe_count from accesses`;
const MODULES = "select modules from runs";

interface Measured {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly peakMb: number;
}

interface Turn<T> extends Measured {
  readonly result: T;
}

const python = process.env.PYTHON ?? "/usr/bin/python3";
const work = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
try {
  const pandas = spawnSync(python, ["-c", "import pandas; print(pandas.__version__)"], { encoding: "utf8" });
  const version = pandas.status === 0 ? pandas.stdout.trim() : undefined;
  console.log(
    [
      `${cpus()[0]?.model ?? "?"}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}`,
      version === undefined
        ? `no pandas at ${python}: ours alone (Debian: python3-pandas; PYTHON names another)`
        : `pandas ${version}`,
      `${TURNS} turns, medians (range)`,
    ].join("; "),
  );
  console.log(
    "Ours: plimsoll study reuse --json as a whole command: start, reading the store, A01 to A16 with tables of sensitivity, 1000 draws for each interval, ten verdicts; default memory and threads.",
  );
  console.log("Input is in the page cache of the system: it is read through before each turn.");
  if (version !== undefined)
    console.log(
      "pandas: the values of A01 to A15 and the cells of figure 2; then the rest that ours does, A16, other thresholds of classes and 1000 draws for intervals, without verdicts; one thread, from CSV of the columns it needs, without the time of its import.",
    );
  const given = process.env.PLIMSOLL_BENCH_STORE;
  if (given === undefined) {
    let fits = Number.NaN;
    for (const size of (process.env.PLIMSOLL_BENCH_ACCESSES ?? "1000000").split(",").map(Number))
      fits = withStore(size, (store) => study(store, version !== undefined)) ?? fits;
    if (process.env.PLIMSOLL_BENCH_LARGE === "1" && !Number.isNaN(fits)) largest(fits);
  } else study(given, version !== undefined);
} finally {
  rmSync(work, { recursive: true, force: true });
}

/** The largest size that pandas holds in LIMIT: by estimates, each from the size before; after a failure only smaller. */
function largest(estimate: number): void {
  let size = estimate;
  let failed = false;
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const rounded = Math.round(size / 1e5) * 1e5;
    console.log(
      `\nlargest: ${rounded} accesses for pandas in ${(LIMIT / 2 ** 30).toFixed(1)} GiB of address space`,
    );
    const fits = withStore(rounded, (store) => study(store, true, LIMIT));
    if (fits === undefined) {
      failed = true;
      size *= 0.85;
    } else if (failed || fits < 1.15 * size) return;
    else size = 0.97 * fits;
  }
}

/** Makes a store of about so many accesses, half of them of selected files, and removes it afterwards. */
function withStore<T>(accesses: number, use: (store: string) => T): T {
  const out = join(work, "centre");
  const size = ["--scale", String(accesses / 2 / SELECTED), "--background", String(accesses / 2 / OTHERS)];
  const args = ["generate", "reuse", "--tables", ...size, "--seed", "1", "--output", out];
  const { seconds } = must("generate", plimsoll([...args, "--json"], join(work, "generate.json")));
  console.log(`\nplimsoll ${args.slice(0, -2).join(" ")}: ${seconds.toFixed(0)} s`);
  try {
    return use(join(out, "store"));
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Measures one store and prints it. Returns how many accesses pandas holds in LIMIT; nothing when it failed. */
function study(store: string, withPeer: boolean, limit?: number): number | undefined {
  let failed: string | undefined;
  if (withPeer) {
    const tables = { accesses: ACCESSES, runs: RUNS, calls: CALLS, modules: MODULES };
    let seconds = 0;
    for (const [name, statement] of Object.entries(tables))
      seconds += must(
        "sql",
        plimsoll(["sql", "--store", store, statement], join(work, `${name}.csv`)),
      ).seconds;
    console.log(`export for pandas: ${seconds.toFixed(0)} s`);
    // Gigabytes on their way to the disk would be in the way of whoever comes first.
    spawnSync("sync");
    if (limit !== undefined) {
      const trial = peer(limit);
      if (typeof trial === "string") {
        console.log(`pandas ${trial}`);
        return undefined;
      }
    }
  }
  // Not counted: its figures are compared.
  const folder = join(work, "study");
  const whole = must("study", ourStudy(store, ["-o", folder]));
  const ours: Turn<OurResult>[] = [];
  const theirs: Turn<PeerResult>[] = [];
  const before = loadavg()[0] ?? 0;
  for (let turn = 0; turn < TURNS; turn++) {
    if (turn === 0 || (ours[0]?.seconds ?? 0) <= LONG_SECONDS) ours.push(must("study", ourStudy(store)));
    if (!withPeer || failed !== undefined || (theirs[0]?.seconds ?? 0) > LONG_SECONDS) continue;
    const one = peer(limit);
    if (typeof one === "string") failed = one;
    else theirs.push(one);
  }
  print(ours, theirs, failed);
  console.log(
    `load average ${before.toFixed(1)} before, ${(loadavg()[0] ?? 0).toFixed(1)} after; with -o (report and figures) ${whole.seconds.toFixed(2)} s`,
  );
  const [first] = theirs;
  if (first === undefined) return undefined;
  sayDifferences(whole.result, folder, first.result);
  const { spaceAtImport, spaceAtMost } = first.result;
  const accesses = Number(whole.result.items.A01?.values.accesses);
  return (accesses * (LIMIT - spaceAtImport)) / (spaceAtMost - spaceAtImport);
}

function sayDifferences(ours: OurResult, folder: string, theirs: PeerResult): void {
  const { compared, lines } = compare(ours, folder, theirs);
  if (lines.length === 0) {
    console.log(`same values: all ${compared} that pandas computes agree with ours`);
    return;
  }
  console.log(`!!! ${lines.length} of ${compared} VALUES DIFFER between ours and pandas:`);
  for (const line of lines) console.log(`!!! ${line}`);
  const census = ours.items.A01;
  const special = [
    [census?.values.partialAccesses, "accesses of incomplete modules"],
    [census?.values.runsWithBadClock, "runs with a wrong clock"],
    [census?.dropped["accesses without recorded bytes"], "accesses without recorded bytes"],
  ].filter(([count]) => Number(count ?? 0) > 0);
  if (special.length > 0)
    console.log(
      `This store has ${special.map(([count, what]) => `${count} ${what}`).join(", ")}: peer.py does not set these apart, ours does.`,
    );
}

function ourStudy(store: string, more: readonly string[] = []): Turn<OurResult> | string {
  const output = join(work, "ours.json");
  warm(join(store, "segments"));
  const args = ["study", "reuse", "--store", store, "--zone", ZONE, "--json", ...more];
  const measured = plimsoll(args, output);
  return typeof measured === "string" ? measured : { ...measured, result: json(output) as OurResult };
}

function peer(limit?: number): Turn<PeerResult> | string {
  const output = join(work, "theirs.json");
  warm(work);
  const command = [python, join(root, "bench", "study", "peer.py"), work, ZONE];
  const limited =
    limit === undefined
      ? command
      : ["sh", "-c", `ulimit -v ${Math.floor(limit / 1024)}; exec "$@"`, "sh", ...command];
  const measured = measure(limited, output);
  return typeof measured === "string" ? measured : { ...measured, result: json(output) as PeerResult };
}

/** Reads all files of a folder, so that whoever reads them next finds them in memory, whatever ran before. */
function warm(folder: string): void {
  const buffer = Buffer.allocUnsafe(2 ** 20);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = openSync(join(entry.parentPath, entry.name), "r");
    while (readSync(file, buffer) > 0);
    closeSync(file);
  }
}

function json(path: string): unknown {
  return JSON.parse(readFileSync(path, "utf8"));
}

function plimsoll(args: readonly string[], output: string): Measured | string {
  return measure([process.execPath, join(root, "bin", "plimsoll"), ...args], output);
}

/** Wall time, processor time and peak memory of a whole command, as /usr/bin/time sees them. */
function measure(command: readonly string[], output: string): Measured | string {
  const notes = join(work, "time");
  const stdout = openSync(output, "w");
  try {
    const child = spawnSync("/usr/bin/time", ["-o", notes, "-f", "%e %U %S %M", ...command], {
      stdio: ["ignore", stdout, "pipe"],
      encoding: "utf8",
    });
    if (child.error !== undefined) return `failed: ${child.error.message}`;
    if (child.status !== 0) return `failed: ${child.stderr.trim().split("\n").at(-1)}`;
  } finally {
    closeSync(stdout);
  }
  const [seconds = 0, user = 0, system = 0, kib = 0] = readFileSync(notes, "utf8")
    .trim()
    .split(" ")
    .map(Number);
  return { seconds, cpuSeconds: user + system, peakMb: kib / 1024 };
}

function must<T>(what: string, outcome: T | string): T {
  if (typeof outcome === "string") throw new Error(`${what} ${outcome}`);
  return outcome;
}

/** Seconds of A01 to A16 with the tables they share; the intervals are made beside them, and so are in it. */
function itemSeconds({ seconds }: OurResult): number {
  return (seconds.prepare ?? 0) + (seconds.items ?? 0);
}

function print(
  ours: readonly Turn<OurResult>[],
  theirs: readonly Turn<PeerResult>[],
  failed: string | undefined,
): void {
  const census = ours[0]?.result.items.A01?.values;
  console.log(
    `${String(census?.accesses)} accesses, ${String(census?.files)} files, ${String(census?.logs)} runs`,
  );
  console.log("\tseconds\tprocessor s\tpeak MB");
  const line = (label: string, turns: readonly Measured[], seconds: readonly number[]) =>
    console.log(
      [
        label,
        spread(seconds),
        spread(turns.map(({ cpuSeconds }) => cpuSeconds)),
        median(turns.map(({ peakMb }) => peakMb)).toFixed(0),
      ].join("\t"),
    );
  const whole = ours.map(({ seconds }) => seconds);
  const items = ours.map(({ result }) => itemSeconds(result));
  line("ours", ours, whole);
  console.log(`ours, items without start and output\t${spread(items)}`);
  const slowest = Object.keys(ours[0]?.result.seconds ?? {})
    .filter((step) => step !== "items")
    .map((step) => [step, median(ours.map(({ result }) => result.seconds[step] ?? 0))] as const)
    .sort(([, a], [, b]) => b - a)
    .slice(0, 6)
    .map(([step, s]) => `${step} ${s.toFixed(2)}`);
  console.log(`ours, slowest steps\t${slowest.join(", ")}`);
  if (failed !== undefined) console.log(`pandas ${failed}`);
  if (theirs.length === 0) return;
  const load = theirs.map(({ result }) => result.load);
  const compute = theirs.map(({ result }) => result.compute);
  const both = theirs.map(({ result }) => result.load + result.compute);
  const all = theirs.map(({ result }) => result.load + result.compute + result.rest);
  line(
    "pandas, whole process",
    theirs,
    theirs.map(({ seconds }) => seconds),
  );
  console.log(`pandas, load\t${spread(load)}`);
  console.log(`pandas, compute A01 to A15\t${spread(compute)}`);
  console.log(`pandas, load and compute the rest\t${spread(theirs.map(({ result }) => result.rest))}`);
  const ratio = (a: readonly number[], b: readonly number[]) => (median(a) / median(b)).toFixed(2);
  console.log("pandas over ours (above 1: ours is better)\tseconds\tprocessor s\tmemory");
  const cpu = (turns: readonly Measured[]) => turns.map(({ cpuSeconds }) => cpuSeconds);
  const memory = (turns: readonly Measured[]) => turns.map(({ peakMb }) => peakMb);
  console.log(
    [
      "all of it, ours as a whole command",
      ratio(all, whole),
      ratio(cpu(theirs), cpu(ours)),
      ratio(memory(theirs), memory(ours)),
    ].join("\t"),
  );
  console.log(["pandas A01 to A15 with loading, our items", ratio(both, items)].join("\t"));
  console.log(["the same as if loading cost pandas nothing", ratio(compute, items)].join("\t"));
}

function median(values: readonly number[]): number {
  const rising = [...values].sort((a, b) => a - b);
  return rising[Math.floor(rising.length / 2)] ?? Number.NaN;
}

function spread(values: readonly number[]): string {
  return `${median(values).toFixed(2)} (${Math.min(...values).toFixed(2)}–${Math.max(...values).toFixed(2)})`;
}
