/** The files that workloads read: made before the first run, emptied from the cache before cold ones, removed at the end. */
import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { UsageError } from "../../base/errors.ts";
import { formatBytes } from "../../base/units.ts";
import { fileBytes, type PlannedCase } from "./plan.ts";

const run = promisify(execFile);

/** Where files in memory are where Linux has them; a folder of our own below it. */
export const MEMORY_FOLDER = "/dev/shm";

/** What `statfs` gives for tmpfs and ramfs. */
const MEMORY_TYPES = new Set([0x01021994, 0x858458f6]);

export function isInMemory(folder: string): boolean {
  return MEMORY_TYPES.has(statfsSync(folder).type);
}

interface Need {
  readonly place: "data" | "memory";
  readonly name: string;
  readonly bytes: number;
}

/** One file serves all cases that share it, as large as the largest of them needs. */
export function neededFiles(cases: readonly PlannedCase[]): Need[] {
  const sizes = new Map<string, Need>();
  for (const one of cases)
    for (const [index, name] of fileNames(one).entries()) {
      const place = one.source.kind === "memory" ? "memory" : "data";
      const bytes = fileBytes(one.work, index);
      const known = sizes.get(`${place}/${name}`)?.bytes ?? 0;
      sizes.set(`${place}/${name}`, { place, name, bytes: Math.max(known, bytes) });
    }
  return [...sizes.values()];
}

/**
 * Names of the files of a case, in the order of its processes. What is read past the page cache, or through an emptied
 * one, has files of its own, so that those of the others stay in it.
 */
function fileNames({ work, source }: PlannedCase): string[] {
  const cold = isCold(source) ? "-cold" : "";
  if (work.kind === "read" && work.own)
    return Array.from({ length: work.processes }, (_, p) => `own-${p}${cold}`);
  return [`shared${cold}`];
}

const isCold = ({ kind }: PlannedCase["source"]) => kind === "cold" || kind === "direct";

/** Leaves this much free, since a full disk is everybody's trouble. */
const RESERVE = 64 * 1024 * 1024;

type Folders = Readonly<Record<"data" | "memory", string | undefined>>;

export class DataFiles {
  readonly #workload: string;
  readonly #folders: Folders;

  private constructor(workload: string, folders: Folders) {
    this.#workload = workload;
    this.#folders = folders;
  }

  /** Checks that there is room before anything is made; `keep` is told of each folder before files go into it. */
  static async make(
    cases: readonly PlannedCase[],
    { dir, workload, keep, signal }: MakeOptions,
  ): Promise<DataFiles> {
    const needs = neededFiles(cases);
    const parents = { data: dir, memory: MEMORY_FOLDER };
    for (const place of ["data", "memory"] as const)
      checkRoom(
        needs.filter((one) => one.place === place),
        parents[place],
      );
    const folderFor = (place: "data" | "memory") => {
      if (!needs.some((one) => one.place === place)) return undefined;
      const folder = mkdtempSync(join(parents[place], "plimsoll-metric-"));
      keep(folder);
      return folder;
    };
    const files = new DataFiles(workload, { data: folderFor("data"), memory: folderFor("memory") });
    for (const { place, name, bytes } of needs)
      await run(workload, ["make", join(files.#folders[place] as string, name), String(bytes)], { signal });
    return files;
  }

  pathsOf(one: PlannedCase): string[] {
    const folder = this.#folders[one.source.kind === "memory" ? "memory" : "data"] as string;
    return fileNames(one).map((name) => join(folder, name));
  }

  /** The folders, for the filter of the recorder. */
  get folders(): string[] {
    return [this.#folders.data, this.#folders.memory].filter((folder) => folder !== undefined);
  }

  /** Puts the files of a case into the page cache, or takes them out of it; then gives how many pages stayed. */
  async prepare(one: PlannedCase, signal: AbortSignal): Promise<number> {
    if (!isCold(one.source)) {
      await run(this.#workload, ["warm", ...this.pathsOf(one)], { signal });
      return 0;
    }
    const { stdout } = await run(this.#workload, ["drop", ...this.pathsOf(one)], { signal });
    return (JSON.parse(stdout) as { residentPages: number }).residentPages;
  }

  remove(): void {
    for (const folder of this.folders) rmSync(folder, { recursive: true, force: true });
  }
}

interface MakeOptions {
  readonly dir: string;
  readonly workload: string;
  readonly keep: (folder: string) => void;
  readonly signal: AbortSignal;
}

function checkRoom(needs: readonly Need[], folder: string): void {
  const bytes = needs.reduce((sum, one) => sum + one.bytes, 0);
  if (bytes === 0) return;
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free < bytes + RESERVE)
    throw new UsageError(
      `${folder} has ${formatBytes(free)} free, but the data needs ${formatBytes(bytes + RESERVE)}; choose another folder with --dir, or less data with --size or --quick`,
    );
}
