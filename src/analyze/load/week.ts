/** One week of a file system for its administrators: volumes, latency and fill levels compared with previous weeks, accounts. */
import type { Queryable } from "../../model/index.ts";
import { AMOUNT_COLUMNS, type Amounts, amountsOf, exact, measured, number, SUMS_AGAIN } from "./amounts.ts";
import { loadRows } from "./levels.ts";
import { type Ranking, rankings } from "./rank.ts";
import { rankTargets, type TargetRanking } from "./rank-targets.ts";
import { dayBegin, daysLater, localText, type Window } from "./window.ts";

/** Previous weeks to compare with. */
const WEEKS_BEFORE = 4;
/** Minimum coverage of a week for a comparison. */
const SEEN_LEAST = 0.5;

export interface WeekNumbers extends Amounts {
  readonly window: Window;
  /** Share of the time with samples. */
  readonly seen: number;
  /** Microseconds per call on the servers; NaN: not recorded. */
  readonly readUsecs: number;
  readonly writeUsecs: number;
  readonly metadataUsecs: number;
}

interface DayNumbers extends Amounts {
  /** 2018-06-07, in local time. */
  readonly day: string;
}

interface Fullness {
  readonly fileSystem: string | null;
  readonly target: string;
  readonly bytesTotal: bigint;
  readonly bytesUsed: bigint;
  readonly share: number;
  readonly inodesShare: number;
  /** Used a week before; null: not recorded. */
  readonly usedBefore: bigint | null;
}

export interface WeekAnswer {
  readonly week: WeekNumbers;
  /** Previous weeks in the store, latest first. */
  readonly before: readonly WeekNumbers[];
  readonly days: readonly DayNumbers[];
  readonly accounts: Ranking;
  readonly users: Ranking;
  readonly metadataUsers: Ranking;
  readonly targets: TargetRanking;
  /** Fullest first. */
  readonly fullness: readonly Fullness[];
}

export async function weekAnswer(
  db: Queryable,
  window: Window,
  zone: string,
  limit: number,
): Promise<WeekAnswer> {
  const shift = (weeks: number): Window => {
    const at = (minute: number) => {
      const day = dayBegin(zone, minute * 60);
      return (daysLater(zone, day, -7 * weeks) + minute * 60 - day) / 60;
    };
    return { from: at(window.from), to: at(window.to) };
  };
  const before: WeekNumbers[] = [];
  for (let weeks = 1; weeks <= WEEKS_BEFORE; weeks++) {
    const numbers = await numbersOf(db, shift(weeks));
    if (numbers.seen >= SEEN_LEAST) before.push(numbers);
  }
  const asked = { source: "servers", window, condition: "true", smallBytes: 65_536 } as const;
  const [accounts, users, metadataUsers] = (await rankings(db, asked, [
    { by: "account", order: "bytes", limit },
    { by: "user", order: "bytes", limit },
    { by: "user", order: "metadata", limit: 1 },
  ])) as [Ranking, Ranking, Ranking];
  return {
    week: await numbersOf(db, window),
    before,
    days: await daysOf(db, window, zone),
    ...{ accounts, users, metadataUsers },
    targets: await rankTargets(db, { ...asked, limit, order: "bytes" }),
    fullness: await fullnessOf(db, window),
  };
}

const TIMES = ["read_usecs", "write_usecs", "metadata_usecs"];

/** Target counters, else the sum over jobs. */
async function relationOf(db: Queryable, window: Window): Promise<string> {
  const columns = [...AMOUNT_COLUMNS, ...TIMES];
  const asked = { window, condition: "true", smallBytes: 0 };
  const own = await loadRows(db, columns, { ...asked, base: "targets" });
  const found = await db.rows(`select 1 as one from ${own} limit 1`);
  return found.length > 0 ? own : loadRows(db, columns, { ...asked, base: "minutes" });
}

async function numbersOf(db: Queryable, window: Window): Promise<WeekNumbers> {
  const per = (usecs: string, calls: string) =>
    `sum(${usecs})::double / nullif(sum(${calls}) filter (${usecs} is not null), 0)`;
  const [row] = await db.rows(`select ${SUMS_AGAIN}, ${per("read_usecs", "reads")} as read_mean,
      ${per("write_usecs", "writes")} as write_mean, ${per("metadata_usecs", "metadata_calls")} as metadata_mean
    from ${await relationOf(db, window)}`);
  const [from, to] = [window.from, window.to].map((minute) => BigInt(minute) * 60_000_000_000n) as [
    bigint,
    bigint,
  ];
  const [read] =
    await db.rows(`select sum(greatest(0, least(to_unix_ns, ${to}) - greatest(from_unix_ns, ${from})))::double
      / count(distinct concat(file_system, '-', target, kind)) / ${to - from} as seen from readings`);
  return {
    window,
    ...amountsOf(row ?? {}),
    seen: Math.min(1, number(read?.seen) || 0),
    readUsecs: number(row?.read_mean),
    writeUsecs: number(row?.write_mean),
    metadataUsecs: number(row?.metadata_mean),
  };
}

async function daysOf(db: Queryable, window: Window, zone: string): Promise<DayNumbers[]> {
  const days: DayNumbers[] = [];
  for (let from = window.from; from < window.to; ) {
    const next = Math.min(window.to, daysLater(zone, dayBegin(zone, from * 60), 1) / 60);
    const end = next > from ? next : window.to;
    const relation = await relationOf(db, { from, to: end, grain: 60 });
    const [row] = await db.rows(`select ${SUMS_AGAIN} from ${relation}`);
    days.push({ day: localText(zone, from * 60).slice(0, 10), ...amountsOf(row ?? {}) });
    from = end;
  }
  return days;
}

/** Last state of each target in the window and in the week before. */
async function fullnessOf(db: Queryable, { from, to }: Window): Promise<Fullness[]> {
  const last = (first: number, end: number) => `select file_system, target,
      arg_max({'total': bytes_total, 'free': coalesce(bytes_free, bytes_available), 'inodes': inodes_total,
        'inodes_free': inodes_free}, minute_unix) as s
    from target_states where minute_unix >= ${first} and minute_unix < ${end} and bytes_total > 0 group by all`;
  const rows =
    await db.rows(`select n.file_system, n.target, n.s.total as total, n.s.total - n.s.free as used,
      1 - n.s.inodes_free / nullif(n.s.inodes, 0)::double as inodes, b.s.total - b.s.free as before
    from (${last(from, to)}) n left join (${last(from - (to - from), from)}) b
      on b.target = n.target and b.file_system is not distinct from n.file_system
    where n.s.free is not null order by used / total::double desc, n.target`);
  return rows.map((row) => ({
    fileSystem: row.file_system === null ? null : String(row.file_system),
    target: String(row.target),
    bytesTotal: exact(row.total),
    bytesUsed: exact(row.used),
    share: Number(exact(row.used)) / Number(exact(row.total)),
    inodesShare: number(row.inodes),
    usedBefore: row.before === null || row.before === undefined ? null : exact(row.before),
  }));
}

/** Mean over the previous weeks, scaled to full coverage; NaN: none. */
export function usualOf(weeks: readonly WeekNumbers[], of: (week: WeekNumbers) => number): number {
  const values = weeks.map(of).filter((value) => !Number.isNaN(value));
  return values.length === 0 ? Number.NaN : values.reduce((a, b) => a + b, 0) / values.length;
}

/** Bytes of a week, scaled to full coverage. */
export const volumeOf = (week: WeekNumbers): number =>
  Number(measured(week, "bytes")) / (week.seen || Number.NaN);
