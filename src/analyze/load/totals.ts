/** Facts of some jobs, without computing `job_totals` for years of others. */
import type { Queryable } from "../../model/index.ts";

/** A relation like `job_totals` for jobs that match a condition on `jobs`, which must hold for all rows of a job or none. */
export function totalsOf(db: Queryable, condition: string): string {
  const some = `select * from jobs where ${condition}`;
  const totals = db.jobTotalsOf?.(`(${some})`);
  return totals === undefined ? `(select * from job_totals where ${condition})` : `(${totals})`;
}

/** The same for all jobs with client counters. */
export async function countedTotals(db: Queryable): Promise<string> {
  const others = await db.rows("select 1 as one from jobs where source = 'scheduler' limit 1");
  if (others.length === 0) return "job_totals";
  return totalsOf(
    db,
    "job_key in (select job_key from jobs where source <> 'scheduler' and bytes_written is not null)",
  );
}
