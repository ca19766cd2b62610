/**
 * Stretches of time of one target's counters that more than one batch holds: their rows count twice. Ingest lets one ingest
 * at a time store counters, so they come from stores that were written without that, and from a holder of the lock that
 * another machine took for dead. The batch with the smaller id keeps its rows.
 */
import { assert } from "../base/assert.ts";
import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { storedMinutes, storedReadings, storedTargets } from "../model/index.ts";
import { parquetRows, quoteText } from "./database.ts";
import { ID_LENGTH } from "./layout.ts";
import { type BatchInfo, segmentsOf } from "./manifest.ts";

export interface Overlap {
  readonly fileSystem: string | null;
  readonly target: string;
  readonly kind: string;
  readonly fromUnixNs: bigint;
  readonly toUnixNs: bigint;
  /** Keeps its rows. */
  readonly batch: string;
  /** Has them too; the same as `batch` when which rows are copies can no longer be told. */
  readonly copy: string;
}

interface Stretch {
  readonly batch: string;
  readonly from: bigint;
  readonly to: bigint;
}

/** What is left of a stretch, and which parts of it another one holds. */
interface Cut {
  readonly stretch: Stretch;
  readonly left: readonly (readonly [from: bigint, to: bigint])[];
  readonly taken: readonly Stretch[];
}

/** Stretches of one file of counters in the order of batches: each keeps what no one before it has. */
export function cutStretches(stretches: readonly Stretch[]): Cut[] {
  /** What is taken so far: apart from each other, in order. */
  let held: Stretch[] = [];
  return stretches.map((stretch) => {
    assert(stretch.to > stretch.from, "a stretch has time");
    const before = held.filter(({ to }) => to <= stretch.from);
    const after = held.filter(({ from }) => from >= stretch.to);
    const touched = held.slice(before.length, held.length - after.length);
    const left: [bigint, bigint][] = [];
    const taken: Stretch[] = [];
    let at = stretch.from;
    for (const { batch, from, to } of touched) {
      if (from > at) left.push([at, from]);
      const [begin, end] = [from > at ? from : at, to < stretch.to ? to : stretch.to];
      taken.push({ batch, from: begin, to: end });
      at = end;
    }
    if (at < stretch.to) left.push([at, stretch.to]);
    const own = left.map(([from, to]) => ({ batch: stretch.batch, from, to }));
    assert(lengthOf([...own, ...taken]) === stretch.to - stretch.from, "every moment is left or taken");
    held = [...before, ...[...touched, ...own].sort((a, b) => (a.from < b.from ? -1 : 1)), ...after];
    assert(
      held.every(({ from }, i) => i === 0 || (held[i - 1] as Stretch).to <= from),
      "what is taken stays apart and in order",
    );
    return { stretch, left, taken };
  });
}

const lengthOf = (stretches: readonly Stretch[]): bigint =>
  stretches.reduce((sum, { from, to }) => sum + to - from, 0n);

const SAME_FILE = (a: string, b: string) =>
  `${a}.file_system is not distinct from ${b}.file_system and ${a}.target = ${b}.target`;
const BATCH = `left(parse_filename(filename), ${ID_LENGTH})`;
const MINUTE_NS = 60_000_000_000n;
/** Parts of batches whose rows are dropped, and the stretches that are left of readings; out of people's way. */
const HIDDEN = "store.hidden_stretches";
const LEFT = "store.cut_readings";

/** All overlaps of the given batches. Rows of readings tell; nothing else is read. */
export async function findOverlaps(
  connection: DuckDBConnection,
  store: string,
  batches: readonly BatchInfo[],
): Promise<Overlap[]> {
  return (await cutsOf(connection, store, batches)).flatMap(({ file, cuts }) =>
    cuts.flatMap(({ stretch, taken }) =>
      taken.map(({ batch, from, to }) => ({
        ...file,
        fromUnixNs: from,
        toUnixNs: to,
        batch,
        copy: stretch.batch,
      })),
    ),
  );
}

