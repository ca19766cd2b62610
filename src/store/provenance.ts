/** How much of a store was generated. */
import { isSynthetic, type Provenance, type Queryable } from "../model/index.ts";

/** Tables whose rows say whether they were generated; counters of servers count by stretches of readings. */
export type OriginTable = "runs" | "jobs" | "readings";

/** Of the rows of these tables together, named after the first that has any. */
export async function provenanceOf(db: Queryable, tables: readonly OriginTable[]): Promise<Provenance> {
  let found: Provenance = { synthetic: 0, of: 0, unit: tables[0] ?? "rows" };
  for (const table of tables) {
    const [row] = await db.rows(
      `select sum(all_rows) as all_rows, sum(made) as made from ${db.part?.(`origin_${table}`) ?? `(select count(*) as all_rows, coalesce(sum(synthetic), 0)::BIGINT as made from ${table})`}`,
    );
    const [of, synthetic] = [Number(row?.all_rows ?? 0), Number(row?.made ?? 0)];
    if (of === 0) continue;
    const unit = found.of === 0 ? table : "rows";
    found = { synthetic: found.synthetic + synthetic, of: found.of + of, unit };
  }
  return found;
}

const OF_LOGS: readonly OriginTable[] = ["runs"];
const OF_JOBS: readonly OriginTable[] = ["jobs", "readings"];
/** Whose origin the rows of a table without a column of its own share; all others are counters of servers. */
const SHARED_ORIGIN: Readonly<Record<string, readonly OriginTable[]>> = {
  ...{ accesses: OF_LOGS, files: OF_LOGS, sources: OF_LOGS },
  ...{ minutes: OF_JOBS, job_mounts: OF_JOBS, job_hours: OF_JOBS, job_days: OF_JOBS },
};

/** What rows of a table that have no such column themselves say of their origin; undefined where a machine recorded all. */
export async function sharedOrigin(
  db: Queryable,
  table: string,
): Promise<"synthetic" | "partly synthetic" | undefined> {
  const provenance = await provenanceOf(db, SHARED_ORIGIN[table] ?? ["readings"]);
  if (!isSynthetic(provenance)) return undefined;
  return provenance.synthetic >= provenance.of ? "synthetic" : "partly synthetic";
}
