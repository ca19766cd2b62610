/** A thread of `plimsoll study reuse`: accesses in, what their runs did out. */
import { parentPort, workerData } from "node:worker_threads";
import { groupedRuns, type RunsWork } from "../../analyze/study/reuse/index.ts";

parentPort?.postMessage(groupedRuns(workerData as RunsWork));
