/** `npm run bench darshan`: reading and printing against Darshan's own tools, in one run. */
import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, openSync, closeSync, rmSync, statSync } from "node:fs";
import { cpus, tmpdir } from "node:os";
import { join } from "node:path";
import { type BenchInput, benchInputs } from "./inputs.ts";

/** Folder of the project, and of the bundled programs; given by scripts/bench.mjs. */
const [root = ".", bundles = "."] = process.argv.slice(2);
/** Rounds of a turn: enough for compilers to settle. The first half is not counted. */
const ROUNDS: Readonly<Record<string, number>> = {
  small: 60,
  medium: 60,
  streams: 200,
  files: 8,
  segments: 8,
};
const TURNS = 3;

interface Peer {
  readonly name: string;
  /** Runs some rounds over the logs of an input; seconds of each, and the checksum if it has one. */
  run(
    input: BenchInput,
    rounds: number,
  ): {
    readonly seconds: number[];
    readonly checksum: string | undefined;
    readonly peakKib: number | undefined;
  };
}

function program(
  name: string,
  command: string,
  args: readonly string[],
  env: Record<string, string> = {},
): Peer {
  return {
    name,
    run({ paths }, rounds) {
      // Pinned to one core, so that helper threads do not help.
      const child = spawnSync("taskset", ["-c", "1", command, ...args, String(rounds), ...paths], {
        encoding: "utf8",
        maxBuffer: 1 << 26,
        env: { ...process.env, ...env },
      });
      if (child.status !== 0) throw new Error(`${name} failed: ${child.error?.message ?? child.stderr}`);
      const lines = child.stdout.trim().split("\n");
      const peak = /peak (\d+) KiB/.exec(child.stderr)?.[1];
      return {
        seconds: lines.filter((line) => /^[\d.]+$/.test(line)).map(Number),
        checksum: lines.find((line) => line.startsWith("checksum")),
        peakKib: peak === undefined ? undefined : Number(peak),
      };
    },
  };
}

function compilePeer(prefix: string, work: string): string {
  const binary = join(work, "peer");
  const flags = [
    "-O2",
    "-o",
    binary,
    join(root, "bench", "darshan", "peer.c"),
    `-I${prefix}/include`,
    `-I${prefix}/include/uthash-1.9.2/src`,
    `-L${prefix}/lib`,
    `-Wl,-rpath,${prefix}/lib`,
    "-ldarshan-util",
  ];
  execFileSync("cc", flags, { stdio: ["ignore", "inherit", "inherit"] });
  return binary;
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] as number;
/** Half the distance between the quartiles, in percent of the median. */
const spread = (values: readonly number[]) => {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] as number;
  return (50 * (at(0.75) - at(0.25))) / median(values);
};
const missing: string[] = [];

function peers(work: string): Peer[] {
  const list = [
    program("ours", process.execPath, [join(bundles, "read.mjs"), "ours"]),
    program("inflate", process.execPath, [join(bundles, "read.mjs"), "inflate"]),
  ];
  const util = process.env.DARSHAN_UTIL;
  if (util !== undefined && existsSync(join(util, "lib")))
    list.push(program("darshan-util", compilePeer(util, work), []));
  else missing.push("darshan-util (set DARSHAN_UTIL to where it is installed)");
  const py = process.env.PYDARSHAN;
  if (py !== undefined && existsSync(py)) {
    const library = util === undefined ? "" : join(util, "lib");
    list.push(
      program("PyDarshan", "/usr/bin/python3", [join(root, "bench", "darshan", "peer.py")], {
        PYTHONPATH: py,
        LD_LIBRARY_PATH: library,
      }),
    );
  } else missing.push("PyDarshan (set PYDARSHAN to the folder that holds its darshan package)");
  return list;
}

/** Rounds of all peers take turns, so that a slow minute of the machine hits them alike. */
function measure(
  input: BenchInput,
  list: readonly Peer[],
): Map<
  string,
  { seconds: number[]; first: number[]; checksum: string | undefined; peakKib: number | undefined }
> {
  const results = new Map<
    string,
    { seconds: number[]; first: number[]; checksum: string | undefined; peakKib: number | undefined }
  >();
  for (let turn = 0; turn < TURNS; turn++) {
    for (const peer of list) {
      // Python compiles nothing, so two rounds are enough.
      const rounds = peer.name === "PyDarshan" ? 2 : (ROUNDS[input.id] ?? 8);
      const { seconds, checksum, peakKib } = peer.run(input, rounds);
      const counted = seconds.slice(rounds / 2);
      // A fresh process: nothing is compiled yet. What somebody with a few logs gets.
      const cold = seconds.slice(0, 1);
      const known = results.get(peer.name);
      if (known === undefined) results.set(peer.name, { seconds: counted, first: cold, checksum, peakKib });
      else {
        known.seconds.push(...counted);
        known.first.push(...cold);
      }
    }
  }
  return results;
}

