/** `npm run bench record`: what one call costs without a recorder, with it loaded but off, on, and under strace. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { cpus, release, tmpdir } from "node:os";
import { join } from "node:path";
import { ensureShim } from "../../src/record/shim.ts";

/** Folder of the project; given by scripts/bench.mjs. */
const [root = "."] = process.argv.slice(2);
const TURNS = Number(process.env.PLIMSOLL_BENCH_TURNS ?? 9);
const CALLS = 400_000;
/** strace takes some 50 us for each. */
const STRACE_CALLS = 4000;

interface Way {
  readonly label: string;
  readonly calls: number;
  readonly words: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

interface Sample {
  readonly cpu: number;
  readonly wall: number;
}

function build(work: string, name: string): string {
  const program = join(work, name);
  const source = join(root, "bench", "record", `${name}.c`);
  const { status } = spawnSync("cc", ["-O2", "-o", program, source], {
    stdio: ["ignore", "inherit", "inherit"],
  });
  if (status !== 0) throw new Error(`cc cannot build ${source}`);
  return program;
}

function ways(work: string, trace: string): Way[] {
  const shim = ensureShim({ source: join(root, "native", "recorder.c") }).path;
  const list: Way[] = [
    { label: "no recorder", calls: CALLS, words: [], env: {} },
    { label: "loaded, off", calls: CALLS, words: [], env: { LD_PRELOAD: shim } },
    { label: "on", calls: CALLS, words: [], env: { LD_PRELOAD: shim, PLIMSOLL_RECORD: trace } },
  ];
  const strace = [
    "strace",
    "-f",
    "-ttt",
    "-T",
    "-y",
    "-o",
    join(work, "strace.txt"),
    "-e",
    "trace=pread64,pwrite64,openat,close,newfstatat,access,lseek,read,write",
  ];
  if (spawnSync("strace", ["-V"]).status === 0)
    list.push({ label: "strace", calls: STRACE_CALLS, words: strace, env: {} });
  else console.log("not measured: strace (not installed)");
  const darshan = process.env.DARSHAN_RUNTIME;
  if (darshan === undefined)
    console.log(
      "not measured: Darshan with DXT (DARSHAN_RUNTIME names the folder where darshan-runtime is installed)",
    );
  else list.push(darshanWay(join(darshan, "lib", "libdarshan.so"), work));
  return list;
}

/** DXT with room for all calls of a run: by default it stops after some 2 MiB. */
function darshanWay(library: string, work: string): Way {
  if (!existsSync(library)) throw new Error(`DARSHAN_RUNTIME: there is no ${library}`);
  const env = {
    ...{ LD_PRELOAD: library, DARSHAN_ENABLE_NONMPI: "1", DXT_ENABLE_IO_TRACE: "1" },
    ...{ DARSHAN_MODMEM: "1024", DARSHAN_LOGFILE: join(work, "run.darshan") },
  };
  return { label: "Darshan with DXT", calls: CALLS, words: [], env };
}

function run(
  way: Way,
  probe: string,
  trace: string,
  [op, size]: readonly [string, number],
  data: string,
): Sample {
  rmSync(trace, { recursive: true, force: true });
  mkdirSync(trace);
  writeFileSync(join(trace, "options"), "");
  rmSync(join(trace, "..", "run.darshan"), { force: true });
  const words = [...way.words, probe, op, String(size), String(way.calls), data];
  const child = spawnSync(words[0] as string, words.slice(1), {
    encoding: "utf8",
    env: { ...process.env, ...way.env },
  });
  if (child.status !== 0) throw new Error(`${way.label} failed: ${child.error?.message ?? child.stderr}`);
  const [cpu = 0, wall = 0] = child.stdout.trim().split(" ").map(Number);
  return { cpu, wall };
}

function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(share * (sorted.length - 1))] as number;
}

const TITLES: Readonly<Record<string, string>> = {
  ...{ read: "pread of N B", write: "pwrite of N B", open: "open and close" },
  ...{ next: "write of N B from the position on", append: "write of N B with O_APPEND" },
};
const titleOf = ([op, size]: readonly [string, number]) => TITLES[op]?.replace("N", String(size)) ?? op;

const median = (values: readonly number[]) => quantile(values, 0.5);

function cell(values: readonly number[]): string {
  const spread = (quantile(values, 0.75) - quantile(values, 0.25)) / 2;
  return `${median(values).toFixed(0).padStart(8)} ±${spread.toFixed(0).padStart(4)}`;
}

// The data and the trace are in memory, so that no disk is measured.
const work = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "plimsoll-bench-"));
try {
  const probe = build(work, "probe");
  const trace = join(work, "trace");
  const list = ways(work, trace);
  console.log(
    `machine: ${cpus()[0]?.model}, ${cpus().length} cores, Linux ${release()}; ${CALLS} calls a run (strace ${STRACE_CALLS}), medians of ${TURNS} turns, ± half the range between quartiles`,
  );
  console.log("extra: median of the differences to the run without a recorder in the same turn");
  for (const kind of [
    ["read", 64],
    ["read", 4096],
    ["write", 64],
    ["write", 4096],
    ["next", 64],
    ["append", 64],
    ...["open", "stat", "fstat", "access", "lseek", "fprintf", "getc"].map((op) => [op, 64] as const),
  ] as const) {
    const samples = list.map(() => [] as Sample[]);
    // Turn by turn, so that a slow minute of the machine hits all alike.
    for (let turn = 0; turn < TURNS; turn++)
      for (const [at, way] of list.entries())
        samples[at]?.push(run(way, probe, trace, kind, join(work, "data")));
    console.log(`\n${titleOf(kind)}, tmpfs      CPU ns per call   extra     wall ns per call   extra`);
    for (const [at, { label }] of list.entries()) {
      const own = samples[at] as Sample[];
      const extra = (of: (one: Sample) => number) =>
        median(own.map((one, turn) => of(one) - of(samples[0]?.[turn] as Sample)))
          .toFixed(0)
          .padStart(7);
      // strace works in a process of its own, which the CPU time of the program does not show.
      const cpu = label === "strace" ? " ".repeat(14) : cell(own.map((one) => one.cpu));
      const more = label === "strace" ? " ".repeat(7) : extra((one) => one.cpu);
      console.log(
        `${label.padEnd(24)} ${cpu} ${more}      ${cell(own.map((one) => one.wall))} ${extra((one) => one.wall)}`,
      );
    }
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
