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
    name: "generate single",
    summary: "make small Darshan logs with one I/O problem each and known answers",
    load: () => import("./generate/single.ts"),
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
