/** The job completion file (`jobcomp/filetxt`): `Key=value` without quotes, so it is cut at the keys in their order. */
import type { ByteSource } from "../../base/source.ts";
import { eachWindow } from "../text/windows.ts";
import type { SlurmFile, SlurmOptions } from "./fields.ts";
import { noteBroken } from "./job.ts";
import { rowsFor } from "./sacct-text.ts";

/** Keys in the order in which they are printed, and the column each is; not all lines have all of them. */
const KEYS: readonly (readonly [key: string, column: string])[] = [
  ["JobId", "jobidraw"],
  ["UserId", "user"],
  ["GroupId", "group"],
  ["Name", "jobname"],
  ["JobState", "state"],
  ["Partition", "partition"],
  ["TimeLimit", "timelimit"],
  ["StartTime", "start"],
  ["EndTime", "end"],
  ["NodeList", "nodelist"],
  ["NodeCnt", "nnodes"],
  ["ProcCnt", "ncpus"],
  ["WorkDir", "workdir"],
  ["ReservationName", "reservation"],
  ["Gres", "gres"],
  ["Tres", "alloctres"],
  ["Account", "account"],
  ["QOS", "qos"],
  ["WcKey", "wckey"],
  ["Cluster", "cluster"],
  ["SubmitTime", "submit"],
  ["EligibleTime", "eligible"],
  ["ArrayJobId", "arrayjobid"],
  ["ArrayTaskId", "arraytaskid"],
  ["HetJobId", "hetjobid"],
  ["HetJobOffset", "hetjoboffset"],
  ["DerivedExitCode", "derivedexitcode"],
  ["ExitCode", "exitcode"],
];

export const isJobcompLine = (line: string) => /^JobId=\d+ UserId=/.test(line);

export function readJobcomp(source: ByteSource, options: SlurmOptions = {}): SlurmFile {
  const rows = rowsFor(options);
  const utf8 = new TextDecoder();
  let line = 0;
  eachWindow(source, (bytes, from, end) => {
    const lines = utf8.decode(bytes.subarray(from, end)).split("\n");
    if (lines.at(-1) === "") lines.pop();
    for (const text of lines) {
      line++;
      if (text.trim() === "") continue;
      const values = cutLine(text);
      if (values === undefined) {
        rows.notes.rows++;
        noteBroken(rows.notes, line, "not JobId=… UserId=… … EndTime=… NodeCnt=…");
      } else rows.add(line, (column) => values.get(column));
    }
  });
  return { jobs: rows.jobs, notes: rows.notes };
}

/** Values by column; undefined when the line lacks keys that every one has. */
function cutLine(line: string): Map<string, string> | undefined {
  if (!isJobcompLine(line)) return undefined;
  // A name may hold anything, also ` JobState=`: the real one is followed by a word and the partition.
  const state = [...line.matchAll(/ (?=JobState=[A-Z_]+ Partition=)/g)].at(-1)?.index;
  if (state === undefined) return undefined;
  const values = new Map<string, string>();
  let open: { column: string; from: number } | undefined;
  let at = 0;
  for (const [key, column] of KEYS) {
    const found = key === "JobState" ? state : key === "JobId" ? 0 : line.indexOf(` ${key}=`, at);
    // Before the state stand only the keys that come before it.
    if (found < 0 || (at <= state && found > state)) continue;
    if (open !== undefined) values.set(open.column, line.slice(open.from, found));
    const from = found + key.length + (key === "JobId" ? 1 : 2);
    open = { column, from };
    at = from - 1;
  }
  if (open !== undefined) values.set(open.column, line.slice(open.from).trim());
  if (!values.has("nnodes") || !values.has("end")) return undefined;
  return withIds(values);
}

/** `alice(5101)` is a name and a number; `cluster` may be the word `unknown`. */
function withIds(values: Map<string, string>): Map<string, string> {
  for (const [name, id] of [
    ["user", "uid"],
    ["group", "gid"],
  ] as const) {
    const match = /^(.*)\((\d+)\)$/.exec(values.get(name) ?? "");
    if (match === null) continue;
    values.set(name, match[1] ?? "");
    values.set(id, match[2] ?? "");
  }
  if (values.get("cluster") === "unknown") values.delete("cluster");
  return values;
}
