/** What is known of some jobs, without gathering the years of others that `job_totals` would. */
import type { Queryable } from "../../model/index.ts";

/** A relation like `job_totals` of the jobs that the condition on `jobs` holds for: for all rows of a job, or none. */
export function totalsOf(db: Queryable, condition: string): string {
  const some = `select * from jobs where ${condition}`;
  const totals = db.jobTotalsOf?.(`(${some})`);
  return totals === undefined ? `(select * from job_totals where ${condition})` : `(${totals})`;
}

/** The same of all jobs whose clients were counted. */
export async function countedTotals(db: Queryable): Promise<string> {
  const others = await db.rows("select 1 as one from jobs where source = 'scheduler' limit 1");
  if (others.length === 0) return "job_totals";
  return totalsOf(
    db,
    "job_key in (select job_key from jobs where source <> 'scheduler' and bytes_written is not null)",
  );
}
