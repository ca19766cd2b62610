/** What the machine offers for the experiments, found out by trying. */
import { execFile } from "node:child_process";
import { accessSync, constants, mkdtempSync, rmSync, statfsSync, statSync } from "node:fs";
import { availableParallelism, cpus, loadavg, release } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { systemReason, UsageError } from "../../base/errors.ts";
import { isInMemory, MEMORY_FOLDER } from "./data-files.ts";
import type { Machine } from "./plan.ts";

const run = promisify(execFile);

export function checkFolder(dir: string): void {
  let problem: string | undefined;
  try {
    if (!statSync(dir).isDirectory()) problem = "not a folder";
    else accessSync(dir, constants.W_OK | constants.X_OK);
  } catch (error) {
    problem = systemReason(error, "folder") ?? String((error as NodeJS.ErrnoException).code);
  }
  if (problem !== undefined)
    throw new UsageError(`--dir ${dir}: ${problem}; choose a folder on the disk to measure`);
}

export async function lookAround(
  dir: string,
  workload: string,
  keep: (folder: string) => { done(): void },
): Promise<Machine> {
  return { direct: await takesDirect(dir, workload, keep), memory: memoryIsThere() && !isInMemory(dir) };
}

async function takesDirect(
  dir: string,
  workload: string,
  keep: (folder: string) => { done(): void },
): Promise<boolean> {
  const folder = mkdtempSync(join(dir, "plimsoll-metric-"));
  const kept = keep(folder);
  try {
    const probe = join(folder, "probe");
    await run(workload, ["make", probe, "65536"]);
    return await run(workload, ["read", "65536", "4096", "direct", "shared", "1", probe]).then(
      () => true,
      () => false,
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
    kept.done();
  }
}

export function memoryIsThere(): boolean {
  try {
    accessSync(MEMORY_FOLDER, constants.W_OK | constants.X_OK);
    return isInMemory(MEMORY_FOLDER);
  } catch {
    return false;
  }
}

/** Magic numbers of statfs(2). */
const FILE_SYSTEMS: Readonly<Record<number, string>> = {
  61267: "ext4",
  1481003842: "XFS",
  2435016766: "Btrfs",
  801189825: "ZFS",
  16914836: "tmpfs",
  2240043254: "ramfs",
  2035054128: "overlay",
  26985: "NFS",
  198183888: "Lustre",
  1196443219: "GPFS",
  1702057286: "FUSE",
};

export function machineFacts(dir: string): { label: string; text: string }[] {
  const { type } = statfsSync(dir);
  const model = cpus()[0]?.model.trim();
  return [
    {
      label: "Machine",
      text: `${processorCount()} × ${model || "processor"}, Linux ${release()}`,
    },
    { label: "Data", text: `${dir} (${FILE_SYSTEMS[type] ?? `file system ${type.toString(16)}`})` },
  ];
}

/** Without /proc only the number that this process may use is known. */
const processorCount = (): number => cpus().length || availableParallelism();

/** A sentence when others use the machine; a busy one makes times long and uneven. */
export function busyNote(): string | undefined {
  const [load = 0] = loadavg();
  const count = processorCount();
  return load > count
    ? `The machine was busy: ${load.toFixed(1)} processes were ready to run on ${count} cores when the study began, so times are long and uneven.`
    : undefined;
}
