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
    summary: "read logs below folders into a store",
    load: () => import("./ingest.ts"),
  },
  {
    name: "sql",
    summary: "ask a store with SQL",
    load: () => import("./sql.ts"),
  },
  {
    name: "store check",
    summary: "verify a store, and clear away what stopped writers left",
    load: () => import("./store/check.ts"),
  },
  {
    name: "store compact",
    summary: "join the small batches of a store into one",
    load: () => import("./store/compact.ts"),
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
    name: "file",
    summary: "show who wrote and who read a file, when, and how much",
    load: () => import("./file.ts"),
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
    name: "demo",
    summary: "make sample logs, read them back, and report on one",
    load: () => import("./demo.ts"),
  },
  {
    name: "completion",
    summary: "print a script that completes commands in bash, zsh or fish",
    load: () => import("./completion.ts"),
  },
];
