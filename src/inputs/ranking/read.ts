/** Rows of a ranking from logs and folders, with a pool of threads. */
import { FormatError } from "../../base/errors.ts";
import { NameFilter } from "../../base/glob.ts";
import type { Listener } from "../../base/listener.ts";
import type { Provenance } from "../../model/index.ts";
import { builtFile } from "../../node/built.ts";
import { ThreadPool } from "../../node/thread-pool.ts";
import { type Found, walk } from "../../node/walk.ts";
import {
  addFile,
  type RankedFile,
  type RankedRun,
  type RankingPart,
  type RankingWork,
  readPart,
} from "./work.ts";

/** Logs that a thread gets at once. */
const PART = 500;

interface RankedLogs {
  readonly runs: RankedRun[];
  readonly files: RankedFile[];
  readonly origin: Provenance;
}

/** Of logs and folders. What cannot be read is named and left out, as long as one log is left. */
export async function readRanking(
  inputs: readonly string[],
  work: RankingWork,
  threads: number,
  listener: Listener,
): Promise<RankedLogs> {
  /** What an error calls all of them. */
  const name = inputs.join(", ");
  const filter = work.include.length + work.exclude.length === 0 ? undefined : new NameFilter(work);
  const runs: RankedRun[] = [];
  const files = new Map<string, RankedFile>();
  let skipped = 0;
  const take = (part: RankingPart) => {
    for (const run of part.runs) runs.push(run);
    for (const { path, runs: count, ...sums } of part.files) addFile(files, path, sums, count);
    for (const { path, reason } of part.skipped) {
      // Where nothing else is named, it is the error itself.
      if (path === name) throw new FormatError(path, {}, reason);
      listener.skip?.(path, reason);
    }
    skipped += part.skipped.length;
    if (part.filter !== undefined) filter?.add(part.filter);
  };
  const reader = new PartReader(work, threads, take);
  try {
    const failed = (path: string, error: unknown) =>
      listener.skip?.(path, error instanceof Error ? error.message : String(error));
    for await (const path of walk(inputs, undefined, failed)) await reader.add(path);
    await reader.finish();
  } finally {
    await reader.stop();
  }
  filter?.requireMatches();
  if (runs.length === 0)
    throw new FormatError(name, {}, skipped > 0 ? "none of the logs could be read" : "no Darshan log found");
  runs.sort((a, b) => (a.source < b.source ? -1 : 1));
  const synthetic = runs.filter(({ isSynthetic }) => isSynthetic).length;
  return { runs, files: [...files.values()], origin: { synthetic, of: runs.length, unit: "runs" } };
}

/** Collects paths into parts; threads start with the second one, since few logs are read faster here. */
class PartReader {
  readonly #work: RankingWork;
  readonly #threads: number;
  readonly #take: (part: RankingPart) => void;
  #paths: Found[] = [];
  #pool: ThreadPool<readonly Found[], RankingPart> | undefined;
  readonly #results: Promise<void>[] = [];

  constructor(work: RankingWork, threads: number, take: (part: RankingPart) => void) {
    this.#work = work;
    this.#threads = threads;
    this.#take = take;
  }

  async add(path: Found): Promise<void> {
    if (this.#paths.push(path) < PART) return;
    this.#give();
    await this.#pool?.room(2);
  }

  async finish(): Promise<void> {
    if (this.#pool === undefined) this.#take(readPart(this.#paths, this.#work));
    else this.#give();
    await Promise.all(this.#results);
  }

  async stop(): Promise<void> {
    await this.#pool?.stop();
  }

  #give(): void {
    this.#pool ??= new ThreadPool({
      program: builtFile("top-worker.js"),
      threads: this.#threads,
      workerData: this.#work,
      tasksPerThread: 2,
    });
    const result = this.#pool.run(this.#paths).then(this.#take);
    // Who waits for the results hears of a failure; until then it is nobody's.
    result.catch(() => {});
    this.#results.push(result);
    this.#paths = [];
  }
}
