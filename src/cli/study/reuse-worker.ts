/** A thread of `plimsoll study reuse`: accesses in, what their runs did out. */
import { parentPort, workerData } from "node:worker_threads";
import { groupedRuns, type RunsWork } from "../../analyze/reuse/index.ts";

const state = groupedRuns(workerData as RunsWork);
parentPort?.postMessage(
  state,
  [...state.readBytes, ...state.writeBytes].map(({ buffer }) => buffer as ArrayBuffer),
);
