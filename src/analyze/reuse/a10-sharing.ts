import type { Queryable } from "../../model/query.ts";
import { cmfChart, drawnPart, known } from "./charts.ts";
import { defineItem, drawn, number, share, table } from "./item.ts";
import { type Prepared, prepare } from "./prepare.ts";
import { applicationsTable, matrixTable, moved } from "./tables.ts";

const EXCEPTIONS_MAX = 1000;

export const a10 = defineItem({
  id: "A10",
  definition: "A10@1",
  title: "Sharing between applications (figures 6a and 6b, finding 5)",
  about:
    "(a) Per file the number of distinct applications. (b) For every pair of file and application with at least two runs, the mean time from start to start of that application's runs on that file, both types together; the mean is over pairs. Options: mean of its pairs per file; or, per file, the mean gap between successive runs of different applications.",
  reading:
    "In the paper all applications of a file belong to one user; files that several users touch are listed.",
  options: ["application", "applicationGap", "metadataOnly", "classRule", "classThreshold"],
  published: {
    sharedByTwoOrMore: 0.67,
    applicationMeanHours: 31,
    sharedReadWrite: 0.86,
    sharedReadHeavy: 0.12,
    sharedWriteHeavy: 0.02,
  },
  async measure(db, options) {
    const prepared = await prepare(db, options);
    await matrixTable(prepared);
    const [row] =
      await db.rows(`select count(applications) as n, count(*) filter (applications >= 2) as shared,
      avg(applications) as mean, max(applications) as most,
      count(*) filter (applications >= 2 and class = 0) as rw, count(*) filter (applications >= 2 and class = 1) as rh,
      count(*) filter (applications >= 2 and class = -1) as wh,
      count(*) filter (applications >= 3) as three from reuse_matrix`);
    const n = number(row?.n);
    const shared = number(row?.shared);
    const classed = number(row?.rw) + number(row?.rh) + number(row?.wh);
    const from = await gapsTable(db, prepared);
    const [gaps] =
      await db.rows(`select count(hours) as n, avg(hours) as mean, quantile_cont(hours, 0.5) as median,
      count(*) as all_rows from ${from}`);
    const users = await exceptions(db);
    const part = drawnPart(prepared.files, "file_no");
    const sharedByTwoOrMore = share(shared, n);
    const applicationMeanHours = number(gaps?.mean);
    const figures =
      n === 0
        ? []
        : [
            drawn({
              id: "figure-6a-applications-per-file",
              title: "Applications per file",
              caption: `${n} files; dotted: mean.${part.note}`,
              summary: `${(100 * sharedByTwoOrMore).toFixed(1)} % of ${n} files are touched by two or more applications.`,
              chart: cmfChart({ label: "applications", unit: "count" }, [
                {
                  name: "files",
                  role: "neutral",
                  values: await known(
                    db,
                    "applications",
                    `reuse_matrix where applications is not null and ${part.where}`,
                  ),
                  mean: number(row?.mean),
                  n,
                },
              ]),
            }),
          ];
    if (number(gaps?.n) > 0)
      figures.push(
        drawn({
          id: "figure-6b-application-gaps",
          title: "Mean time between runs of one application on one file",
          caption: `${number(gaps?.n)} ${options.applicationGap === "pairs" ? "pairs of file and application" : "files"}; dotted: mean.${part.note}`,
          summary: `${applicationMeanHours.toFixed(1)} h pass on average.`,
          chart: cmfChart({ label: "mean gap", unit: "seconds", scale: "log" }, [
            {
              name: options.applicationGap,
              role: "neutral",
              values: (await known(db, "hours", `${from} where hours is not null and ${part.where}`)).map(
                (v) => v * 3600,
              ),
              mean: applicationMeanHours * 3600,
              n: number(gaps?.n),
            },
          ]),
        }),
      );
    return {
      n,
      unit: "files",
      dropped: {
        "files without an access that counts": prepared.files - n,
        [options.applicationGap === "pairs" ? "pairs with one run" : "files without such a gap"]:
          number(gaps?.all_rows) - number(gaps?.n),
      },
      values: {
        sharedByTwoOrMore,
        sharedByThreeOrMore: share(number(row?.three), n),
        applicationsMean: number(row?.mean),
        applicationsMost: number(row?.most),
        applicationMeanHours,
        applicationMedianHours: number(gaps?.median),
        gaps: number(gaps?.n),
        sharedReadWrite: share(number(row?.rw), classed),
        sharedReadHeavy: share(number(row?.rh), classed),
        sharedWriteHeavy: share(number(row?.wh), classed),
        filesOfSeveralUsers: users.total,
      },
      tables: users.total === 0 ? [] : [users.table],
      figures,
    };
  },
});

/** Rows with `file_no` and `hours`, as the option wants them. */
async function gapsTable(db: Queryable, prepared: Prepared): Promise<string> {
  await applicationsTable(prepared);
  const { options } = prepared;
  switch (options.applicationGap) {
    case "pairs":
      return "reuse_applications";
    case "files":
      return "(select file_no, avg(hours) as hours from reuse_applications group by file_no)";
    case "different": {
      const by = options.application === "exe" ? "application_id" : "(application_id, user_id)";
      const over = "over (partition by file_no order by start_ns, run_id)";
      await db.run(`create or replace temp table reuse_handovers as
        select file_no, avg(gap) filter (handed) as hours from (
          select file_no, cast(start_ns - lag(start_ns) ${over} as double) / 3.6e12 as gap,
            lag(${by}) ${over} <> ${by} as handed
          from reuse_accesses where timed and ${moved(prepared)})
        group by file_no`);
      return "reuse_handovers";
    }
  }
}

async function exceptions(db: Queryable) {
  const several = `(select file_no, count(distinct user_id) as users, sum(accesses) as accesses from reuse_pairs
    group by file_no having min(user_id) <> max(user_id))`;
  const [{ total } = { total: 0 }] = await db.rows(`select count(*) as total from ${several}`);
  const rows = await db.rows(`select s.file_id, m.mount, e.users, e.accesses
    from ${several} e join reuse_selected s on e.file_no = s.file_no join reuse_mounts m on s.mount_no = m.mount_no
    order by e.users desc, s.file_id limit ${EXCEPTIONS_MAX}`);
  return {
    total: number(total),
    table: table(
      "files-of-several-users",
      "Files that several users touched: in the paper there is none.",
      [
        ["file", "File", "text", "Record id."],
        ["mount", "Mount", "text", "Mount point."],
        ["users", "Users", "count", "Distinct users."],
        ["accesses", "Runs", "count", "Runs that touched the file."],
      ],
      rows.map(({ file_id, mount, users, accesses }) => [
        String(file_id),
        mount === null ? null : String(mount),
        number(users),
        number(accesses),
      ]),
      number(total),
    ),
  };
}
