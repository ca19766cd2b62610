/** The runs of a job id, with the minutes and logs of each, by the rules of the system study. */
import type { SqlRow } from "../../model/index.ts";
import { eachRun, placeIn, TIME_LEAST_NS, TIME_MOST_NS } from "../study/common/run-minutes.ts";
import type { Minute } from "./series.ts";

const MINUTE_NS = 60_000_000_000n;
/** Tolerance between the times of logs and scheduler. */
const MARGIN_MINUTES = 10;

/** First and last minute, inclusive; `last` is null if the run has no end. */
export interface Span {
  readonly first: number;
  readonly last: number | null;
}

/** Null if the start is unknown or the times are impossible. */
export function spanOf(row: SqlRow | undefined): Span | null {
  const [start, end] = [timeOf(row?.start_unix_ns), timeOf(row?.end_unix_ns)];
  if (start === null || start < TIME_LEAST_NS || start > TIME_MOST_NS) return null;
  const first = Number(start / MINUTE_NS);
  if (end === null) return { first, last: null };
  return end < start || end > TIME_MOST_NS ? null : { first, last: Number(end / MINUTE_NS) };
}

const timeOf = (value: SqlRow[string] | undefined): bigint | null =>
  value === null || value === undefined ? null : BigInt(value as bigint);

export interface Part<M, D> {
  minutes: readonly M[];
  readonly darshan: D[];
}

/**
 * Each minute goes to the last run that had begun by then, those before the first run to that one. Each log goes to the run
 * whose time is nearest, of those of its user where some are. Minutes are in order.
 */
export function placed<M extends { readonly minuteUnix: number }, D extends Log>(
  rows: readonly (SqlRow | undefined)[],
  minutes: readonly M[],
  darshan: readonly D[],
): { readonly span: Span | null; readonly part: Part<M, D> }[] {
  const runs = rows.map((row) => ({
    span: spanOf(row),
    start: timeOf(row?.start_unix_ns) ?? 0n,
    end: timeOf(row?.end_unix_ns) ?? TIME_MOST_NS,
    userId: row?.user_id === null || row?.user_id === undefined ? null : String(row.user_id),
    part: { minutes: [], darshan: [] } as Part<M, D>,
  }));
  const begun = runs
    .filter(({ span }) => span !== null)
    .sort((a, b) => compare(a.start, b.start) || compare(a.end, b.end));
  const last = runs.at(-1);
  // Without times, runs cannot be told apart.
  if (begun.length === 0 && last !== undefined) last.part.minutes = minutes;
  const early = eachRun(
    minutes.map(({ minuteUnix }) => minuteUnix),
    minutes.length,
    begun.map(({ span }) => (span as Span).first),
    (run, from, to) => {
      (begun[run] as (typeof begun)[0]).part.minutes = minutes.slice(from, to);
    },
  );
  const first = begun[0];
  if (first !== undefined && early > 0)
    first.part.minutes = [...minutes.slice(0, early), ...first.part.minutes];
  for (const log of darshan) placeLog(runs, log);
  return runs;
}

const compare = (a: bigint, b: bigint) => (a < b ? -1 : a > b ? 1 : 0);

interface Log {
  readonly startUnix: number | null;
  readonly userId: string | null;
}

function placeLog<D extends Log>(
  runs: readonly {
    readonly span: Span | null;
    readonly userId: string | null;
    readonly part: Part<unknown, D>;
  }[],
  log: D,
): void {
  const minute = Math.floor((log.startUnix ?? 0) / 60);
  const own = runs.filter(({ userId }) => userId !== null && userId === log.userId);
  // If user ids in logs are anonymized, only times decide.
  const possible = own.length > 0 ? own : runs;
  let [best, least] = [possible[0], Infinity];
  for (const run of possible) {
    const { first, last } = run.span ?? { first: -Infinity, last: null };
    const distance = Math.max(first - minute, minute - (last ?? Infinity), 0);
    if (distance <= least) [best, least] = [run, distance];
  }
  // Job ids restart some day: a log from another year belongs to another job.
  if (least <= MARGIN_MINUTES || log.startUnix === null) best?.part.darshan.push(log);
}

/** Minutes that count in a run, moved into it if needed, and the number of minutes outside. */
export function insideOf(
  series: readonly Minute[],
  span: Span | null,
  lateMinutes: number,
): { readonly inside: readonly Minute[]; readonly outside: number } {
  if (span === null) return { inside: series, outside: 0 };
  const { first, last } = span;
  const inside: Minute[] = [];
  let outside = 0;
  for (const minute of series) {
    const place = placeIn(minute.minuteUnix, first, last ?? minute.minuteUnix, lateMinutes);
    const before = inside.at(-1);
    if (place < 0) outside++;
    else if (before?.minuteUnix === first + place) inside[inside.length - 1] = added(before, minute);
    else inside.push({ ...minute, minuteUnix: first + place });
  }
  return { inside, outside };
}

/** Sum of both, at the time of the first. */
export const added = <T extends Omit<Minute, "minuteUnix">>(a: T, b: Omit<Minute, "minuteUnix">): T => ({
  ...a,
  bytesRead: a.bytesRead + b.bytesRead,
  bytesWritten: a.bytesWritten + b.bytesWritten,
  readCalls: a.readCalls + b.readCalls,
  writeCalls: a.writeCalls + b.writeCalls,
  metadataCalls: a.metadataCalls + b.metadataCalls,
});
