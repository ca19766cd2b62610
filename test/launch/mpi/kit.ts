/** Starts ranks for tests, with each MPI of this machine. */
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

export const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

export interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
  readonly ms: number;
}

export interface Launcher {
  readonly name: "MPICH" | "Open MPI";
  readonly mpiexec: string;
  readonly mpicc: string;
  /** Words for a number of ranks, also more than there are cores. */
  words(ranks: number): string[];
}

export const LAUNCHERS: readonly Launcher[] = [
  { name: "MPICH", mpiexec: "mpiexec.mpich", mpicc: "mpicc.mpich", words: (ranks) => ["-n", String(ranks)] },
  {
    name: "Open MPI",
    mpiexec: "mpiexec.openmpi",
    mpicc: "mpicc.openmpi",
    words: (ranks) => ["--oversubscribe", "-n", String(ranks)],
  },
];

/** Tests run as root in containers, which Open MPI wants to be told twice. */
export const ENV = {
  ...process.env,
  OMPI_ALLOW_RUN_AS_ROOT: "1",
  OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1",
};

export const missing = LAUNCHERS.filter(
  ({ mpiexec }) => spawnSync(mpiexec, ["--version"], { stdio: "ignore" }).error !== undefined,
);

/** A folder, and the program of `ranks.ts` in the project, so that it finds the installed packages. */
export class Ranks {
  readonly folder = mkdtempSync(join(tmpdir(), "plimsoll-mpi-"));
  readonly #built = join(root, `.dist-mpi-${process.pid}`);
  readonly program = join(this.#built, "ranks.mjs");

  async make(): Promise<void> {
    await build({
      entryPoints: [join(root, "test/launch/mpi/ranks.ts")],
      outfile: this.program,
      bundle: true,
      format: "esm",
      platform: "node",
      packages: "external",
    });
  }

  remove(): void {
    rmSync(this.#built, { recursive: true, force: true });
    rmSync(this.folder, { recursive: true, force: true });
  }

  run(
    launcher: Launcher,
    part: string,
    words: readonly string[] = [],
    env: NodeJS.ProcessEnv = {},
    ranks = 4,
  ) {
    const line = [...launcher.words(ranks), process.execPath, this.program, part, ...words];
    return run(launcher.mpiexec, line, { env: { ...ENV, ...env } });
  }

  /** Ranks that are still there. */
  left(): string[] {
    return running(this.program);
  }
}

export interface RunOptions {
  readonly env?: NodeJS.ProcessEnv;
  readonly timeoutMs?: number;
  /** Called with what was printed so far. */
  readonly heard?: (text: string, pid: number) => void;
}

export function run(program: string, words: readonly string[], options: RunOptions = {}): Promise<Ended> {
  return new Promise((resolve, reject) => {
    const began = Date.now();
    const child = spawn(program, words, { env: options.env ?? ENV, stdio: ["ignore", "pipe", "pipe"] });
    const timer = setTimeout(() => child.kill("SIGKILL"), options.timeoutMs ?? 100_000);
    let [out, err] = ["", ""];
    child.stdout.on("data", (text: Buffer) => {
      out += text.toString();
      options.heard?.(out, child.pid as number);
    });
    child.stderr.on("data", (text: Buffer) => (err += text.toString()));
    child.once("error", reject);
    child.once("close", (code) => {
      clearTimeout(timer);
      resolve({ code, out, err, ms: Date.now() - began });
    });
  });
}

/** Command lines of processes that name something, without this one. */
export function running(what: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const line = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ");
        return line.includes(what) ? [`${name} ${line}`] : [];
      } catch {
        return [];
      }
    });
}

/** Processes end a moment after their launcher has. */
export async function noneLeft(what: string): Promise<boolean> {
  for (let waited = 0; waited < 5000; waited += 50) {
    if (running(what).length === 0) return true;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return false;
}
