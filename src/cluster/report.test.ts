import { expect, it } from "vitest";
import { type JobRow, stageRows } from "./report.ts";

const row = (task: string, state: string, given: Partial<JobRow> = {}): JobRow => ({
  ...{ id: null, task, state, seconds: null, cpuSeconds: null, peakBytes: null, attempts: 1 },
  ...{ node: null, error: null, ...given },
});

it("tasks of a stage that ended alike are one row: the slowest, the sum, the largest", () => {
  const rows = [
    row("map-1", "done", { seconds: 2, cpuSeconds: 1, peakBytes: 10 }),
    row("map-2", "done", { seconds: 3, cpuSeconds: 4, peakBytes: 5, attempts: 2 }),
    row("map-3", "lost"),
    row("merge-1", "waiting", { attempts: 0 }),
  ];
  const unknown = { seconds: null, cpuSeconds: null, peakBytes: null };
  expect(stageRows(rows)).toEqual([
    { stage: "map", state: "done", tasks: 2, seconds: 3, cpuSeconds: 5, peakBytes: 10, again: 1 },
    { stage: "map", state: "lost", tasks: 1, ...unknown, again: 0 },
    { stage: "merge", state: "waiting", tasks: 1, ...unknown, again: 0 },
  ]);
});
