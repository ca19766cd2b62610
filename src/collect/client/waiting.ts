/**
 * Documents that wait for the end of their job: one file per job on this node. An empty file `….shared` next to it
 * marks that another job ran on the node at the same time.
 */
import { closeSync, openSync, rmSync, statSync } from "node:fs";
import { join } from "node:path";
import { makeFolder, sortedNames } from "../../node/folders.ts";
import { PART, writeWhole } from "../../node/durable.ts";
import { codeOf, FILE_MODE, fileNamePart, FOLDER_MODE, readToEnd } from "../files.ts";
import type { JobFacts } from "./facts.ts";

export interface Waiting {
  readonly path: string;
  /** File name without its ending. */
  readonly name: string;
  readonly ageMs: number;
}

const ENDING = ".before.json";
const SHARED = ".shared";

export class WaitingFolder {
  readonly folder: string;
  readonly #nowMs: () => number;

  constructor(dir: string, nowMs: () => number) {
    this.folder = join(dir, "before");
    this.#nowMs = nowMs;
  }

  /** Writes the document and marks it and all waiting ones as shared. */
  put(facts: JobFacts, text: string): void {
    makeFolder(this.folder, FOLDER_MODE);
    const own = nameOf(facts);
    const prefix = `${fileNamePart(facts.node)}~`;
    const others = this.list().filter(({ name }) => name.startsWith(prefix) && name !== own);
    this.#remove(`${own}${SHARED}`);
    writeWhole(join(this.folder, `${own}${ENDING}`), text, { sync: false, mode: FILE_MODE });
    // Of jobs that start at the same moment at least one sees the other, which is enough.
    const later = this.list().filter(({ name }) => name.startsWith(prefix) && name !== own);
    const met = new Set([...others, ...later].map(({ name }) => name));
    for (const name of met.size > 0 ? [own, ...met] : []) this.#mark(name);
  }

  /** The document of the job, if it exists. */
  get(facts: JobFacts): { bytes: Uint8Array | undefined; shared: boolean } {
    const name = nameOf(facts);
    let bytes: Uint8Array | undefined;
    try {
      bytes = readToEnd(join(this.folder, `${name}${ENDING}`), 64 << 20);
    } catch (error) {
      if (codeOf(error) !== "ENOENT" && codeOf(error) !== "ENOTDIR") throw error;
    }
    const mark = statSync(join(this.folder, `${name}${SHARED}`), { throwIfNoEntry: false });
    return { bytes, shared: mark !== undefined };
  }

  remove(facts: JobFacts): void {
    const name = nameOf(facts);
    this.#remove(`${name}${ENDING}`);
    this.#remove(`${name}${SHARED}`);
  }

  /** All that wait, oldest first. */
  list(): Waiting[] {
    const found: Waiting[] = [];
    for (const file of sortedNames(this.folder)) {
      if (!file.endsWith(ENDING)) continue;
      const path = join(this.folder, file);
      const status = statSync(path, { throwIfNoEntry: false });
      if (status === undefined) continue;
      const ageMs = Math.max(0, this.#nowMs() - status.mtimeMs);
      found.push({ path, name: file.slice(0, -ENDING.length), ageMs });
    }
    return found.sort((a, b) => b.ageMs - a.ageMs || (a.path < b.path ? -1 : 1));
  }

  /** Removes documents that have waited too long, and partial files; returns the former. */
  clean(ageMsMax: number): Waiting[] {
    const stale = this.list().filter(({ ageMs }) => ageMs > ageMsMax);
    for (const { name } of stale) for (const end of [ENDING, SHARED]) this.#remove(`${name}${end}`);
    for (const file of sortedNames(this.folder)) {
      if (file.endsWith(ENDING)) continue;
      const status = statSync(join(this.folder, file), { throwIfNoEntry: false });
      const isOurs = PART.test(file) || file.endsWith(SHARED);
      if (isOurs && status !== undefined && this.#nowMs() - status.mtimeMs > ageMsMax) this.#remove(file);
    }
    return stale;
  }

  #mark(name: string): void {
    try {
      closeSync(openSync(join(this.folder, `${name}${SHARED}`), "a", FILE_MODE));
    } catch {
      // Without the mark a reading is still whole.
    }
  }

  #remove(file: string): void {
    rmSync(join(this.folder, file), { force: true });
  }
}

/**
 * Node, cluster and job; the tilde is in none of them, for it is escaped. A requeued job has the same id and runs once at a time:
 * its new reading takes the place of one that was left. (Slurm counts a restart before the epilog of the run that ended, so
 * SLURM_JOB_RESTART_COUNT tells runs apart in the wrong place.)
 */
export function nameOf({ node, cluster = "", jobId }: JobFacts): string {
  return [node, cluster, jobId].map(fileNamePart).join("~");
}
