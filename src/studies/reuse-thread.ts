/** Groups the accesses of a study by run in a separate thread, while this one processes the files. */
import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { builtFile, isBuild } from "../node/built.ts";
import { ThreadPool } from "../node/thread-pool.ts";
import type { GroupRuns, RunsState, RunsWork } from "../analyze/study/reuse/index.ts";

/** Undefined with one processor, or without a build. */
export function groupRunsInThread(threads = availableParallelism()): GroupRuns | undefined {
  const program = threads > 1 && isBuild ? builtFile("reuse-worker.js") : undefined;
  if (program === undefined) return undefined;
  return async (work) => {
    const resourceLimits = { maxYoungGenerationSizeMb: 4 };
    const pool = new ThreadPool<RunsWork, RunsState>({ program, threads: 1, resourceLimits });
    try {
      return await pool.run(work);
    } finally {
      // Only a stopped thread frees the accesses.
      await pool.stop();
    }
  };
}

/** Frees unreachable memory. V8 by itself keeps hundreds of megabytes until it needs them. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("globalThis.gc");
  if (typeof collect === "function") collect();
}
