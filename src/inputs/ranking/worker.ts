/** A thread of `plimsoll top` over logs. */
import { workerData } from "node:worker_threads";
import { serveTasks } from "../../node/thread-tasks.ts";
import { type LogPath, type RankingWork, readPart } from "./work.ts";

serveTasks((paths: readonly LogPath[]) => readPart(paths, workerData as RankingWork));
