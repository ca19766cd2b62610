/** Groups the accesses of a study by run in a thread of its own, while files are gone through in this one. */
import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { builtFile, isBuild } from "../node/built.ts";
import { ThreadPool } from "../node/thread-pool.ts";
import type { GroupRuns, RunsState, RunsWork } from "../analyze/study/reuse/index.ts";

/** Nothing where there is one processor, or no build. */
export function groupRunsBeside(threads = availableParallelism()): GroupRuns | undefined {
  const program = threads > 1 && isBuild ? builtFile("reuse-worker.js") : undefined;
  if (program === undefined) return undefined;
  return async (work) => {
    const resourceLimits = { maxYoungGenerationSizeMb: 4 };
    const pool = new ThreadPool<RunsWork, RunsState>({ program, threads: 1, resourceLimits });
    try {
      return await pool.run(work);
    } finally {
      // Only then it no longer holds the accesses.
      await pool.stop();
    }
  };
}

/** Gives back what nobody holds. The engine by itself keeps hundreds of megabytes until it needs them. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("globalThis.gc");
  if (typeof collect === "function") collect();
}
