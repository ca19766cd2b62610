/** The table of commands: one line each, in the order that help shows. A command's file loads when it is chosen. */

import type { CommandEntry } from "./command.ts";

export const commands: readonly CommandEntry[] = [
  {
    name: "report",
    summary: "say what is slow in a job, where, and what to change",
    load: () => import("./report.ts"),
  },
  {
    name: "findings",
    summary: "judge a job by its Darshan logs; for CI with --fail-on",
    load: () => import("./findings.ts"),
  },
  {
    name: "diff",
    summary: "compare two runs: what got faster, which findings came and went",
    load: () => import("./diff.ts"),
  },
  {
    name: "record",
    summary: "run any program, record its reads and writes, and compute BPS and its kin",
    load: () => import("./record.ts"),
  },
  {
    name: "bps",
    summary: "compute BPS, IOPS, bandwidth and response time of recorded accesses",
    load: () => import("./bps.ts"),
  },
  {
    name: "lustre parse",
    summary: "print the counters of Lustre statistics files",
    load: () => import("./lustre/parse.ts"),
  },
  {
    name: "collect client",
    summary: "read a node's Lustre counters before and after a job, for Slurm's prolog and epilog",
    load: () => import("./collect/client.ts"),
  },
  {
    name: "collect server",
    summary: "sample the job and target counters of a Lustre server into segments, with a Prometheus page",
    load: () => import("./collect/server.ts"),
  },
  {
    name: "darshan parse",
    summary: "print the counters of a Darshan log",
    load: () => import("./darshan/parse.ts"),
  },
  {
    name: "darshan dxt",
    summary: "print each traced read and write of a Darshan log",
    load: () => import("./darshan/dxt.ts"),
  },
  {
    name: "darshan convert",
    summary: "write a Darshan log anew: recompress, select, obfuscate",
    load: () => import("./darshan/convert.ts"),
  },
  {
    name: "darshan id",
    summary: "print the record id of a path",
    load: () => import("./darshan/id.ts"),
  },
  {
    name: "ingest",
    summary: "read logs, counters and job lists below folders into a store",
    load: () => import("./ingest.ts"),
  },
  {
    name: "sql",
    summary: "ask a store with SQL",
    load: () => import("./sql.ts"),
  },
  {
    name: "store check",
    summary: "verify a store, and name what stopped writers left",
    load: () => import("./store/check.ts"),
  },
  {
    name: "store compact",
    summary: "join the small batches of a store into one",
    load: () => import("./store/compact.ts"),
  },
  {
    name: "store repair",
    summary: "say what is lost with damaged parts of a store, and take them out",
    load: () => import("./store/repair.ts"),
  },
  {
    name: "store drop-batch",
    summary: "take one batch out of a store, so that its inputs can be ingested again",
    load: () => import("./store/drop-batch.ts"),
  },
  {
    name: "store export",
    summary: "write a table of a store as one Parquet, CSV or NDJSON file",
    load: () => import("./store/export.ts"),
  },
  {
    name: "store schema",
    summary: "print the tables and columns of a store, with units and meanings",
    load: () => import("./store/schema.ts"),
  },
  {
    name: "study reuse",
    summary: "study how files are reused and shared, and judge ten published findings",
    load: () => import("./study/reuse.ts"),
  },
  {
    name: "study system",
    summary: "study what jobs do to a file system, and judge the observations of a published study",
    load: () => import("./study/system.ts"),
  },
  {
    name: "study metric",
    summary: "repeat the experiments of the BPS paper on this machine, and judge its statements",
    load: () => import("./study/metric.ts"),
  },
  {
    name: "file",
    summary: "show who wrote and who read a file, when, and how much",
    load: () => import("./file.ts"),
  },
  {
    name: "who",
    summary: "show which jobs and users loaded a target, and when",
    load: () => import("./load/who.ts"),
  },
  {
    name: "top",
    summary: "list the jobs, users or targets with most load",
    load: () => import("./load/top.ts"),
  },
  {
    name: "job",
    summary: "show what one job did minute by minute, its bursts, its targets, and who was there too",
    load: () => import("./load/job.ts"),
  },
  {
    name: "quiet-hours",
    summary: "find the hours in which targets have least load, and how sure that is",
    load: () => import("./load/quiet-hours.ts"),
  },
  {
    name: "sim run",
    summary: "simulate one output step of many writers, under one or several policies",
    load: () => import("./sim/run.ts"),
  },
  {
    name: "sim replay",
    summary: "simulate the experiments of the adaptive I/O paper, and judge every published number",
    load: () => import("./sim/replay.ts"),
  },
  {
    name: "sim what-if",
    summary: "replay recorded runs of a store without a run or a target, or under a policy",
    load: () => import("./sim/what-if.ts"),
  },
  {
    name: "sim explore",
    summary: "try the adaptive writer's protocol under random faults, and check what must always hold",
    load: () => import("./sim/explore.ts"),
  },
  {
    name: "ncio",
    summary: "measure which method of noncontiguous I/O is fast for a pattern on some storage",
    load: () => import("./ncio.ts"),
  },
  {
    name: "ncio sweep",
    summary:
      "measure how region count, size and spacing decide which method is fast, with figures and advice",
    load: () => import("./ncio/sweep.ts"),
  },
  {
    name: "ncio advise",
    summary: "say what a sweep of noncontiguous I/O means: the guidelines, or the best method for a pattern",
    load: () => import("./ncio/advise.ts"),
  },
  {
    name: "write",
    summary: "write files onto storage targets as one dataset, with less work for slow targets",
    load: () => import("./write.ts"),
  },
  {
    name: "targets start",
    summary: "start storage-target servers that know contiguous, list and datatype requests",
    load: () => import("./targets/start.ts"),
  },
  {
    name: "targets stop",
    summary: "end the storage-target servers of a folder",
    load: () => import("./targets/stop.ts"),
  },
  {
    name: "targets status",
    summary: "ask the storage-target servers of a folder what they did",
    load: () => import("./targets/status.ts"),
  },
  {
    name: "interfere",
    summary: "load chosen storage targets with writers that never stop, for a bounded time",
    load: () => import("./interfere.ts"),
  },
  {
    name: "ls",
    summary: "list the variables of a dataset, with shapes, steps, least and greatest value",
    load: () => import("./ls.ts"),
  },
  {
    name: "read",
    summary: "read a variable of a dataset, or a part of it, and check it on the way",
    load: () => import("./read.ts"),
  },
  {
    name: "verify",
    summary: "read a whole dataset and compare every block with its checksum",
    load: () => import("./verify.ts"),
  },
  {
    name: "generate single",
    summary: "make small Darshan logs with one I/O problem each and known answers",
    load: () => import("./generate/single.ts"),
  },
  {
    name: "generate reuse",
    summary: "make a synthetic centre with known file reuse: logs or a store, and the true answers",
    load: () => import("./generate/reuse.ts"),
  },
  {
    name: "generate sitewide",
    summary:
      "make a synthetic site with known job I/O: samples or a store, or a live tree, and the true answers",
    load: () => import("./generate/sitewide.ts"),
  },
  {
    name: "sim calibrate",
    summary: "fit a simulated machine's parameters to published or own measurements",
    load: () => import("./sim/calibrate.ts"),
  },
  {
    name: "demo",
    summary: "make sample logs, report on one, and write onto targets of which one is slow",
    load: () => import("./demo.ts"),
  },
  {
    name: "completion",
    summary: "print a script that completes commands in bash, zsh or fish",
    load: () => import("./completion.ts"),
  },
];
