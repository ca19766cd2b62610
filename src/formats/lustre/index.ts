/** Lustre's files of counters: recognising, reading, and what happened between two readings. */
import { headLines } from "../text/windows.ts";
import { describeParam } from "./params.ts";

interface Rule {
  readonly kind: string;
  /** Fits one of the first lines. */
  readonly line: RegExp;
}

/** By content first: names of files that people keep say little. */
const RULES: readonly Rule[] = [
  {
    kind: "params",
    line: /^(mdt|obdfilter|osd-\w+|llite|mgs|mds|ost|mdc|osc|osp|lmv|lov|ldlm|mdd|lod|qmt|nodemap)\.[^\s=]+=/,
  },
  { kind: "job_stats", line: /^job_stats:\s*$/ },
  { kind: "job_stats", line: /^- job_id: {2,}\S/ },
  { kind: "stats", line: /^snapshot_time\s+\d+\.\d+ secs\.[nu]secs\s*$/ },
  { kind: "stats", line: /^\w+\s+\d+ samples \[[^\]]*\]/ },
  { kind: "table", line: /^snapshot_time:\s+\d+\.\s*\d+ \(?secs\.[nu]secs\)?\s*$/ },
  { kind: "table", line: /^io_latency_by_size:\s*$/ },
];

/**
 * What an input is, by its first bytes and its path; undefined when it is nothing of Lustre. An empty file is known
 * by its path alone.
 */
export function recognizeLustre(head: Uint8Array, name: string): string | undefined {
  const lines = headLines(head).filter((line) => line.replace(/\0/g, "").trim() !== "");
  for (const line of lines.slice(0, 40)) {
    const rule = RULES.find((candidate) => candidate.line.test(line));
    if (rule === undefined) continue;
    const { kind } = describeParam(name);
    return rule.kind === "params" || rule.kind === "job_stats" || kind === "other" ? rule.kind : kind;
  }
  const { kind } = describeParam(name);
  const byPath = kind !== "other" && kind !== "stats" && /[/.]/.test(name);
  return byPath ? kind : undefined;
}

export { clientDelta, JobClientSums, type NodeDelta } from "./client-delta.ts";
export { CounterTable } from "./counter-table.ts";
export { type Deltas, DeltaTracker } from "./delta.ts";
export * as DeltaReason from "./delta-rows.ts";
export { decodeJobId, latinText, unescapeJobId } from "./job-id.ts";
export { identityOf, type JobIdentity, jobIdTemplate } from "./job-id-template.ts";
export { describeParam, fileSystemOf, isTargetName, targetIndex } from "./params.ts";
export { type LustreItem, LustreParser, readLustre } from "./parser.ts";
export { MAX, MIN, Reading, SAMPLES, SUM, WORDS } from "./reading.ts";
export { NO_STAMP } from "./stamp.ts";
export { tableDelta } from "./table-delta.ts";
export type { TableReading } from "./tables.ts";
export { type DeltaRows, WHY_NAMES } from "./delta-rows.ts";
export { KEPT, TargetState } from "./delta-state.ts";
export { lustre } from "./format.ts";
export { lustreJson, lustreLines, problems, readDump, type ShowSetting } from "./show.ts";
