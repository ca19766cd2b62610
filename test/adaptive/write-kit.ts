/** Sources, targets and processes for tests of the writer. */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const program = fileURLToPath(new URL("../../bin/plimsoll", import.meta.url));

export interface Place {
  readonly folder: string;
  readonly targets: string[];
  readonly sources: string;
  readonly dataset: string;
}

/** Element n of the whole array is n. */
export function makePlace(
  folder: string,
  options: { targets: number; ranks: number; rows: number; columns: number },
): Place {
  rmSync(folder, { recursive: true, force: true });
  const { ranks, rows, columns } = options;
  const targets = Array.from({ length: options.targets }, (_, i) => join(folder, `ost${i}`));
  const sources = join(folder, "ranks");
  for (const path of [...targets, sources]) mkdirSync(path, { recursive: true });
  for (let rank = 0; rank < ranks; rank++) {
    const values = Float64Array.from({ length: rows * columns }, (_, i) => rank * rows * columns + i);
    writeFileSync(join(sources, `rank${rank}.bin`), new Uint8Array(values.buffer));
  }
  return { folder, targets, sources, dataset: join(folder, "x.bp") };
}

export function plimsoll(...words: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, ...words], {
    encoding: "buffer",
    maxBuffer: 2 ** 28,
  });
  return { code: status, bytes: stdout, out: stdout.toString(), err: stderr.toString() };
}

/** Words of a write of a place. */
export const writing = (
  { dataset, targets, sources }: Place,
  columns: number,
  ...more: string[]
): string[] => [
  "write",
  "-o",
  dataset,
  "--targets",
  targets.join(","),
  "--array",
  `t:float64:*,${columns}`,
  "--history",
  "none",
  ...more,
  sources,
];

export interface Running {
  readonly child: ChildProcess;
  readonly ended: Promise<{ code: number | null; signal: string | null; err: string }>;
}

export function start(words: readonly string[]): Running {
  const child = spawn(process.execPath, [program, ...words], { stdio: ["ignore", "ignore", "pipe"] });
  let err = "";
  child.stderr?.on("data", (text: Buffer) => (err += text.toString()));
  const ended = new Promise<{ code: number | null; signal: string | null; err: string }>((resolve) =>
    child.on("close", (code, signal) => resolve({ code, signal, err })),
  );
  return { child, ended };
}

/** Writer processes of the write that is under way, in order. */
export function writersOf({ dataset }: Place): number[] {
  const path = join(`${dataset}.dir`, ".plimsoll", "processes");
  if (!existsSync(path)) return [];
  return readFileSync(path, "utf8")
    .split("\n")
    .flatMap((line) =>
      line.startsWith("{") && line.endsWith("}") ? [(JSON.parse(line) as { pid: number }).pid] : [],
    );
}

export function isRunning(pid: number): boolean {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/\) [ZX] /.test(text);
  } catch {
    return false;
  }
}

/** Processes of the machine whose command line names the writer's program or this folder. */
export function leftRunning(folder: string): string[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .flatMap((name) => {
      try {
        const text = readFileSync(`/proc/${name}/cmdline`, "latin1").replaceAll("\0", " ");
        return text.includes(folder) ? [text] : [];
      } catch {
        return [];
      }
    });
}
