import { expect, it } from "vitest";
import { callsJob } from "./rules/calls-test-kit.ts";
import { heatFigure } from "./sections/heat.ts";
import { countedProcesses, whoOf } from "./who.ts";

it.each([
  [false, "2 ranks", "rank"],
  [true, "2 processes", "process"],
] as const)("processes apart: %s", (isApart, counted, one) => {
  const call = { file: "/d/f", operation: "write", start: 0, end: 1, bytes: 8, offset: 0 } as const;
  const job = callsJob(
    [0, 1].map((rank) => ({ ...call, rank })),
    isApart,
  );
  expect(countedProcesses(job)).toBe(counted);
  expect(whoOf(job).one).toBe(one);
  expect(heatFigure(job.activity!, job).title).toBe(`POSIX bytes of each ${one} over time`);
});
