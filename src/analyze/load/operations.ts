/** Metadata operations of targets by kind, each with its top job. */
import type { Queryable, SqlRow } from "../../model/index.ts";
import { exact, number, shareOf, text } from "./amounts.ts";
import { totalsOf } from "./totals.ts";
import { loadRows } from "./levels.ts";
import { userFacts, userLabels } from "./users.ts";
import type { Window } from "./window.ts";

/** Columns of `minutes` and `targets` and their Lustre names. */
const OPERATIONS: Readonly<Record<string, string>> = {
  opens: "open",
  closes: "close",
  mknods: "mknod",
  links: "link",
  unlinks: "unlink",
  mkdirs: "mkdir",
  rmdirs: "rmdir",
  renames: "rename",
  getattrs: "getattr",
  setattrs: "setattr",
  getxattrs: "getxattr",
  setxattrs: "setxattr",
  statfs: "statfs",
  syncs: "sync",
};
const COLUMNS = Object.keys(OPERATIONS);

interface OperationLoad {
  readonly operation: string;
  readonly calls: bigint;
  /** Of all metadata operations. */
  readonly share: number;
  /** The top job; null: no job counters. */
  readonly firstJob: string | null;
  readonly firstUser: string | null;
  /** Share of the operations of all jobs. */
  readonly firstShare: number;
}

export interface OperationRanking {
  readonly source: "targets" | "minutes";
  readonly window: Window;
  readonly rows: readonly OperationLoad[];
  /** Operations in the sum but in none of the kinds. */
  readonly others: bigint;
  readonly total: bigint;
}

export async function rankOperations(
  db: Queryable,
  {
    window,
    condition,
    limit,
  }: { readonly window: Window; readonly condition: string; readonly limit: number },
): Promise<OperationRanking> {
  const asked = { window, condition, smallBytes: 0 };
  const sums = ["metadata_calls", ...COLUMNS];
  const sum = async (relation: string) =>
    (
      await db.rows(
        `select ${sums.map((name) => `sum(${name}) as ${name}`).join(", ")}, count(metadata_calls) as n from ${relation}`,
      )
    )[0] as SqlRow;
  const ofTargets = await sum(await loadRows(db, sums, { ...asked, base: "targets" }));
  const source = number(ofTargets.n) > 0 ? "targets" : "minutes";
  const jobs = await loadRows(db, ["job_key", "job_id", "cluster", ...sums], { ...asked, base: "minutes" });
  const totals = source === "targets" ? ofTargets : await sum(jobs);
  const total = exact(totals.metadata_calls);
  const counted = COLUMNS.filter((name) => exact(totals[name]) > 0n)
    .sort((a, b) => Number(exact(totals[b]) - exact(totals[a])))
    .slice(0, limit);
  const first = await firstJobs(db, jobs, counted);
  const shown = counted.reduce((all, name) => all + exact(totals[name]), 0n);
  return {
    source,
    window,
    rows: counted.map((name, at) => ({
      operation: OPERATIONS[name] as string,
      calls: exact(totals[name]),
      share: shareOf(exact(totals[name]), total),
      ...(first[at] as FirstJob),
    })),
    others: total > shown ? total - shown : 0n,
    total,
  };
}

type FirstJob = Pick<OperationLoad, "firstJob" | "firstUser" | "firstShare">;

async function firstJobs(db: Queryable, jobs: string, columns: readonly string[]): Promise<FirstJob[]> {
  if (columns.length === 0) return [];
  await db.run(`create or replace temp table operation_jobs as
    select job_key, cluster, any_value(job_id) as job_id, ${columns.map((name) => `sum(${name}) as ${name}`).join(", ")}
    from ${jobs} group by job_key, cluster`);
  const found: { key: SqlRow[string]; cluster: string | null; job: string | null; share: number }[] = [];
  for (const name of columns) {
    const [row] =
      await db.rows(`select job_key, cluster, job_id, ${name} as calls, (select sum(${name}) from operation_jobs) as total
      from operation_jobs where ${name} > 0 order by ${name} desc, job_id limit 1`);
    found.push({
      key: row?.job_key ?? null,
      cluster: text(row?.cluster),
      job: text(row?.job_id),
      share: row === undefined ? Number.NaN : shareOf(exact(row.calls), exact(row.total)),
    });
  }
  const keys = [...new Set(found.flatMap(({ key }) => (key === null ? [] : [String(key)])))];
  const facts =
    keys.length === 0
      ? []
      : await db.rows(
          `select job_key, cluster, job_id, user_id, user_name from ${totalsOf(db, `job_key in (${keys.join(", ")})`)}`,
        );
  const of = found.map(({ key, cluster, job }) => {
    const rows = facts.filter(
      (row) => row.job_key === key && (cluster === null || row.cluster === null || row.cluster === cluster),
    );
    // A user id with two names identifies nobody.
    const [only] = new Set(rows.map((row) => text(row.user_name))).size === 1 ? rows : [];
    return { ...userFacts(only ?? {}), jobId: job, cluster };
  });
  const users = await userLabels(db, of);
  return found.map(({ job, share }, at) => ({
    firstJob: job,
    firstUser: job === null ? null : (users[at] ?? null),
    firstShare: share,
  }));
}
