/**
 * `npm run bench ncio`: MPI-IO through koffi beside a program in C (`peer.c`) that makes the same calls, in turns within the same
 * minutes. A turn starts each program anew, C twice; a program goes through all cases. Seconds are those of the slowest rank in one
 * operation. Where the kernel put a program's pages decides more than who calls, for as long as the program lives: so a turn counts
 * with its median, and C against C in the same turns tells what chance alone does. Ratios are C's time over Node's: 1.0
 * is as fast, 0.5 half as fast. CPU seconds are those of the busiest rank from opening to closing the file.
 *
 * PLIMSOLL_BENCH_RANKS (2), PLIMSOLL_BENCH_TURNS (9), PLIMSOLL_BENCH_REPEATS (20, in each turn), PLIMSOLL_BENCH_FOLDER (where
 * the file goes), PLIMSOLL_BENCH_MPI (mpich, openmpi; both where installed), PLIMSOLL_BENCH_METHODS and _SHAPES (lists),
 * PLIMSOLL_BENCH_POINTS (COUNTxSIZE/SPACING, …).
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
const TURNS = Number(env.PLIMSOLL_BENCH_TURNS ?? 9);
const REPEATS = Number(env.PLIMSOLL_BENCH_REPEATS ?? 20);
/** Of each case in each turn, not counted: the first calls of a process compile what they run through. */
const WARM_UPS = 12;
const MPIS = (env.PLIMSOLL_BENCH_MPI ?? "mpich,openmpi").split(",");
const METHODS = (env.PLIMSOLL_BENCH_METHODS ?? "posix,sieving,two-phase").split(",");
const SHAPES = (env.PLIMSOLL_BENCH_SHAPES ?? "c-c,nc-c,c-nc,nc-nc").split(",");
/** Regions, bytes of one, bytes from start to start: the paper's default, the largest regions of its sweep, and few of them. */
const POINTS = (env.PLIMSOLL_BENCH_POINTS ?? "4096x8/128,4096x4096/8192,512x4096/8192")
  .split(",")
  .map((text) => {
    const [count, size, spacing] = text.split(/[x/]/).map(Number) as [number, number, number];
    return { count, size, spacing };
  });
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
    for (const point of POINTS) measure(mpi, ours, peer, casesOf(point));
  }
}

const casesOf = (point: (typeof POINTS)[0]): Case[] =>
  SHAPES.flatMap((shape) =>
    METHODS.flatMap((method) =>
      ["write", "read"].map((direction) => ({ ...point, shape, method, direction })),
    ),
  );

interface Case {
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
  "regions",
  "Node ms",
  "C ms",
  "C/Node",
  "middle half",
  "C/C",
  "CPU C/Node",
];
const WIDTHS = [6, 10, 6, 12, 10, 10, 8, 13, 8, 11];
const line = (cells: readonly string[]) =>
  cells
    .map((cell, i) => (i < 3 ? cell.padEnd(WIDTHS[i] as number) : cell.padStart(WIDTHS[i] as number)))
    .join(" ");
const HEAD = line(COLUMNS);
const median = (values: readonly number[]) => quantileOf(values, 0.5);

function measure(mpi: string, ours: readonly string[], peer: string, cases: readonly Case[]): void {
  const turns: { node: Turn[]; c: Turn[]; control: Turn[] }[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    // Each is first, second and last in a third of the turns.
    const programs = [ours, [peer], [peer]];
    const runs: Turn[][] = [];
    for (let i = 0; i < 3; i++) {
      const place = (turn + i) % 3;
      runs[place] = run(mpi, programs[place] as readonly string[], cases);
    }
    const [node, c, control] = runs as [Turn[], Turn[], Turn[]];
    turns.push({ node, c, control });
  }
  for (const [i, one] of cases.entries()) {
    const of = (name: "node" | "c" | "control") => turns.map((turn) => turn[name][i] as Turn);
    const medians = (name: "node" | "c" | "control") => of(name).map(({ seconds }) => median(seconds));
    const [node, c, control] = [medians("node"), medians("c"), medians("control")];
    // Both runs of C count, so that a ratio has the noise of one less.
    const both = median([...c, ...control]);
    const ratios = node.map(
      (seconds, turn) => ((c[turn] as number) + (control[turn] as number)) / 2 / seconds,
    );
    console.log(
      line([
        one.shape,
        one.method,
        one.direction,
        `${one.count} x ${one.size}`,
        (1000 * median(node)).toFixed(3),
        (1000 * both).toFixed(3),
        (both / median(node)).toFixed(2),
        `${quantileOf(ratios, 0.25).toFixed(2)}-${quantileOf(ratios, 0.75).toFixed(2)}`,
        (median(control) / median(c)).toFixed(2),
        (median(of("c").map(({ cpu }) => cpu)) / median(of("node").map(({ cpu }) => cpu))).toFixed(2),
      ]),
    );
  }
}

/** One turn of every case, in their order. The first goes twice and counts the second time: a process that has just begun is busy with itself. */
function run(mpi: string, program: readonly string[], cases: readonly Case[]): Turn[] {
  const path = join(folder, "file");
  const words = [cases[0] as Case, ...cases].map(({ shape, method, direction, count, size, spacing }) =>
    [shape, method, direction, count, size, spacing].join(","),
  );
  const child = spawnSync(
    `mpiexec.${mpi}`,
    [...(MPIEXEC_WORDS[mpi] ?? []), "-n", RANKS, ...program, path, String(REPEATS + WARM_UPS), ...words],
    {
      encoding: "utf8",
      env: { ...env, OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1" },
    },
  );
  if (child.status !== 0)
    throw new Error(`${program.join(" ")} failed: ${child.error?.message ?? child.stderr}`);
  const values = (name: string) =>
    [...child.stdout.matchAll(new RegExp(`^${name} (.*)$`, "gm"))].map((found) =>
      (found[1] as string).split(" ").map(Number),
    );
  const cpu = values("cpu");
  return values("seconds")
    .map((seconds, i) => ({ seconds: seconds.slice(WARM_UPS), cpu: cpu[i]?.[0] as number }))
    .slice(1);
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
