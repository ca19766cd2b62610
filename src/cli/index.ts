/**
 * The table of commands: one line each, in the groups and the order that help and docs/commands.md show. A command's
 * file loads when it is chosen.
 */

import type { CommandEntry, CommandGroup } from "./command.ts";

const groups: readonly CommandGroup[] = [
  {
    title: "A job",
    commands: [
      {
        name: "report",
        summary: "find what is slow in a job, where, and what to change",
        start: "plimsoll report run.darshan",
        load: () => import("./report.ts"),
      },
      {
        name: "findings",
        summary: "check a job against all rules; --fail-on for CI",
        load: () => import("./findings.ts"),
      },
      { name: "diff", summary: "compare two runs: times, layers, findings", load: () => import("./diff.ts") },
      {
        name: "record",
        summary: "run any program and record its reads and writes",
        start: "plimsoll record -- ./program",
        load: () => import("./record.ts"),
      },
      {
        name: "bps",
        summary: "compute BPS, IOPS, bandwidth and response time from a trace",
        load: () => import("./bps.ts"),
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
        summary: "rewrite a Darshan log: recompress, select, obfuscate",
        load: () => import("./darshan/convert.ts"),
      },
      { name: "darshan id", summary: "print the record id of a path", load: () => import("./darshan/id.ts") },
    ],
  },
  {
    title: "A site",
    commands: [
      {
        name: "collect client",
        summary: "read a node's Lustre counters before and after a job (Slurm prolog and epilog)",
        load: () => import("./collect/client.ts"),
      },
      {
        name: "collect server",
        summary: "sample the job and target counters of a Lustre server; Prometheus endpoint",
        load: () => import("./collect/server.ts"),
      },
      {
        name: "lustre parse",
        summary: "print the counters of Lustre stats files",
        load: () => import("./lustre/parse.ts"),
      },
      {
        name: "ingest",
        summary: "load logs, counter samples and job lists into a store",
        load: () => import("./ingest.ts"),
      },
      { name: "sql", summary: "query a store with read-only SQL", load: () => import("./sql.ts") },
      { name: "top", summary: "rank jobs, users or targets by load", load: () => import("./load/top.ts") },
      {
        name: "who",
        summary: "show which jobs and users loaded a target, and when",
        load: () => import("./load/who.ts"),
      },
      {
        name: "job",
        summary: "show one job minute by minute: bursts, targets, neighbours",
        load: () => import("./load/job.ts"),
      },
      { name: "file", summary: "show which runs wrote and read a file", load: () => import("./file.ts") },
      {
        name: "quiet-hours",
        summary: "find the hours with the least load",
        load: () => import("./load/quiet-hours.ts"),
      },
      {
        name: "store check",
        summary: "verify a store and list leftovers of interrupted writers",
        load: () => import("./store/check.ts"),
      },
      {
        name: "store compact",
        summary: "merge the small batches of a store",
        load: () => import("./store/compact.ts"),
      },
      {
        name: "store repair",
        summary: "list what damaged parts of a store lose, and remove them",
        load: () => import("./store/repair.ts"),
      },
      {
        name: "store drop-batch",
        summary: "remove one batch from a store, so that its inputs can be ingested again",
        load: () => import("./store/drop-batch.ts"),
      },
      {
        name: "store export",
        summary: "export a table as Parquet, CSV or NDJSON",
        load: () => import("./store/export.ts"),
      },
      {
        name: "store schema",
        summary: "print tables and columns with units and meanings",
        load: () => import("./store/schema.ts"),
      },
    ],
  },
  {
    title: "Datasets",
    commands: [
      {
        name: "write",
        summary: "write files to storage targets as one BP dataset; slow targets get less",
        load: () => import("./write.ts"),
      },
      {
        name: "ls",
        summary: "list the variables of a BP dataset: shape, steps, min and max",
        load: () => import("./ls.ts"),
      },
      {
        name: "read",
        summary: "read a variable, or a part of it, and verify its checksums",
        load: () => import("./read.ts"),
      },
      {
        name: "verify",
        summary: "compare every block of a dataset with its checksum",
        load: () => import("./verify.ts"),
      },
    ],
  },
  {
    title: "Benchmarks",
    commands: [
      {
        name: "ncio",
        summary: "compare methods of noncontiguous I/O for an access pattern",
        load: () => import("./ncio.ts"),
      },
      {
        name: "ncio sweep",
        summary: "sweep region count, size and spacing, with figures and advice",
        load: () => import("./ncio/sweep.ts"),
      },
      {
        name: "ncio advise",
        summary: "recommend a method or layout from the results of a sweep",
        load: () => import("./ncio/advise.ts"),
      },
      {
        name: "targets start",
        summary: "start storage servers that support contiguous, list and datatype requests",
        load: () => import("./targets/start.ts"),
      },
      {
        name: "targets stop",
        summary: "stop the storage servers of a folder",
        load: () => import("./targets/stop.ts"),
      },
      {
        name: "targets status",
        summary: "print requests and bytes of each storage server",
        load: () => import("./targets/status.ts"),
      },
      {
        name: "interfere",
        summary: "load storage targets with continuous writes for a limited time",
        load: () => import("./interfere.ts"),
      },
    ],
  },
  {
    title: "Papers",
    commands: [
      {
        name: "study reuse",
        summary: "study file reuse and sharing, and test ten published findings",
        load: () => import("./study/reuse.ts"),
      },
      {
        name: "study system",
        summary: "study job I/O on a file system, and test published observations",
        load: () => import("./study/system.ts"),
      },
      {
        name: "study metric",
        summary: "repeat the experiments of the BPS paper on this machine",
        load: () => import("./study/metric.ts"),
      },
      {
        name: "sim run",
        summary: "simulate one output step of many writers under one or more policies",
        load: () => import("./sim/run.ts"),
      },
      {
        name: "sim replay",
        summary: "simulate the experiments of the adaptive I/O paper and check its numbers",
        load: () => import("./sim/replay.ts"),
      },
      {
        name: "sim what-if",
        summary: "replay recorded runs without a run or a target, or under a policy",
        load: () => import("./sim/what-if.ts"),
      },
      {
        name: "sim calibrate",
        summary: "fit the parameters of a simulated machine to measurements",
        load: () => import("./sim/calibrate.ts"),
      },
      {
        name: "sim explore",
        summary: "test the adaptive writer's protocol under random faults",
        load: () => import("./sim/explore.ts"),
      },
    ],
  },
  {
    title: "Tools",
    commands: [
      {
        name: "generate single",
        summary: "make small Darshan logs with one known I/O problem each",
        load: () => import("./generate/single.ts"),
      },
      {
        name: "generate reuse",
        summary: "make a synthetic centre with known file reuse: logs or a store, and answers",
        load: () => import("./generate/reuse.ts"),
      },
      {
        name: "generate sitewide",
        summary: "make a synthetic site with known job I/O: samples, a store or a live tree, and answers",
        load: () => import("./generate/sitewide.ts"),
      },
      {
        name: "demo",
        summary: "try Plimsoll on synthetic logs, no data needed",
        start: "plimsoll demo",
        load: () => import("./demo.ts"),
      },
      {
        name: "completion",
        summary: "print a completion script for bash, zsh or fish",
        load: () => import("./completion.ts"),
      },
    ],
  },
];

export const commands: readonly CommandEntry[] = groups.flatMap(({ title, commands }) =>
  commands.map((entry) => ({ ...entry, group: title })),
);
