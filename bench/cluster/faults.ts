/** A study whose tasks are killed, whose node is drained, and whose merge is killed: what is left to do, and the same result. */
import { existsSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type { SlurmCluster } from "../../test/slurm-cluster.ts";
import type { Measure } from "./measure.ts";

export async function faults(cluster: SlurmCluster, measure: Measure, tasks: number): Promise<void> {
  const study = ["study", "reuse", "--store", "centre/store", "--threads", "1"];
  const words = ["cluster", ...study, "--tasks", String(tasks)];
  const { json: expected } = await measure.command("expected", study);
  const jobOf = (run: string, stage: string): string | undefined => {
    const path = measure.path(`${run}/run.json`);
    if (!existsSync(path)) return undefined;
    const { submitted } = JSON.parse(readFileSync(path, "utf8"));
    return submitted.findLast((one: { stage: string }) => one.stage === stage)?.job;
  };
  const stateOf = async (job: string) => {
    const { stdout } = await cluster.run("squeue", ["--noheader", "--array", `--jobs=${job}`, "--format=%T"]);
    return stdout.trim();
  };
  const until = async (is: () => Promise<boolean>) => {
    for (let turn = 0; turn < 6000 && !(await is()); turn++) await setTimeout(20);
  };
  const killed = async (run: string, stage: string, number: number) => {
    const running = measure.plan(run, words, true);
    await until(async () => {
      const job = jobOf(run, stage);
      return job !== undefined && (await stateOf(`${job}_${number}`)) === "RUNNING";
    });
    await cluster.run("scancel", ["--signal=KILL", "--full", `${jobOf(run, stage)}_${number}`]);
    return running;
  };
  const report = async (what: string, run: string, first: Awaited<ReturnType<typeof killed>>) => {
    const left = first.jobs.filter(({ state }) => state !== "done").map(({ task }) => task);
    const then = left.length === 0 ? first : await measure.plan(run, [...words, "--resume"]);
    const again = then.jobs.filter(({ attempts }) => attempts > 1).map(({ task }) => task);
    console.log(
      `${what}: not done ${left.join(" ") || "none"}; begun again ${again.join(" ") || "none"}; values ${measure.same(expected, then.result) ? "are equal" : "!!! DIFFER"}`,
    );
    measure.remove(run);
  };
  await report("a task killed", "killed-task", await killed("killed-task", "map", tasks));
  await report("the merge killed", "killed-merge", await killed("killed-merge", "merge", 1));
  const [node = ""] = cluster.nodes;
  const running = measure.plan("drained", words, true);
  await until(async () => jobOf("drained", "map") !== undefined);
  await cluster.run("scontrol", ["update", `nodename=${node}`, "state=drain", "reason=bench"]);
  const drained = await running;
  await cluster.run("scontrol", ["update", `nodename=${node}`, "state=resume"]);
  await report(`node ${node} drained`, "drained", drained);
}
