/**
 * `npm run bench start`: start-up of the commands that run for every log, job and node, `darshan parse` and `collect client`, against a
 * Node that runs an empty file; and `darshan parse` with some work to do. In turns; processor time of a run is the mean of a few in a row, wall time is beside it.
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";

const [root = "."] = process.argv.slice(2);
const TURNS = Number(process.env.PLIMSOLL_BENCH_TURNS ?? 9);
const RUNS = 5;
/** Processor time over that of bare Node. */
const GOAL = 1.4;

interface Turn {
  readonly cpuMs: number;
  readonly wallMs: number;
}

/** One turn: a few runs in a row, timed by the shell, which has milliseconds of its children. */
function turn(words: readonly string[]): Turn {
  const script = `TIMEFORMAT="%U %S %R"; time for ((i = 0; i < ${RUNS}; i++)); do "$@" >/dev/null || exit 1; done`;
  const { status, stderr } = spawnSync("bash", ["-c", script, "bash", ...words], {
    encoding: "utf8",
    env: { ...process.env, LC_ALL: "C" },
  });
  if (status !== 0) throw new Error(`${words.join(" ")} failed: ${stderr.trim()}`);
  const [user = 0, system = 0, wall = 0] = (stderr.trim().split("\n").at(-1) ?? "").split(" ").map(Number);
  return { cpuMs: (1000 * (user + system)) / RUNS, wallMs: (1000 * wall) / RUNS };
}

const median = (values: readonly number[]) =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;

const work = mkdtempSync(join(tmpdir(), "plimsoll-bench-"));
try {
  const mount = join(work, "root/proc/fs/lustre/llite/fs-ffff8800");
  mkdirSync(mount, { recursive: true });
  writeFileSync(
    join(mount, "stats"),
    "snapshot_time 1700000040.000000000 secs.nsecs\nread_bytes 12 samples [bytes] 1 4096 40960\n",
  );
  const lnet = join(work, "root/proc/sys/lnet");
  mkdirSync(lnet, { recursive: true });
  writeFileSync(join(lnet, "stats"), "0 3 0 10 20 0 0 4096 8192 0 0\n");
  const empty = join(work, "empty.cjs");
  writeFileSync(empty, "");
  const program = [process.execPath, join(root, "dist/start.cjs")];
  const client = ["collect", "client", "--before", "--strict", "--job", "1", "--dir", join(work, "client")];
  const single = join(work, "single");
  const made = ["generate", "single", "--only", "no-io", "--output", single];
  spawnSync(process.execPath, [...program.slice(1), ...made], { stdio: "ignore" });
  const log = join(root, "test/fixtures/darshan/mpiio4_dxt.darshan");
  const contenders = {
    "bare Node": [process.execPath, empty],
    "darshan parse": [...program, "darshan", "parse", join(single, "no-io.darshan")],
    "… 4,874 lines": [...program, "darshan", "parse", log],
    "collect client": [...program, ...client, "--root", join(work, "root")],
  };
  const turns = new Map<string, Turn[]>();
  for (let i = 0; i < TURNS; i++)
    for (const [name, words] of Object.entries(contenders))
      turns.set(name, [...(turns.get(name) ?? []), turn(words)]);
  console.log(`Node ${process.version}, ${TURNS} turns of ${RUNS} runs, load ${loadavg()[0]?.toFixed(1)}\n`);
  const bare = turns.get("bare Node") ?? [];
  for (const [name, own] of turns) {
    const ratios = own.map(({ cpuMs }, i) => cpuMs / (bare[i]?.cpuMs ?? Number.NaN));
    const [low, high] = [Math.min(...ratios), Math.max(...ratios)];
    const cpu = median(own.map(({ cpuMs }) => cpuMs)).toFixed(1);
    const wall = median(own.map(({ wallMs }) => wallMs)).toFixed(1);
    const ratio = `${median(ratios).toFixed(2)} × bare Node (${low.toFixed(2)} to ${high.toFixed(2)}; goal ${GOAL})`;
    console.log(`${name.padEnd(16)} CPU ${cpu.padStart(6)} ms, wall ${wall.padStart(6)} ms, ${ratio}`);
  }
} finally {
  rmSync(work, { recursive: true, force: true });
}
