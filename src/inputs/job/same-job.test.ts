import { expect, it } from "vitest";
import { jobsOf, type LogOfJob, requireOneJob } from "./same-job.ts";

const log = (change: Partial<LogOfJob> = {}): LogOfJob => ({
  path: "a.darshan",
  jobId: 7n,
  userId: 1000n,
  startUnixSeconds: 1_700_000_000,
  runSeconds: 60,
  ...change,
});
const DAY = 86_400;
const after = (days: number, runSeconds = 60) =>
  log({ startUnixSeconds: 1_700_000_000 + days * DAY, runSeconds });

it.each([
  ["one log", [log()], 1],
  ["processes of one moment", [log(), log({ path: "b.darshan" })], 1],
  ["steps of a job over days, in any order", [after(6), log(), after(12)], 1],
  ["a step after one that ran for two weeks", [log({ runSeconds: 14 * DAY }), after(1), after(20)], 1],
  ["a log without an end", [log({ runSeconds: Number.NaN }), after(1)], 1],
  ["another job id", [log(), log({ jobId: 8n })], 2],
  ["the same id of another user", [log(), log({ userId: 1001n })], 2],
  ["the same id eight days later", [log(), after(8)], 2],
])("%s", (_, logs, jobs) => {
  expect(jobsOf(logs)).toHaveLength(jobs);
});

it("names three jobs and counts the others", () => {
  const logs = [1n, 2n, 3n, 4n, 5n].map((jobId) => log({ jobId, path: `${jobId}.darshan` }));
  expect(() => requireOneJob(logs)).toThrow(
    "the logs belong to 5 different jobs: 1 of user 1000 on 2023-11-14 (1.darshan), 2 of user 1000 on 2023-11-14 (2.darshan), 3 of user 1000 on 2023-11-14 (3.darshan) and 2 more; pass the logs or the folder of one job, or use --force-merge",
  );
  expect(() => requireOneJob(logs, "of two to compare")).toThrow(
    /the folder of one job, or of two to compare$/,
  );
  expect(() => requireOneJob([log({ startUnixSeconds: 1e300 }), log({ jobId: 8n })])).toThrow(/unknown time/);
});

it("names the folder of a job with many logs", () => {
  const logs = ["a/77/n1/1.darshan", "a/77/n2/2.darshan", "a/78/n1/3.darshan"].map((path, i) =>
    log({ path, jobId: i < 2 ? 77n : 78n }),
  );
  expect(() => requireOneJob(logs)).toThrow(
    /77 of user 1000 on 2023-11-14 \(a\/77\), 78 .* \(a\/78\/n1\/3\.darshan\);/,
  );
});
