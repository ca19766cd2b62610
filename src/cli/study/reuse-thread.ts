/** Groups the accesses of a study by run in a thread of its own, while files are gone through in this one. */
import { availableParallelism } from "node:os";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { Worker } from "node:worker_threads";
import { builtFile, isBuild } from "../../node/built.ts";
import type { GroupRuns, RunsState } from "../../analyze/study/reuse/index.ts";

/** Nothing where there is one processor, or no build. */
export function groupRunsBeside(threads = availableParallelism()): GroupRuns | undefined {
  const program = threads > 1 && isBuild ? builtFile("reuse-worker.js") : undefined;
  if (program === undefined) return undefined;
  return (work) =>
    new Promise<RunsState>((resolve, reject) => {
      const worker = new Worker(program, {
        workerData: work,
        resourceLimits: { maxYoungGenerationSizeMb: 4 },
      });
      let state: RunsState | undefined;
      worker.once("message", (message: RunsState) => {
        state = message;
      });
      worker.once("error", reject);
      // Only then it no longer holds the accesses.
      worker.once("exit", (code) =>
        state === undefined ? reject(new Error(`the thread for runs ended with ${code}`)) : resolve(state),
      );
    });
}

/** Gives back what nobody holds. The engine by itself keeps hundreds of megabytes until it needs them. */
export function collectGarbage(): void {
  setFlagsFromString("--expose-gc");
  const collect: unknown = runInNewContext("globalThis.gc");
  if (typeof collect === "function") collect();
}
