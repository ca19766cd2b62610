import { describe, expect, it } from "vitest";
import { mapAndMerge } from "./plan.ts";
import { sbatchWords, stageScript, wordsOf } from "./scripts.ts";

const plan = mapAndMerge("ingest", 3, (i, n) => ["ingest", "--slice", `${i}/${n}`], [
  "cluster",
  "total",
  "/r",
]);
const [map, merge] = plan.stages;

describe("the scripts of a plan", () => {
  it("start the task of the array's number, whatever is in the paths", () => {
    const script = stageScript(plan, map!, "/runs/o'clock 3", ["/usr/bin/node", "/opt/start.cjs"]);
    expect(script).toContain(
      `exec /usr/bin/node /opt/start.cjs cluster task '/runs/o'\\''clock 3' map-"$SLURM_ARRAY_TASK_ID"\n`,
    );
    expect(script.startsWith("#!/bin/sh\n")).toBe(true);
  });

  it("are submitted so that the merge waits for all tasks and ends when it can never start", () => {
    const words = sbatchWords({
      plan,
      stage: merge!,
      numbers: [1],
      folder: "/r%1",
      script: "/r/merge.sh",
      after: "17",
      extra: ["-p", "io"],
    });
    expect(words).toEqual([
      "--parsable",
      "--job-name=plimsoll-ingest-merge",
      "--array=1",
      "--output=/r%%1/logs/merge-%a.log",
      "--open-mode=append",
      "--requeue",
      "--dependency=afterok:17",
      "--kill-on-invalid-dep=yes",
      "-p",
      "io",
      "/r/merge.sh",
    ]);
  });

  it("name only the tasks that are left", () => {
    const given = { plan, stage: map!, folder: "/r", script: "/r/map.sh", extra: [] };
    expect(sbatchWords({ ...given, numbers: [7, 1, 2, 3, 10, 9] })).toContain("--array=1-3,7,9-10");
    expect(sbatchWords({ ...given, numbers: [5] })).toContain("--array=5");
  });

  it("take options of sbatch as a shell would", () => {
    expect(wordsOf(`-p batch --comment='a b' --mail-user="x y"z  -t 1`)).toEqual([
      "-p",
      "batch",
      "--comment=a b",
      "--mail-user=x yz",
      "-t",
      "1",
    ]);
    expect(wordsOf("")).toEqual([]);
  });
});
