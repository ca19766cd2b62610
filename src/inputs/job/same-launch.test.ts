import { expect, it } from "vitest";
import { launchesOf, requireOneLaunch, TraceListener, type TraceOfJob } from "./same-launch.ts";

const trace = (path: string, program: string, start: number, end: number, launch = path): TraceOfJob => ({
  ...{ path, launch, programs: new Set(program === "" ? [] : [program]) },
  ...{ startSeconds: start, endSeconds: end },
});

it.each([
  ["one trace", [trace("a", "x", 0, 1)], 1],
  ["programs of one recording", [trace("r/a", "x", 0, 1, "r/"), trace("r/b", "y", 5, 6, "r/")], 1],
  ["one program on two nodes", [trace("a", "x", 0, 1), trace("b", "x", 5, 6)], 1],
  ["programs of the same time", [trace("a", "sh", 0, 9), trace("b", "x", 1, 2), trace("c", "y", 5, 6)], 1],
  ["programs one after another", [trace("a", "x", 0, 1), trace("b", "y", 5, 6)], 2],
  [
    "two pairs",
    [trace("a", "x", 0, 2), trace("b", "y", 1, 3), trace("c", "z", 5, 6), trace("d", "z", 7, 8)],
    2,
  ],
  ["a trace without a program", [trace("a", "x", 0, 1), trace("b", "", 5, 6)], 1],
  ["a trace without a time of day", [trace("a", "x", 0, 1), trace("b", "y", Number.NaN, Number.NaN)], 1],
])("%s", (_, traces, jobs) => {
  expect(launchesOf(traces)).toHaveLength(jobs);
});

it("names the jobs", () => {
  const jobs = launchesOf(
    ["v", "w", "x", "y"].map((name, at) => trace(`${name}.plt`, name, 60 * at, 60 * at + 1)),
  );
  expect(() => requireOneLaunch(jobs)).toThrow(
    "the traces belong to 4 different jobs: v at 1970-01-01 00:00 UTC (v.plt), w at 1970-01-01 00:01 UTC (w.plt), x at 1970-01-01 00:02 UTC (x.plt) and 1 more; pass the traces or the folder of one job, or use --force-merge",
  );
});

it("hears program, folder and time while a trace is read", () => {
  const heard = new TraceListener("/rec/sync/host.7.plt", true);
  const sink = heard.before({
    ...{ clock: () => {}, process: () => 0, file: () => 0, block: () => {}, note: () => {} },
  });
  sink.clock({ kind: "realtime", epochNs: 1_000_000_000n });
  sink.process({ pid: 7, program: "sync", life: { startNs: 0, endNs: 2e9 } });
  expect(heard).toMatchObject({ launch: "/rec/sync/", startSeconds: 1, endSeconds: 3 });
  expect([...heard.programs]).toEqual(["sync"]);
});