/** Remembers which rows of the batches are copies, for `stretchCondition` and `readingsRelation`; gives the batches with copies. */
export async function hideOverlaps(
  connection: DuckDBConnection,
  store: string,
  batches: readonly BatchInfo[],
): Promise<{ readonly copies: ReadonlySet<string>; readonly stretches: number }> {
  await connection.run("create schema if not exists store");
  await connection.run(`create or replace table ${HIDDEN}
    (batch varchar, table_name varchar, file_system varchar, target varchar, after_minute bigint, last_minute bigint)`);
  await connection.run(`create or replace table ${LEFT} (batch varchar, file_system varchar, target varchar, kind varchar,
    from_unix_ns bigint, to_unix_ns bigint, part integer, left_from_ns bigint, left_to_ns bigint)`);
  const copies = new Set<string>();
  const pruned = prunedIds(batches);
  let stretches = 0;
  const hidden: string[] = [];
  const left: string[] = [];
  for (const { file, cuts } of await cutsOf(connection, store, batches))
    for (const { stretch, taken, left: kept } of cuts) {
      const others = taken.filter(({ batch }) => batch !== stretch.batch);
      // Copies within one batch cannot be told from what they are copies of, nor minutes that are only in sums.
      if (others.length === 0 || others.length < taken.length || pruned.has(stretch.batch)) continue;
      assert(
        others.every(({ batch }) => batch < stretch.batch || pruned.has(batch)),
        "the batch with the smaller id keeps its rows, and before it one without minutes",
      );
      stretches += others.length;
      copies.add(stretch.batch);
      const target = [file.fileSystem === null ? "null" : quoteText(file.fileSystem), quoteText(file.target)];
      const table = file.kind === "job_stats" ? storedMinutes.name : storedTargets.name;
      for (const { from, to } of others)
        hidden.push(
          [quoteText(stretch.batch), quoteText(table), ...target, from / MINUTE_NS, to / MINUTE_NS].join(
            ", ",
          ),
        );
      const key = [quoteText(stretch.batch), ...target, quoteText(file.kind), stretch.from, stretch.to].join(
        ", ",
      );
      for (const [part, [from, to]] of kept.entries()) left.push(`${key}, ${part}, ${from}, ${to}`);
      if (kept.length === 0) left.push(`${key}, 0, null, null`);
    }
  for (const [table, rows] of [
    [HIDDEN, hidden],
    [LEFT, left],
  ] as const)
    for (let at = 0; at < rows.length; at += 1000)
      await connection.run(
        `insert into ${table} values ${rows
          .slice(at, at + 1000)
          .map((row) => `(${row})`)
          .join(", ")}`,
      );
  return { copies, stretches };
}

/** Whether the rows of a table have copies to hide. */
export const hasStretches = (table: string): boolean =>
  table === storedMinutes.name || table === storedTargets.name || table === storedReadings.name;

/** On rows of `minutes` and `targets` with their `filename`, named `s`: true for those that stay. */
export const stretchCondition = (table: string): string =>
  `not exists (select 1 from ${HIDDEN} h where h.batch = ${BATCH} and h.table_name = ${quoteText(table)}
     and ${SAME_FILE("h", "s")} and s.minute_unix > h.after_minute and s.minute_unix <= h.last_minute)`;

/** Readings with their `filename`: what is left of stretches that were cut, and all others. */
export const readingsRelation = (relation: string): string =>
  `(select r.* replace (coalesce(c.left_from_ns, r.from_unix_ns) as from_unix_ns,
       coalesce(c.left_to_ns, r.to_unix_ns) as to_unix_ns,
       if(coalesce(c.part, 0) = 0, r.readings, 0) as readings, if(coalesce(c.part, 0) = 0, r.carried_in, 0) as carried_in,
       if(coalesce(c.part, 0) = 0, r.gaps, 0) as gaps, if(coalesce(c.part, 0) = 0, r.dropped, 0) as dropped)
     from ${relation} r left join ${LEFT} c on c.batch = ${BATCH} and ${SAME_FILE("c", "r")} and c.kind = r.kind
       and c.from_unix_ns = r.from_unix_ns and c.to_unix_ns = r.to_unix_ns
     where c.batch is null or c.left_from_ns is not null)`;

