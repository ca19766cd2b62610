/** What a bucket of files and runs hands over for the study of the whole. */
import type { Queryable } from "../../../model/index.ts";
import { chosenZone } from "../common/stored-zone.ts";
import { type HandOver, handOverCommon } from "../common/parts.ts";
import { durationBinsSql, durationsSql } from "./a18-gaps-and-run-times.ts";
import { badRunsSql, CENSUS, clocksSql, MODULE_SETS, RUN_SUMS, whoSql } from "./census.ts";
import { GROUPED } from "./group-files.ts";
import { LAYOUTS } from "./layout-texts.ts";
import type { ReuseOptions } from "./options.ts";
import { findFiles, MOUNTS, RECORD_BYTES, type StudyResources } from "./prepare.ts";

/** Rows of the store without which there is nothing to study. */
export const REUSE_ROWS = "select count(*) from runs";

/** Columns of accesses that are asked of selected files alone. */
const COLUMNS = [
  ...[
    "run_id",
    "file_id",
    "mount",
    "application_id",
    "user_id",
    "start_unix_ns",
    "end_unix_ns",
    "bytes_read",
  ],
  ...["bytes_written", "slowest_seconds", "read_seconds", "write_seconds", "meta_seconds", "variance_bytes"],
  ...["variance_seconds", "layer", "ranks", "osts", "stripe_count", "partial"],
];

/**
 * `db` has all accesses of some files and some of the runs. All accesses of a file are in one bucket, so that it is selected
 * here as it would be there.
 */
export async function reusePart(
  db: Queryable,
  asked: ReuseOptions,
  { recordBytes = RECORD_BYTES, databaseBytes = recordBytes }: StudyResources,
  write: HandOver,
): Promise<void> {
  // Only a period needs to know of which zone it is.
  const { zone } = asked.period === "" ? { zone: "UTC" } : await chosenZone(db, asked.zone);
  const options = { ...asked, zone };
  await handOverCommon(write, REUSE_ROWS, ["runs"]);
  await findFiles(db, options, { recordBytes, databaseBytes });
  await write("mounts", MOUNTS);
  await write("clocks", clocksSql("runs"));
  await write("period_clocks", clocksSql("reuse_period_runs"));
  await write("bad_runs", badRunsSql("runs"));
  await write("grouped", GROUPED);
  await write("layouts", LAYOUTS);
  await write("census", CENSUS);
  await write("who", whoSql(options));
  await write("module_sets", MODULE_SETS);
  await write("run_sums", RUN_SUMS);
  await write("duration_bins", durationBinsSql(true));
  await write("durations", durationsSql(true));
  await write(
    "accesses",
    `select ${COLUMNS.map((name) => `a.${name}`).join(", ")} from reuse_input a
      join reuse_candidates s on a.file_id = s.file_id and a.mount_no = s.mount_no`,
  );
  if (options.runBytes === "all") await write("run_rows", "select run_id, r, w, is_partial from reuse_input");
  await write(
    "files",
    `select file_id, min(path) as path from files where file_id in (select file_id from reuse_candidates)
      group by file_id`,
  );
}
