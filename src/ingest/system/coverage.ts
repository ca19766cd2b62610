/**
 * Which stretches of time the store has of each file of counters. A difference goes in only where it meets none of them,
 * so the same readings add nothing the second time, whatever files they are in.
 */
import type { Queryable } from "../../model/index.ts";

/** [from, to] in nanoseconds, apart from each other, in order. */
type Stretch = readonly [from: bigint, to: bigint];

/** As it goes between threads. */
export type CoverageEntry = readonly [key: string, from: bigint, to: bigint];

export function coverageKey(fileSystem: string, target: string, kind: string): string {
  return `${fileSystem}\n${target}\n${kind}`;
}

export class Coverage {
  /** What is stored, and what is in a batch that is not committed yet. */
  #stretches = new Map<string, Stretch[]>();
  /** Without that batch. */
  #stored = new Map<string, Stretch[]>();

  /** A stretch that is stored. */
  add(key: string, from: bigint, to: bigint): void {
    this.#join(this.#stretches, key, from, to);
    this.#join(this.#stored, key, from, to);
  }

  /** A stretch of the batch that is being filled. */
  addPending(key: string, from: bigint, to: bigint): void {
    this.#join(this.#stretches, key, from, to);
  }

  /** The batch is committed. */
  settle(): void {
    this.#stored = copyOf(this.#stretches);
  }

  /** The batch is forgotten. */
  takeBack(): void {
    this.#stretches = copyOf(this.#stored);
  }

  #join(stretches: Map<string, Stretch[]>, key: string, from: bigint, to: bigint): void {
    const list = stretches.get(key);
    if (list === undefined) {
      stretches.set(key, [[from, to]]);
      return;
    }
    const last = list.at(-1) as Stretch;
    if (from > last[1]) {
      list.push([from, to]);
      return;
    }
    if (from >= last[0]) {
      list[list.length - 1] = [last[0], to > last[1] ? to : last[1]];
      return;
    }
    const before = list.filter(([, end]) => end < from);
    const after = list.filter(([begin]) => begin > to);
    const touched = list.slice(before.length, list.length - after.length);
    const merged: Stretch = [
      touched.reduce((least, [begin]) => (begin < least ? begin : least), from),
      touched.reduce((most, [, end]) => (end > most ? end : most), to),
    ];
    stretches.set(key, [...before, merged, ...after]);
  }

  /** The end of the stretch that holds this moment; undefined when none does. */
  endOf(key: string, at: bigint): bigint | undefined {
    const list = this.#stretches.get(key);
    if (list === undefined) return undefined;
    let [low, high] = [0, list.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((list[middle] as Stretch)[1] < at) low = middle + 1;
      else high = middle;
    }
    const found = list[low];
    return found !== undefined && found[0] <= at ? found[1] : undefined;
  }

  /** Whether a stretch began before this moment and holds it: a state at its very beginning may still be missing. */
  isWithin(key: string, at: bigint): boolean {
    return this.#stretches.get(key)?.some(([from, to]) => from < at && at <= to) ?? false;
  }

  /** The last moment before this one that a stretch holds; undefined when there is none. */
  lastBefore(key: string, at: bigint): bigint | undefined {
    return this.#stretches.get(key)?.findLast(([, end]) => end < at)?.[1];
  }

  /** Whether nothing is stored between the two moments. */
  isFree(key: string, from: bigint, to: bigint): boolean {
    const list = this.#stretches.get(key);
    if (list === undefined) return true;
    for (let at = list.length - 1; at >= 0; at--) {
      const [begin, end] = list[at] as Stretch;
      if (end <= from) return true;
      // At a stretch of no length nothing but a first reading was seen.
      if (begin < to && begin < end) return false;
    }
    return true;
  }

  *entries(): Generator<CoverageEntry> {
    for (const [key, list] of this.#stretches) for (const [from, to] of list) yield [key, from, to];
  }
}

const copyOf = (stretches: ReadonlyMap<string, readonly Stretch[]>) =>
  new Map([...stretches].map(([key, list]) => [key, [...list]]));

/** Tables of states have no rows in `readings`; a first state has no length. */
const STRETCHES = `select file_system, target, kind, from_unix_ns, to_unix_ns from readings
  union all select file_system, target, 'target_states', coalesce(from_unix_ns, to_unix_ns), to_unix_ns from target_states
  union all select null, server, 'servers', coalesce(from_unix_ns, to_unix_ns), to_unix_ns from servers
  union all select distinct file_system, target, 'export_stats', from_unix_ns, to_unix_ns from exports`;

/** What the store has. Stretches that touch are joined there: a year of minutes is a few rows here. */
export async function storedCoverage(db: Queryable): Promise<CoverageEntry[]> {
  const rows = await db.rows(`
    select file_system, target, kind, min(from_unix_ns) as begin, max(to_unix_ns) as until
    from (
      select *, sum(is_new) over (partition by file_system, target, kind order by from_unix_ns, to_unix_ns) as island
      from (
        select *, case when from_unix_ns <= max(to_unix_ns) over (
            partition by file_system, target, kind order by from_unix_ns, to_unix_ns
            rows between unbounded preceding and 1 preceding) then 0 else 1 end as is_new
        from (${STRETCHES})))
    group by file_system, target, kind, island`);
  return rows.map(({ file_system, target, kind, begin, until }) => [
    coverageKey(String(file_system ?? ""), String(target ?? ""), String(kind)),
    begin as bigint,
    until as bigint,
  ]);
}
