/**
 * `npm run bench ncio`: MPI-IO through koffi beside a program in C (`peer.c`) that makes the same calls, in turns within the same
 * minutes. Seconds are those of the slowest rank in one operation, medians over all turns; ratios are C's time over ours, so
 * 1.0 is as fast and 0.5 half as fast; that of the quickest tenth of operations tells more on a busy machine. CPU seconds are those of the busiest rank from opening to closing the file.
 *
 * PLIMSOLL_BENCH_RANKS (2), PLIMSOLL_BENCH_TURNS (5), PLIMSOLL_BENCH_REPEATS (20, in each turn), PLIMSOLL_BENCH_FOLDER (where
 * the file goes), PLIMSOLL_BENCH_MPI (mpich, openmpi; both where installed), PLIMSOLL_BENCH_METHODS and _SHAPES (lists).
 */
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { availableParallelism, cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { quantileOf } from "../../src/base/statistics.ts";

/** Folder of the project; given by scripts/bench.mjs. */
const [root = "."] = process.argv.slice(2);
const env = process.env;
const RANKS = env.PLIMSOLL_BENCH_RANKS ?? "2";
const TURNS = Number(env.PLIMSOLL_BENCH_TURNS ?? 5);
const REPEATS = Number(env.PLIMSOLL_BENCH_REPEATS ?? 20);
/** Of each turn, not counted. */
const WARM_UPS = 2;
const MPIS = (env.PLIMSOLL_BENCH_MPI ?? "mpich,openmpi").split(",");
const METHODS = (env.PLIMSOLL_BENCH_METHODS ?? "posix,sieving,two-phase").split(",");
const SHAPES = (env.PLIMSOLL_BENCH_SHAPES ?? "c-c,nc-c,c-nc,nc-nc").split(",");
/** Regions, bytes of one, bytes from start to start: the paper's default, and the size from which ours has to keep up. */
const POINTS = [
  { count: 4096, size: 8, spacing: 128 },
  { count: 512, size: 4096, spacing: 8192 },
];
const MPIEXEC_WORDS: Readonly<Record<string, readonly string[]>> = {
  mpich: [],
  openmpi: ["--oversubscribe", "--allow-run-as-root", "--mca", "io", "romio321"],
};

interface Turn {
  readonly seconds: readonly number[];
  readonly cpu: number;
}

const folder = mkdtempSync(join(env.PLIMSOLL_BENCH_FOLDER ?? tmpdir(), "plimsoll-ncio-"));
/** In the project, so that the ranks find the installed packages. */
const built = join(root, `.dist-bench-${process.pid}`);

async function main(): Promise<void> {
  mkdirSync(built, { recursive: true });
  const ours = await bundleRank();
  console.log(
    `${cpus()[0]?.model}, ${availableParallelism()} cores, load ${loadavg()[0]?.toFixed(1)}; ${RANKS} ranks, ${TURNS} turns of ${REPEATS} operations`,
  );
  for (const mpi of MPIS) {
    const peer = compilePeer(mpi);
    if (peer === undefined) continue;
    console.log(`\n${mpi}\n${HEAD}`);
    for (const point of POINTS)
      for (const shape of SHAPES)
        for (const method of METHODS)
          for (const direction of ["write", "read"])
            measure(mpi, ours, peer, { ...point, shape, method, direction });
  }
}

interface Point {
  readonly count: number;
  readonly size: number;
  readonly spacing: number;
  readonly shape: string;
  readonly method: string;
  readonly direction: string;
}

const COLUMNS = [
  "case",
  "method",
  "",
  "region",
  "Node ms",
  "C ms",
  "C/Node",
  "spread",
  "best tenth",
  "CPU C/Node",
];
const WIDTHS = [6, 10, 6, 7, 10, 10, 8, 13, 11, 11];
const line = (cells: readonly string[]) =>
  cells
    .map((cell, i) => (i < 3 ? cell.padEnd(WIDTHS[i] as number) : cell.padStart(WIDTHS[i] as number)))
    .join(" ");
const HEAD = line(COLUMNS);

function measure(mpi: string, ours: readonly string[], peer: string, point: Point): void {
  const turns: { ours: Turn; peer: Turn }[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    // Each is first in every other turn.
    const first = turn % 2 === 0;
    const one = run(mpi, first ? ours : [peer], point);
    const other = run(mpi, first ? [peer] : ours, point);
    turns.push(first ? { ours: one, peer: other } : { ours: other, peer: one });
  }
  const median = (values: readonly number[]) => quantileOf(values, 0.5);
  const node = median(turns.flatMap((turn) => turn.ours.seconds));
  const c = median(turns.flatMap((turn) => turn.peer.seconds));
  const ratios = turns
    .map((turn) => median(turn.peer.seconds) / median(turn.ours.seconds))
    .sort((a, b) => a - b);
  const best = (of: (turn: (typeof turns)[0]) => Turn) =>
    quantileOf(
      turns.flatMap((turn) => of(turn).seconds),
      0.1,
    );
  const cpu = median(turns.map((turn) => turn.peer.cpu)) / median(turns.map((turn) => turn.ours.cpu));
  console.log(
    line([
      point.shape,
      point.method,
      point.direction,
      `${point.size} B`,
      (1000 * node).toFixed(3),
      (1000 * c).toFixed(3),
      (c / node).toFixed(2),
      `${(ratios[0] as number).toFixed(2)}-${(ratios.at(-1) as number).toFixed(2)}`,
      (best((turn) => turn.peer) / best((turn) => turn.ours)).toFixed(2),
      cpu.toFixed(2),
    ]),
  );
}

function run(mpi: string, program: readonly string[], point: Point): Turn {
  const { shape, method, direction, count, size, spacing } = point;
  const path = join(folder, "file");
  const numbers = [count, size, spacing, REPEATS + WARM_UPS, 0].map(String);
  const words = [
    ...(MPIEXEC_WORDS[mpi] ?? []),
    "-n",
    RANKS,
    ...program,
    path,
    shape,
    method,
    direction,
    ...numbers,
  ];
  const child = spawnSync(`mpiexec.${mpi}`, words, {
    encoding: "utf8",
    env: { ...env, OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1" },
  });
  if (child.status !== 0)
    throw new Error(`${program.join(" ")} failed: ${child.error?.message ?? child.stderr}`);
  const values = (name: string) =>
    (new RegExp(`^${name} (.*)$`, "m").exec(child.stdout)?.[1] ?? "").split(" ").map(Number);
  return { seconds: values("seconds").slice(WARM_UPS), cpu: values("cpu")[0] as number };
}

function compilePeer(mpi: string): string | undefined {
  const program = join(folder, `peer.${mpi}`);
  const source = join(root, "bench", "ncio", "peer.c");
  const made = spawnSync(`mpicc.${mpi}`, ["-O2", source, "-o", program], { encoding: "utf8" });
  if (made.status === 0) return program;
  console.log(`\n${mpi}: left out (${made.error?.message ?? made.stderr.trim()})`);
  return undefined;
}

async function bundleRank(): Promise<string[]> {
  const outfile = join(built, "rank.mjs");
  const esbuild = pathToFileURL(join(root, "node_modules", "esbuild", "lib", "main.js")).href;
  const { build } = ((await import(esbuild)) as { default: typeof import("esbuild") }).default;
  await build({
    entryPoints: [join(root, "bench", "ncio", "ranks", "rank.ts")],
    outfile,
    bundle: true,
    format: "esm",
    platform: "node",
    packages: "external",
  });
  return [process.execPath, outfile];
}

try {
  await main();
} finally {
  rmSync(folder, { recursive: true, force: true });
  rmSync(built, { recursive: true, force: true });
}
