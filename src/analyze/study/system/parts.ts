/** What a bucket of jobs and of minutes of targets hands over for the study of the whole. */
import { UsageError } from "../../../base/errors.ts";
import type { Queryable } from "../../../model/index.ts";
import { type HandOver, handOverCommon } from "../common/parts.ts";
import { chosenZone } from "../common/stored-zone.ts";
import { jobRows } from "./jobs.ts";
import { mdtSql } from "./mdts.ts";
import { jobMinutesSql, MINUTE_ROWS, ODD_MINUTES } from "./minutes.ts";
import type { SystemOptions } from "./options.ts";

/** Rows of the store without which there is nothing to study. */
export const SYSTEM_ROWS =
  "select (select count(*) from jobs) + (select count(*) from minutes) + (select count(*) from targets)";

/** `db` has all rows of some jobs, all their minutes, and all targets of some minutes. */
export async function systemPart(db: Queryable, asked: SystemOptions, write: HandOver): Promise<void> {
  if (asked.similarity === "cluster")
    throw new UsageError(
      "--similarity cluster compares whole runs, but buckets split the accesses of a run; use plimsoll study system in one process",
    );
  const hasPeriod = asked.from !== "" || asked.to !== "";
  // Only a period needs to know of which zone it is.
  const { zone } = hasPeriod ? await chosenZone(db, asked.zone) : { zone: "UTC" };
  const mdts = mdtSql({ ...asked, zone });
  await handOverCommon(write, SYSTEM_ROWS, ["jobs", "readings"]);
  await write("minute_rows", MINUTE_ROWS);
  await write("job_minutes", jobMinutesSql("cluster,"));
  await write("odd_minutes", ODD_MINUTES);
  await write("jobs", "select distinct job_key, cluster, start_unix_ns, end_unix_ns from jobs");
  await jobRows(db);
  await write("job_rows", "select * from sys_jobs");
  await write("mdt_of_jobs", mdts.ofJobs);
  await write("mdt_names", mdts.names);
  // Where jobs are told apart, nobody asks for targets as a whole.
  const ofJobs = await db.rows(mdts.ofJobs);
  const none = ofJobs.length > 0 ? " limit 0" : "";
  await write("mdt_jobs", mdts.sums.jobs);
  await write("mdt_targets", `${mdts.sums.targets}${none}`);
  await write("mdt_outside_jobs", mdts.outside.jobs);
  await write("mdt_outside_targets", `${mdts.outside.targets}`);
}