function timePrint(command: string, args: readonly string[]): number[] {
  const seconds: number[] = [];
  const sink = openSync("/dev/null", "w");
  for (let i = 0; i < 5; i++) {
    const start = process.hrtime.bigint();
    const child = spawnSync("taskset", ["-c", "1", command, ...args], { stdio: ["ignore", sink, "ignore"] });
    if (child.status !== 0) throw new Error(`${command} ${args.join(" ")} failed`);
    seconds.push(Number(process.hrtime.bigint() - start) / 1e9);
  }
  closeSync(sink);
  return seconds;
}

const work = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
try {
  const inputs = benchInputs(process.env.PLIMSOLL_BENCH_INPUTS ?? join(work, "inputs"));
  const list = peers(work);
  console.log(
    `machine: ${cpus()[0]?.model}, one core; Node ${process.version}; medians of ${TURNS} turns, ± half the range between quartiles`,
  );
  console.log(
    "reading: job, names, every record of every module; warmed up, the first half of the rounds is not counted",
  );
  console.log("cold: the first round of a fresh process, before anything is compiled\n");
  console.log(
    `${"input".padEnd(38)} ${"bytes/log".padStart(10)} ${list.map(({ name }) => `${name} logs/s`.padStart(22)).join(" ")}   ours/C  ours/Py  peak MiB   cold: ours logs/s  ours/C  ours/Py`,
  );
  for (const input of inputs) {
    const results = measure(input, list);
    const rate = (name: string) => {
      const result = results.get(name);
      return result === undefined ? Number.NaN : input.paths.length / median(result.seconds);
    };
    const coldRate = (name: string) => {
      const result = results.get(name);
      return result === undefined ? Number.NaN : input.paths.length / median(result.first);
    };
    const coldRatio = (name: string) => (coldRate("ours") / coldRate(name)).toFixed(2).padStart(7);
    const cells = list.map(({ name }) => {
      const { seconds } = results.get(name) as { seconds: number[] };
      return `${rate(name).toPrecision(4)} ±${spread(seconds).toFixed(0).padStart(2)} %`.padStart(22);
    });
    const bytes = Math.round(
      input.paths.reduce((sum, path) => sum + statSync(path).size, 0) / input.paths.length,
    );
    const ratio = (name: string) => (rate("ours") / rate(name)).toFixed(2).padStart(7);
    const ours = results.get("ours");
    const peak = ((ours?.peakKib ?? 0) / 1024).toFixed(0).padStart(9);
    console.log(
      `${input.label.padEnd(38)} ${String(bytes).padStart(10)} ${cells.join(" ")}  ${ratio("darshan-util")}  ${ratio("PyDarshan")} ${peak}  ${coldRate("ours").toPrecision(4).padStart(17)} ${coldRatio("darshan-util")}  ${coldRatio("PyDarshan")}`,
    );
    const c = results.get("darshan-util");
    if (c !== undefined && c.checksum !== ours?.checksum)
      console.log(`  CHECKSUMS DIFFER: ours ${ours?.checksum}, C ${c.checksum}`);
  }
  console.log("\nprinting, whole command with start-up, to /dev/null");
  const util = process.env.DARSHAN_UTIL;
  for (const [id, ours, reference] of [
    ["files", ["darshan", "parse"], "darshan-parser"],
    ["segments", ["darshan", "dxt"], "darshan-dxt-parser"],
  ] as const) {
    const input = inputs.find((candidate) => candidate.id === id) as BenchInput;
    const path = input.paths[0] as string;
    const mine = timePrint(process.execPath, [join(root, "bin", "plimsoll"), ...ours, path]);
    const binary = util === undefined ? "" : join(util, "bin", reference);
    const theirs = existsSync(binary) ? timePrint(binary, [path]) : undefined;
    const text =
      theirs === undefined
        ? "missing"
        : `${median(theirs).toFixed(2)} s ±${spread(theirs).toFixed(0)} %, ours is ${(median(theirs) / median(mine)).toFixed(2)} times as fast`;
    console.log(
      `${input.label.padEnd(38)} plimsoll ${ours.join(" ")} ${median(mine).toFixed(2)} s ±${spread(mine).toFixed(0)} %; ${reference} ${text}`,
    );
  }
  const small = inputs[0]?.paths[0] as string;
  const start = timePrint(process.execPath, [join(root, "bin", "plimsoll"), "darshan", "parse", small]);
  console.log(
    `\nstart-up: plimsoll darshan parse of a small log ${(1000 * median(start)).toFixed(0)} ms ±${spread(start).toFixed(0)} %`,
  );
  if (missing.length > 0) console.log(`\nnot measured: ${missing.join("; ")}`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
