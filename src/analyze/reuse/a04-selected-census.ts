import { defineItem, exact, number, share } from "./item.ts";
import { prepare } from "./prepare.ts";
import { pairsTable } from "./tables.ts";

export const a04 = defineItem({
  id: "A04",
  definition: "A04@1",
  title: "Selected files: census and skew",
  about:
    "Runs, applications, users, files and bytes of the selection; how many users touch more than two files, files per user, and the share of the bytes of the top 1, 5 and 10 users.",
  reading: "A large share of one user means that the findings describe that user rather than the centre.",
  options: ["minBytes", "minRuns", "application", "metadataOnly"],
  published: {
    runs: 400e3,
    applications: 791,
    users: 149,
    files: 8500,
    bytesRead: 4_700_000_000_000_000n,
    bytesWritten: 3_100_000_000_000_000n,
    usersOfMoreThan2Files: 0.7,
    filesPerUser: 57,
  },
  async measure(db, options) {
    const prepared = await prepare(db, options);
    await pairsTable(prepared);
    const application = options.application === "exe" ? "application_id" : "(application_id, user_id)";
    const [runs] = await db.rows(
      `select count(distinct ${application}) as applications, count(distinct user_id) as users from reuse_runs`,
    );
    const [bytes] = await db.rows(
      "select sum(bytes_read) as bytes_read, sum(bytes_written) as bytes_written from reuse_selected",
    );
    const [perUser] =
      await db.rows(`select avg(files) as files, count(*) filter (files > 2) as many, count(*) as users
      from (select user_id, count(distinct file_no) as files from reuse_pairs where user_id is not null group by user_id)`);
    const top = await db.rows(`select cast(sum(coalesce(r, 0)) + sum(coalesce(w, 0)) as double) as bytes
      from reuse_accesses group by user_id order by bytes desc limit 10`);
    const [bytesRead, bytesWritten] = [exact(bytes?.bytes_read), exact(bytes?.bytes_written)];
    const all = Number(bytesRead + bytesWritten);
    const topShare = (count: number) =>
      share(
        top.slice(0, count).reduce((sum, row) => sum + number(row.bytes), 0),
        all,
      );
    return {
      n: prepared.files,
      unit: "files",
      values: {
        files: prepared.files,
        runs: prepared.runs,
        applications: number(runs?.applications),
        users: number(runs?.users),
        bytesRead,
        bytesWritten,
        bytes: bytesRead + bytesWritten,
        usersOfMoreThan2Files: share(number(perUser?.many), number(perUser?.users)),
        filesPerUser: number(perUser?.files),
        topUserShare: topShare(1),
        top5UsersShare: topShare(5),
        top10UsersShare: topShare(10),
        accesses: prepared.accesses,
        partialAccesses: prepared.unusable.partial,
        metadataOnlyAccesses: prepared.unusable.metadataOnly,
        badClockAccesses: prepared.unusable.badClock,
      },
    };
  },
});
