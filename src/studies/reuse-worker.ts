/** A thread of `plimsoll study reuse`: accesses in, what their runs did out. */
import { serveTasks } from "../node/thread-tasks.ts";
import { groupedRuns } from "../analyze/study/reuse/index.ts";

serveTasks(groupedRuns);
