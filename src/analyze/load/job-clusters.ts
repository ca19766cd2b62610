/** The clusters with a given job id, and the minutes of each: the rules of `study/minute-clusters.ts`, for one job. */
import type { SqlRow } from "../../model/index.ts";
import { placeIn } from "../study/common/run-minutes.ts";
import { text } from "./amounts.ts";
import { spanOf } from "./job-runs.ts";

export interface ClusterPart<M> {
  readonly cluster: string | null;
  readonly rows: readonly SqlRow[];
  readonly minutes: M[];
}

interface ByCluster<M> {
  /** Clusters with this job id. */
  readonly clusters: readonly string[];
  readonly parts: readonly ClusterPart<M>[];
  /** Minutes with an ambiguous cluster. */
  readonly unclear: readonly M[];
}

/** Each minute goes to its cluster; one without goes to the only cluster, or to the one whose job ran at that minute. */
export function byCluster<M extends { readonly cluster: string | null; readonly minuteUnix: number }>(
  rows: readonly SqlRow[],
  minutes: readonly M[],
  lateMinutes: number,
): ByCluster<M> {
  const named = [...rows.map((row) => text(row.cluster)), ...minutes.map(({ cluster }) => cluster)];
  const clusters = [...new Set(named.filter((name) => name !== null))].sort();
  if (clusters.length < 2)
    return { clusters, parts: [{ cluster: clusters[0] ?? null, rows, minutes: [...minutes] }], unclear: [] };
  const parts = new Map<string | null, ClusterPart<M>>();
  for (const cluster of [...clusters, null]) {
    const own = rows.filter((row) => text(row.cluster) === cluster);
    if (cluster !== null || own.length > 0) parts.set(cluster, { cluster, rows: own, minutes: [] });
  }
  const unclear: M[] = [];
  for (const minute of minutes) {
    const cluster = minute.cluster ?? clusterAt(rows, minute.minuteUnix, lateMinutes);
    const part = cluster === null ? undefined : parts.get(cluster);
    (part?.minutes ?? unclear).push(minute);
  }
  return { clusters, parts: [...parts.values()], unclear };
}

/** The cluster of the runs at a minute; null when there is none, or more than one. */
function clusterAt(rows: readonly SqlRow[], minute: number, lateMinutes: number): string | null {
  const found = new Set<string>();
  for (const row of rows) {
    const [span, cluster] = [spanOf(row), text(row.cluster)];
    if (span === null || cluster === null) continue;
    if (placeIn(minute, span.first, span.last ?? minute, lateMinutes) >= 0) found.add(cluster);
  }
  const [only = null] = found;
  return found.size === 1 ? only : null;
}
