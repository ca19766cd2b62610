/**
 * `npm run bench cluster`: plans under a real Slurm on this machine beside the same work in one process: CPU time, memory of each
 * task, what the engine costs on top, tasks and merges that are killed, a drained node, and a cost model fitted to all sizes.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { cpus, loadavg, tmpdir, totalmem } from "node:os";
import { join } from "node:path";
import { slurmMissing, startSlurmCluster } from "../../test/slurm-cluster.ts";
import { faults } from "./faults.ts";
import { printModel } from "./model.ts";
import { Measure, type Step } from "./measure.ts";

const [root = "."] = process.argv.slice(2);
const setting = (name: string, usual: string) => process.env[`PLIMSOLL_BENCH_${name}`] ?? usual;
const SIZES = setting("ACCESSES", "300000,1000000,3000000").split(",").map(Number);
const TASKS = Number(setting("TASKS", "8"));
/** Logs of the ingest. */
const LOGS = Number(setting("LOGS", "20000"));
/** Larger sizes are generated in tasks alone. */
const ONE_MOST = Number(setting("ONE_MOST", "5000000"));
/** What one process, or one task, of a study may take. */
const MEMORY = setting("MEMORY", "2GiB");
/** Accesses and runs of the generator at --scale 1 and --background 1: the mixture of the published study. */
const ACCESSES = 400_000 + 55_700_000;
const NODES = 3;

const missing = slurmMissing();
if (missing === undefined) await main();
else console.log(`no Slurm on this machine: ${missing} (Debian: slurm-wlm munge)`);

async function main(): Promise<void> {
  const cluster = await startSlurmCluster({ nodes: NODES, cpusPerNode: 1 });
  const work = mkdtempSync(join(setting("FOLDER", tmpdir()), "plimsoll-bench-"));
  try {
    console.log(
      `${cpus()[0]?.model ?? "?"}, ${cpus().length} cores, ${(totalmem() / 2 ** 30).toFixed(0)} GiB, Node ${process.version}; Slurm of ${NODES} nodes on this machine, one task at a time each; ${TASKS} tasks; load ${loadavg()[0]?.toFixed(1)}`,
    );
    console.log(
      "CPU time is that of whole processes, with their start; wall time is that of a shared machine.",
    );
    const measure = new Measure(root, work, cluster.env);
    if (LOGS > 0) await ingest(measure);
    const steps: Step[] = [];
    for (const [i, size] of SIZES.entries()) {
      steps.push(...(await one(measure, size)));
      if (i === 0) await faults(cluster, measure, TASKS);
      measure.remove("centre", "one", "generate", "study");
    }
    printModel(steps);
  } finally {
    await cluster.stop();
    rmSync(work, { recursive: true, force: true });
  }
}

/** Logs into a store: in slices, and at once. */
async function ingest(measure: Measure): Promise<void> {
  const background = String(LOGS / 84_000_000);
  await measure.command("generate", [
    "generate",
    "reuse",
    "-o",
    "logs",
    "--scale",
    "0",
    "--background",
    background,
  ]);
  const one = await measure.command("one", ["ingest", "logs/logs", "--store", "single", "--threads", "1"]);
  const many = await measure.plan("ingest", [
    ...["cluster", "ingest", "logs/logs", "--store", "many", "--threads", "1"],
    ...["--tasks", String(TASKS)],
  ]);
  measure.print(`ingest of ${LOGS} logs`, one, many);
  measure.remove("logs", "single", "many", "ingest");
}

async function one(measure: Measure, accesses: number): Promise<Step[]> {
  const factor = String(accesses / ACCESSES);
  const size = ["--scale", factor, "--background", factor, "--tables", "--buckets", String(TASKS)];
  const tasks = ["--tasks", String(TASKS)];
  console.log(`\n${accesses} accesses: plimsoll generate reuse ${size.join(" ")}`);
  const generated = await measure.plan("generate", [
    "cluster",
    "generate",
    "reuse",
    "-o",
    "centre",
    ...size,
    ...tasks,
  ]);
  const alone =
    accesses > ONE_MOST
      ? undefined
      : await measure.command("one", ["generate", "reuse", "-o", "one", ...size]);
  measure.print("generate", alone, generated);
  measure.remove("one", "generate");
  const store = ["--store", "centre/store"];
  const [counts] = (await measure.rows([
    ...["sql", ...store],
    "select (select count(*) from accesses) as accesses, (select count(*) from runs) as runs",
  ])) as [{ accesses: number; runs: number }];
  console.log(`${counts.accesses} accesses in ${counts.runs} runs, ${measure.megabytes("centre/store")} MB`);
  const words = ["study", "reuse", ...store, "--threads", "1", "--memory", MEMORY];
  const single = await measure.command("single", words);
  const study = await measure.plan("study", ["cluster", ...words, ...tasks]);
  measure.print("study reuse", single, study);
  console.log(
    `values ${measure.same(single.json, study.result) ? "are equal" : "!!! DIFFER"}; parts ${measure.megabytes("study/parts")} MB`,
  );
  const all = Number(counts.accesses);
  return [
    { name: "generate, map", accesses: all, cpuSeconds: generated.mapCpu },
    { name: "generate, merge", accesses: all, cpuSeconds: generated.mergeCpu },
    { name: "study, one process", accesses: all, cpuSeconds: single.cpuSeconds },
    { name: "study, map", accesses: all, cpuSeconds: study.mapCpu },
    { name: "study, merge", accesses: all, cpuSeconds: study.mergeCpu },
  ];
}
