// What a job is said to have done, against the reference tools' sums and traces of the same logs.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { jobOf } from "../../src/analyze/job/test-kit.ts";
import { sumOf } from "../../src/analyze/job/records.ts";
import type { TraceWay } from "../../src/analyze/job/trace-facts.ts";
import { referenceLogs, referenceText } from "../reference-data.ts";

/** Columns of a layer with the counters that the reference adds up in its totals. */
const SUMS = {
  opens: ["OPENS", "INDEP_OPENS", "COLL_OPENS"],
  reads: ["READS", "INDEP_READS", "COLL_READS", "SPLIT_READS", "NB_READS", "READXS"],
  writes: ["WRITES", "INDEP_WRITES", "COLL_WRITES", "SPLIT_WRITES", "NB_WRITES", "WRITEXS"],
  bytesRead: ["BYTES_READ"],
  bytesWritten: ["BYTES_WRITTEN"],
  seeks: ["SEEKS"],
  stats: ["STATS"],
  rwSwitches: ["RW_SWITCHES"],
  fileNotAligned: ["FILE_NOT_ALIGNED"],
  readSeconds: ["F_READ_TIME"],
  writeSeconds: ["F_WRITE_TIME"],
} as const;
const PREFIXES = { POSIX: "POSIX_", "MPI-IO": "MPIIO_", STDIO: "STDIO_", DFS: "DFS_" } as const;

describe("facts of jobs", () => {
  it.each(referenceLogs)("$file: the layers add up to the reference's totals", ({ name, path }) => {
    const job = jobOf(readFileSync(path));
    const totals = totalsOf(name);
    let compared = 0;
    for (const [layer, prefix] of Object.entries(PREFIXES)) {
      const records = job.layer(layer);
      for (const [key, names] of Object.entries(SUMS)) {
        const values = names.map((name) => totals.get(prefix + name)).filter((value) => value !== undefined);
        if (values.length === 0 || values.some((value) => value < 0)) continue;
        const expected = values.reduce((sum, value) => sum + value, 0);
        const ours = sumOf(records, (record) => record[key as keyof typeof SUMS]);
        expect(ours, `${layer} ${key}`).toBeCloseTo(expected, key.endsWith("Seconds") ? 4 : 6);
        compared++;
      }
    }
    if (totals.size > 0) expect(compared).toBeGreaterThan(0);
  });

  it.each(referenceLogs)("$file: traced calls are those that the reference lists", ({ name, path }) => {
    const calls = callsOf(name);
    const job = jobOf(readFileSync(path));
    if (calls.length === 0) {
      expect(job.trace?.files.reduce((sum, { read, write }) => sum + read.calls + write.calls, 0) ?? 0).toBe(
        0,
      );
      return;
    }
    for (const one of job.trace?.files ?? []) {
      for (const way of ["read", "write"] as const) {
        const mine = calls.filter((c) => c.file === one.fileId && c.layer === one.layer && c.way === way);
        expectWay(one[way], mine);
      }
    }
    const counted = job.trace?.files.reduce((sum, { read, write }) => sum + read.calls + write.calls, 0);
    expect((counted ?? 0) + (job.trace?.dropped ?? 0)).toBe(calls.length);
  });
});

interface TracedCall {
  readonly file: string;
  readonly layer: string;
  readonly way: "read" | "write";
  readonly rank: string;
  readonly offset: number;
  readonly bytes: number;
  readonly start: number;
  readonly end: number;
}

function expectWay(way: TraceWay, calls: readonly TracedCall[]): void {
  expect(way.calls).toBe(calls.length);
  if (calls.length === 0) return;
  expect(way.bytes).toBe(calls.reduce((sum, { bytes }) => sum + bytes, 0));
  expect(way.ranks).toBe(new Set(calls.map(({ rank }) => rank)).size);
  // The text has four decimals.
  const slack = 1e-4 * calls.length + 1e-6;
  expect(Math.abs(way.seconds - calls.reduce((sum, { start, end }) => sum + end - start, 0))).toBeLessThan(
    slack,
  );
  expect(Math.abs(way.busySeconds - covered(calls.map(({ start, end }) => [start, end])))).toBeLessThan(
    slack,
  );
  if (calls.some(({ offset }) => offset < 0)) {
    expect(way.distinctBytes).toBeNaN();
    return;
  }
  const ranges = (list: readonly TracedCall[]) =>
    covered(list.map(({ offset, bytes }) => [offset, offset + bytes]));
  expect(way.distinctBytes).toBe(ranges(calls));
  const byRank = new Set(calls.map(({ rank }) => rank));
  const perRank = [...byRank].map((rank) => ranges(calls.filter((call) => call.rank === rank)));
  expect(way.distinctByRankBytes).toBe(perRank.reduce((sum, bytes) => sum + bytes, 0));
}

/** Length of a union, by going through all ends in order and counting what is open. */
function covered(spans: readonly (readonly [number, number])[]): number {
  const ends = spans.flatMap(([start, end]) => [[start, 1] as const, [end, -1] as const]);
  ends.sort((a, b) => a[0] - b[0] || b[1] - a[1]);
  let [open, since, length] = [0, 0, 0];
  for (const [at, change] of ends) {
    if (open === 0) since = at;
    open += change;
    if (open === 0) length += at - since;
  }
  return length;
}

function totalsOf(name: string): Map<string, number> {
  const lines = referenceText(name, "total")
    .split("\n")
    .map((line) => /^total_(\w+): (\S+)$/.exec(line));
  return new Map(
    lines.flatMap((match) => (match === null ? [] : [[match[1] ?? "", Number(match[2])] as const])),
  );
}

function callsOf(name: string): TracedCall[] {
  let file = "";
  const calls: TracedCall[] = [];
  for (const line of referenceText(name, "dxt").split("\n")) {
    const id = /^# DXT, file_id: (\d+)/.exec(line);
    if (id !== null) file = id[1] ?? "";
    const words = line.trim().split(/\s+/);
    if (!line.startsWith(" X_") && !line.startsWith("X_")) continue;
    const [layer = "", rank = "", way = "", , offset = "", bytes = "", start = "", end = ""] = words;
    calls.push({
      file,
      layer: layer === "X_POSIX" ? "POSIX" : "MPI-IO",
      way: way as "read" | "write",
      rank,
      offset: offset === "N/A" ? -1 : Number(offset),
      bytes: Number(bytes),
      start: Number(start),
      end: Number(end),
    });
  }
  return calls;
}
