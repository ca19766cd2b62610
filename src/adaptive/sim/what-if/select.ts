/** Selects the recorded runs of a question, and the runs around them for the fit. */
import { commandLine } from "../../../base/command-line.ts";
import { UsageError } from "../../../base/errors.ts";
import { formatCount } from "../../../base/units.ts";
import type { Queryable } from "../../../model/index.ts";
import { ACCESSES_MAX, countAccesses, type Window } from "./recorded.ts";

export type Suggest = (word: string, known: readonly string[]) => string;

export interface Centre {
  /** The run at the centre of the window; undefined for a point in time. */
  readonly run: string | undefined;
  readonly from: number;
  readonly to: number;
}

/** Refuses a store without runs to replay, in one line. */
export async function requireTargets(db: Queryable, store: string): Promise<void> {
  const [row] = await db.rows(
    "select (select count(*) from runs) as runs, count(*) as accesses, count(osts) as known from accesses",
  );
  if (Number(row?.runs ?? 0) === 0)
    throw new UsageError(
      `${store}: the store has no runs of Darshan logs; fill it with ${commandLine(["plimsoll", "ingest", "PATH", "--store", store])}`,
    );
  if (Number(row?.known ?? 0) === 0)
    throw new UsageError(
      `${store}: none of its ${formatCount(Number(row?.accesses ?? 0))} accesses names OSTs, so no run can be replayed; Darshan records OSTs with its LUSTRE module`,
    );
}

export async function findRun(db: Queryable, word: string, suggest: Suggest): Promise<Centre> {
  if (/^\d{1,20}$/.test(word)) {
    const [row] = await db.rows(
      `select run_id::varchar as id, start_unix_ns / 1e9 as start, end_unix_ns / 1e9 as stop from runs where run_id::varchar = '${word}'`,
    );
    if (row !== undefined) return { run: word, from: Number(row.start), to: Number(row.stop) };
  }
  throw new UsageError(`run ${word}: not in this store${await hint(db, word, suggest)}`);
}

/** Hint for a job id given as a run id, or a typing error. */
async function hint(db: Queryable, word: string, suggest: Suggest): Promise<string> {
  const text = word.replaceAll("'", "''");
  const jobs = await db.rows(
    `select run_id::varchar as id from runs where job_id = '${text}' order by start_unix_ns limit 1`,
  );
  if (jobs[0] !== undefined) return ` (job ${word} is run ${jobs[0].id})`;
  const near = await db.rows(
    `select run_id::varchar as id from runs where starts_with(run_id::varchar, '${text.slice(0, 3)}') or ends_with(run_id::varchar, '${text.slice(-4)}') order by 1 limit 500`,
  );
  const said = suggest(
    word,
    near.map(({ id }) => String(id)),
  );
  return said === ""
    ? `; plimsoll sql --store … "select run_id, application from runs limit 20" lists some`
    : said;
}

/** 7, OST7, or Lustre's own name with a hexadecimal number: OST0007, scratch-OST001f_UUID. */
export function targetNumber(word: string): number {
  const lustre = /(?:^|-)OST([0-9a-f]{4,})(?:_UUID)?$/i.exec(word);
  if (lustre !== null) return Number.parseInt(lustre[1] as string, 16);
  const plain = /^(?:OST ?)?(\d{1,9})$/i.exec(word);
  if (plain === null) throw new UsageError(`target ${word}: expected a number such as 7, or OST0007`);
  return Number(plain[1]);
}

/** The run with the most bytes on a target: the default centre of a question. */
export async function findTarget(db: Queryable, target: number): Promise<Centre> {
  const [row] = await db.rows(
    `select run_id::varchar as id, start_unix_ns / 1e9 as start, end_unix_ns / 1e9 as stop from accesses where list_contains(string_split(osts, ' '), '${target}') order by bytes_read + bytes_written desc, run_id limit 1`,
  );
  if (row !== undefined) return { run: String(row.id), from: Number(row.start), to: Number(row.stop) };
  const rows = await db.rows(
    "select distinct unnest(string_split(osts, ' ')) as ost from accesses where osts is not null",
  );
  const known = rows
    .map(({ ost }) => Number(ost))
    .sort((a, b) => Math.abs(a - target) - Math.abs(b - target));
  throw new UsageError(
    `target ${target}: no run in the store used it (the store has ${known.length}; the nearest: ${known.slice(0, 5).join(", ")})`,
  );
}

/** `--around`: a run, or a time such as 2017-11-22T13:00. */
export async function findCentre(db: Queryable, word: string, suggest: Suggest): Promise<Centre> {
  if (/^\d{1,20}$/.test(word)) return findRun(db, word, suggest);
  const time = Date.parse(/[zZ]$|[+-]\d\d:?\d\d$/.test(word) ? word : `${word}Z`);
  if (Number.isNaN(time))
    throw new UsageError(`--around ${word}: expected a run id or a time such as 2017-11-22T13:00`);
  return { run: undefined, from: time / 1000, to: time / 1000 };
}

/** Enough accesses for rates of files and loads of hours. */
const FIT_LEAST = 10_000;

/** The window of a question; refused if it has too many accesses. */
export async function windowOf(db: Queryable, { from, to }: Centre, hours: number): Promise<Window> {
  const window = { from: from - hours * 3600, to: to + hours * 3600 };
  const count = await countAccesses(db, window);
  if (count > ACCESSES_MAX)
    throw new UsageError(
      `${formatCount(count)} accesses lie within ${hours} h; at most ${formatCount(ACCESSES_MAX)} can be replayed; reduce --hours`,
    );
  return window;
}

/** Widens the window until there is enough data for the fit. */
export async function fitWindow(db: Queryable, window: Window): Promise<Window> {
  const middle = (window.from + window.to) / 2;
  let half = (window.to - window.from) / 2;
  let wide = window;
  for (let i = 0; i < 12; i++) {
    const count = await countAccesses(db, wide);
    if (count >= FIT_LEAST) break;
    half *= 2;
    const wider = { from: middle - half, to: middle + half };
    if ((await countAccesses(db, wider)) > ACCESSES_MAX / 4) break;
    wide = wider;
  }
  return wide;
}
