/** A thread of `plimsoll top` over logs. */
import { workerData } from "node:worker_threads";
import { serveTasks } from "../../node/thread-tasks.ts";
import type { Found } from "../../node/walk.ts";
import { type RankingWork, readPart } from "./work.ts";

serveTasks((paths: readonly Found[]) => readPart(paths, workerData as RankingWork));
