/**
 * Similar runs from Darshan logs (the method of Costa et al., SC '21): per program and user, reads and writes apart, runs are
 * clustered by bytes, ten classes of request sizes, and numbers of shared and unique files.
 */
import { type Queryable, SIZE_NAMES } from "../../../model/index.ts";
import { averageLinkage, standardised } from "./clusters.ts";
import type { LocalClock } from "./clock.ts";
import type { Similar } from "./contention.ts";
import { boundsOf, type SystemOptions } from "./options.ts";

const WIDTH = 3 + SIZE_NAMES.length;
/** Distances of more runs of one program and user do not fit; of these every k-th by number is taken. */
const RUNS_MAX = 3000;

/** One side (reads or writes) of the runs that moved bytes on it. */
export interface RunSide {
  readonly program: Float64Array;
  readonly user: Float64Array;
  /** Seconds since 1970. */
  readonly start: Float64Array;
  /** I/O time, summed over ranks. */
  readonly seconds: Float64Array;
  /** WIDTH columns: bytes, calls by size, shared files, unique files. */
  readonly features: readonly Float64Array[];
}

/** Programs are told apart by 52 bits of their number, which a double holds. */
export async function readSides(db: Queryable, options: SystemOptions): Promise<readonly RunSide[]> {
  const sides: RunSide[] = [];
  const { fromUnix, toUnix } = boundsOf(options);
  const period = [
    ...(Number.isFinite(fromUnix) ? [`start >= ${fromUnix}`] : []),
    ...(Number.isFinite(toUnix) ? [`start < ${toUnix}`] : []),
  ];
  for (const [way, bytes] of [
    ["read", "bytes_read"],
    ["write", "bytes_written"],
  ] as const) {
    const columns = await db.columns(`select * from (
      select a.run_id as run, any_value(r.application_id >> 12) as program, any_value(r.user_id) as user,
        any_value(r.start_unix_ns // 1000000000) as start, sum(a.${way}_seconds) as seconds, sum(a.${bytes}) as f0,
        ${SIZE_NAMES.map((size, i) => `sum(coalesce(a.size_${way}_${size}, 0)) as f${i + 1}`).join(", ")},
        count_if(a.shared = 1 or a.ranks > 1) as f${WIDTH - 2}, count_if(not (a.shared = 1 or a.ranks > 1)) as f${WIDTH - 1}
      from accesses a join runs r on r.run_id = a.run_id
      where a.${bytes} > 0 and coalesce(r.clock, 'ok') = 'ok' and r.start_unix_ns is not null
        and r.application_id is not null and r.user_id is not null
      group by a.run_id) where ${["seconds is not null", ...period].join(" and ")} order by program, "user", start, run`);
    const column = (name: string) => columns[name] ?? new Float64Array();
    sides.push({
      program: column("program"),
      user: column("user"),
      start: column("start"),
      seconds: column("seconds"),
      features: Array.from({ length: WIDTH }, (_, i) => column(`f${i}`)),
    });
  }
  return sides;
}

export function similarRuns(sides: readonly RunSide[], clock: LocalClock, options: SystemOptions): Similar {
  const [group, hour, share]: [number[], number[], number[]] = [[], [], []];
  const bytes = new Float64Array(24);
  let groups = 0;
  for (const side of sides) {
    for (const places of programsOf(side)) {
      for (const cluster of clustersOf(side, places, options)) {
        const most = cluster.reduce((high, i) => Math.max(high, side.seconds[i] as number), 0);
        if (cluster.length < options.clusterRuns || most === 0) continue;
        for (const i of cluster) {
          const at = clock.hour(side.start[i] as number);
          group.push(groups);
          hour.push(at);
          share.push((side.seconds[i] as number) / most);
          bytes[at]! += side.features[0]?.[i] as number;
        }
        groups++;
      }
    }
  }
  return {
    groups,
    group: Uint32Array.from(group),
    hour: Uint8Array.from(hour),
    share: Float64Array.from(share),
    bytes,
  };
}

/** Runs of each program and user; they lie side by side. */
function* programsOf({ program, user }: RunSide): Generator<number[]> {
  for (let from = 0; from < program.length; ) {
    let to = from + 1;
    while (to < program.length && program[to] === program[from] && user[to] === user[from]) to++;
    const every = Math.ceil((to - from) / RUNS_MAX);
    const places: number[] = [];
    for (let i = from; i < to; i += every) places.push(i);
    yield places;
    from = to;
  }
}

function clustersOf({ features }: RunSide, places: readonly number[], options: SystemOptions): number[][] {
  if (places.length < options.clusterRuns) return [];
  const points = new Float64Array(places.length * WIDTH);
  places.forEach((place, i) => {
    for (let k = 0; k < WIDTH; k++) points[i * WIDTH + k] = features[k]?.[place] as number;
  });
  const found = averageLinkage(standardised(points, WIDTH), WIDTH, options.clusterDistance);
  const clusters: number[][] = [];
  found.forEach((cluster, i) => {
    (clusters[cluster] ??= []).push(places[i] as number);
  });
  return clusters;
}
