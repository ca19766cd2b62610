/**
 * The table of commands: one line each, in the groups and the order that help and docs/commands.md show. A command's
 * file loads when it is chosen.
 */

import type { CommandEntry } from "./command.ts";

const entry = (name: string, summary: string, load: CommandEntry["load"], start?: string): CommandEntry => ({
  name,
  summary,
  load,
  ...(start !== undefined && { start }),
});

const groups: Readonly<Record<string, readonly CommandEntry[]>> = {
  "A job": [
    entry(
      "report",
      "find what is slow in a job, where, and what to change",
      () => import("./report.ts"),
      "plimsoll report run.darshan",
    ),
    entry("open", "open the report on a job in the browser", () => import("./open.ts")),
    entry("page", "write the page that opens logs in a browser, nothing uploaded", () => import("./page.ts")),
    entry("findings", "check a job against all rules; --fail-on for CI", () => import("./findings.ts")),
    entry("diff", "compare two runs: times, layers, findings", () => import("./diff.ts")),
    entry(
      "record",
      "run any program and record its reads and writes",
      () => import("./record.ts"),
      "plimsoll record -- ./program",
    ),
    entry("bps", "compute BPS, IOPS, bandwidth and response time from a trace", () => import("./bps.ts")),
    entry(
      "export",
      "write calls for Perfetto, speedscope, notebooks and spreadsheets",
      () => import("./export.ts"),
    ),
    entry("darshan parse", "print the counters of a Darshan log", () => import("./darshan/parse.ts")),
    entry(
      "darshan dxt",
      "print each traced read and write of a Darshan log",
      () => import("./darshan/dxt.ts"),
    ),
    entry(
      "darshan convert",
      "rewrite a Darshan log: recompress, select, obfuscate",
      () => import("./darshan/convert.ts"),
    ),
    entry("darshan id", "print the record id of a path", () => import("./darshan/id.ts")),
  ],
  "A site": [
    entry(
      "collect client",
      "read a node's Lustre counters before and after a job (Slurm prolog and epilog)",
      () => import("./collect/client.ts"),
    ),
    entry(
      "collect server",
      "sample the job and target counters of a Lustre server; Prometheus endpoint",
      () => import("./collect/server.ts"),
    ),
    entry("lustre parse", "print the counters of Lustre stats files", () => import("./lustre/parse.ts")),
    entry("ingest", "load logs, counter samples and job lists into a store", () => import("./ingest.ts")),
    entry("sql", "query a store with read-only SQL", () => import("./sql.ts")),
    entry("top", "rank jobs, users, targets, runs, files or programs by load", () => import("./load/top.ts")),
    entry(
      "compare",
      "show what changed between two periods, and who changed it",
      () => import("./load/compare.ts"),
    ),
    entry(
      "serve",
      "serve web pages about a store: current load, targets, jobs, users, weekly report",
      () => import("./serve.ts"),
    ),
    entry("week", "make a weekly report of one page, to print", () => import("./load/week.ts")),
    entry("who", "show which jobs and users loaded a target, and when", () => import("./load/who.ts")),
    entry("job", "show one job minute by minute: bursts, targets, neighbours", () => import("./load/job.ts")),
    entry(
      "watch",
      "show the current load of targets and jobs on the terminal",
      () => import("./load/watch.ts"),
    ),
    entry("file", "show which runs wrote and read a file", () => import("./file.ts")),
    entry(
      "alerts",
      "check a store against alert rules; exit code 1 if one fires",
      () => import("./alerts.ts"),
    ),
    entry("quiet-hours", "find the hours with the least load", () => import("./load/quiet-hours.ts")),
    entry(
      "store check",
      "verify a store and list leftovers of interrupted writers",
      () => import("./store/check.ts"),
    ),
    entry(
      "store compact",
      "merge small batches of a store; roll up minutes into hours and days",
      () => import("./store/compact.ts"),
    ),
    entry(
      "store prune",
      "remove old minutes and keep their hours and days",
      () => import("./store/prune.ts"),
    ),
    entry(
      "store repair",
      "list what damaged parts of a store lose, and remove them",
      () => import("./store/repair.ts"),
    ),
    entry(
      "store drop-batch",
      "remove one batch from a store, so that its inputs can be ingested again",
      () => import("./store/drop-batch.ts"),
    ),
    entry("store export", "export a table as Parquet, CSV or NDJSON", () => import("./store/export.ts")),
    entry(
      "store schema",
      "print tables and columns with units and meanings",
      () => import("./store/schema.ts"),
    ),
  ],
  Cluster: [
    entry(
      "cluster ingest",
      "ingest logs as a Slurm array job, or as local processes",
      () => import("./cluster/ingest.ts"),
    ),
    entry(
      "cluster study reuse",
      "study file reuse in parallel tasks, with the same values as one process",
      () => import("./cluster/study-reuse.ts"),
    ),
    entry(
      "cluster study system",
      "study job I/O in parallel tasks, with the same values as one process",
      () => import("./cluster/study-system.ts"),
    ),
    entry(
      "cluster generate reuse",
      "make a synthetic centre in parallel tasks",
      () => import("./cluster/generate-reuse.ts"),
    ),
    entry(
      "cluster generate sitewide",
      "make a synthetic site in parallel tasks",
      () => import("./cluster/generate-sitewide.ts"),
    ),
    entry(
      "cluster task",
      "run one task of a cluster run, as the batch scripts do",
      () => import("./cluster/task.ts"),
    ),
    entry(
      "cluster total",
      "sum up the results of all tasks of an ingest",
      () => import("./cluster/total.ts"),
    ),
  ],
  Datasets: [
    entry(
      "write",
      "write files to storage targets as one BP dataset; slow targets get less",
      () => import("./write.ts"),
    ),
    entry("ls", "list the variables of a BP dataset: shape, steps, min and max", () => import("./ls.ts")),
    entry("read", "read a variable, or a part of it, and verify its checksums", () => import("./read.ts")),
    entry("verify", "compare every block of a dataset with its checksum", () => import("./verify.ts")),
  ],
  Benchmarks: [
    entry(
      "results",
      "put results of IOR, mdtest, IO500, fio, elbencho and DLIO into one table",
      () => import("./results.ts"),
    ),
    entry("ncio", "compare methods of noncontiguous I/O for an access pattern", () => import("./ncio.ts")),
    entry(
      "ncio sweep",
      "sweep region count, size and spacing, with figures and advice",
      () => import("./ncio/sweep.ts"),
    ),
    entry(
      "ncio advise",
      "recommend a method or layout from the results of a sweep",
      () => import("./ncio/advise.ts"),
    ),
    entry(
      "targets start",
      "start storage servers that support contiguous, list and datatype requests",
      () => import("./targets/start.ts"),
    ),
    entry("targets stop", "stop the storage servers of a folder", () => import("./targets/stop.ts")),
    entry(
      "targets status",
      "print requests and bytes of each storage server",
      () => import("./targets/status.ts"),
    ),
    entry(
      "interfere",
      "load storage targets with continuous writes for a limited time",
      () => import("./interfere.ts"),
    ),
  ],
  Papers: [
    entry(
      "papers",
      "list every item of the five papers: published, here, verdict",
      () => import("./papers.ts"),
    ),
    entry(
      "study reuse",
      "study file reuse and sharing, and test ten published findings",
      () => import("./study/reuse.ts"),
    ),
    entry(
      "study system",
      "study job I/O on a file system, and test published observations",
      () => import("./study/system.ts"),
    ),
    entry(
      "study metric",
      "repeat the experiments of the BPS paper on this machine",
      () => import("./study/metric.ts"),
    ),
    entry(
      "sim run",
      "simulate one output step of many writers under one or more policies",
      () => import("./sim/run.ts"),
    ),
    entry(
      "sim replay",
      "simulate the experiments of the adaptive I/O paper and check its numbers",
      () => import("./sim/replay.ts"),
    ),
    entry(
      "sim alternatives",
      "simulate asynchronous output, staging and more files beside adaptive writing",
      () => import("./sim/alternatives.ts"),
    ),
    entry(
      "sim what-if",
      "replay recorded runs without a run or a target, or under a policy",
      () => import("./sim/what-if.ts"),
    ),
    entry(
      "sim calibrate",
      "fit the parameters of a simulated machine to measurements",
      () => import("./sim/calibrate.ts"),
    ),
    entry(
      "sim explore",
      "test the adaptive writer's protocol under random faults",
      () => import("./sim/explore.ts"),
    ),
  ],
  Tools: [
    entry(
      "generate single",
      "make small Darshan logs with one known I/O problem each",
      () => import("./generate/single.ts"),
    ),
    entry(
      "generate reuse",
      "make a synthetic centre with known file reuse: logs or a store, and answers",
      () => import("./generate/reuse.ts"),
    ),
    entry(
      "generate sitewide",
      "make a synthetic site with known job I/O: samples, a store or a live tree, and answers",
      () => import("./generate/sitewide.ts"),
    ),
    entry(
      "demo",
      "try Plimsoll on synthetic logs, no data needed",
      () => import("./demo.ts"),
      "plimsoll demo",
    ),
    entry("completion", "print a completion script for bash, zsh or fish", () => import("./completion.ts")),
  ],
};

export const commands: readonly CommandEntry[] = Object.entries(groups).flatMap(([group, entries]) =>
  entries.map((one) => ({ ...one, group })),
);
