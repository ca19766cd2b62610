/** A thread of `plimsoll study reuse`: accesses in, totals of their runs out. */
import { serveTasks } from "../node/thread-tasks.ts";
import { groupedRuns } from "../analyze/study/reuse/index.ts";

serveTasks(groupedRuns);