/** Readings of which each begins where another one of its kind ends, as one: a year of ten minutes each is a few rows. */
export function joinedReadings(relation: string): string {
  const same = "file_system, target, kind, server, warnings, synthetic";
  const order = `partition by ${same} order by from_unix_ns, to_unix_ns`;
  const names = storedReadings.columns.map(({ name }) => {
    if (name === "from_unix_ns") return "min(from_unix_ns) as from_unix_ns";
    if (name === "to_unix_ns") return "max(to_unix_ns) as to_unix_ns";
    return ["readings", "carried_in", "gaps", "dropped"].includes(name)
      ? `sum(${name})::BIGINT as ${name}`
      : name;
  });
  return `select ${names.join(", ")} from (
      select *, sum(is_new) over (${order} rows unbounded preceding) as island from (
        select *, if(from_unix_ns = lag(to_unix_ns) over (${order}) and to_unix_ns > from_unix_ns, 0, 1) as is_new
        from (${relation})))
    group by ${same}, island order by from_unix_ns, target`;
}

interface CutFile {
  readonly file: Pick<Overlap, "fileSystem" | "target" | "kind">;
  readonly cuts: readonly Cut[];
}

/** Batches that have sums of minutes that are gone: nothing can be taken out of these. */
const prunedIds = (batches: readonly BatchInfo[]): ReadonlySet<string> =>
  new Set(batches.flatMap(({ id, pruned }) => (pruned === undefined ? [] : [id])));

/** Of files of counters with any overlap. */
async function cutsOf(
  connection: DuckDBConnection,
  store: string,
  batches: readonly BatchInfo[],
): Promise<CutFile[]> {
  const files = segmentsOf(batches, storedReadings.name).map(({ file }) => join(store, file));
  if (files.length === 0) return [];
  const columns = "file_system, target, kind";
  const result = await connection.runAndReadAll(`with
    stretches as (select ${columns}, from_unix_ns, to_unix_ns, ${BATCH} as batch
      from ${parquetRows(files, { fileNames: true })} where to_unix_ns > from_unix_ns),
    affected as (select distinct ${columns} from (
      select ${columns}, from_unix_ns, max(to_unix_ns) over (partition by ${columns} order by from_unix_ns, to_unix_ns
        rows between unbounded preceding and 1 preceding) as before from stretches) where from_unix_ns < before)
    select s.file_system, s.target, s.kind, s.batch, s.from_unix_ns, s.to_unix_ns
    from stretches s join affected a on ${SAME_FILE("s", "a")} and s.kind = a.kind
    order by all`);
  const found = new Map<string, { file: CutFile["file"]; stretches: Stretch[] }>();
  for (const [fileSystem, target, kind, batch, from, to] of result.getRows()) {
    const key = `${fileSystem}\n${target}\n${kind}`;
    const file = {
      fileSystem: fileSystem === null ? null : String(fileSystem),
      target: String(target),
      kind: String(kind),
    };
    const entry = found.get(key) ?? { file, stretches: [] };
    found.set(key, entry);
    entry.stretches.push({ batch: String(batch), from: from as bigint, to: to as bigint });
  }
  const pruned = prunedIds(batches);
  const place = ({ batch }: Stretch) => (pruned.has(batch) ? 0 : 1);
  for (const { stretches } of found.values()) stretches.sort((a, b) => place(a) - place(b));
  return [...found.values()].map(({ file, stretches }) => ({ file, cuts: cutStretches(stretches) }));
}
