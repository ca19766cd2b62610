import { drawnPart, known, violinChart } from "./charts.ts";
import { defineItem, drawn, number, table } from "./item.ts";
import { prepare } from "./prepare.ts";

export const LAYERS = [
  { name: "POSIX", key: "posix" },
  { name: "MPI-IO", key: "mpiio" },
  { name: "STDIO", key: "stdio" },
  { name: "DFS", key: "dfs" },
] as const;

const MEASURES = [
  {
    key: "BytesPerRun",
    column: "bytes",
    label: "data per run and file",
    unit: "bytes",
    figure: "figure-8a-data",
  },
  {
    key: "SdBytes",
    column: "sd_bytes",
    label: "sd of bytes over ranks",
    unit: "bytes",
    figure: "figure-8b-sd-bytes",
  },
  {
    key: "SdSeconds",
    column: "sd_seconds",
    label: "sd of I/O time over ranks",
    unit: "seconds",
    figure: "figure-8c-sd-time",
  },
] as const;

export const a13 = defineItem({
  id: "A13",
  definition: "A13@1",
  title: "Variation over ranks by interface (figures 8a to 8c, finding 8)",
  about:
    "Every access belongs to MPI-IO if it has an MPI-IO record, else to STDIO if only STDIO moved bytes, else to POSIX. Per access: bytes, and the standard deviation over ranks of bytes and of I/O time, from the variances of the log. Mean over the runs of a file, then mean over files.",
  reading:
    "Means over files, not over runs (A11). Variances cover the ranks with a record: for a shared record that is all ranks, idle ones too.",
  options: ["partial"],
  published: { posixBytesPerRun: 260e9, posixSdBytes: 1.5e9 },
  async measure(db, options) {
    const prepared = await prepare(db, options);
    await db.run(`create or replace temp table reuse_layers as
      select file_no, layer, count(*) as accesses, avg(cast(r as double) + w) as bytes,
        avg(sqrt(case when variance_bytes >= 0 then variance_bytes end)) as sd_bytes,
        avg(sqrt(case when variance_seconds >= 0 then variance_seconds end)) as sd_seconds
      from reuse_accesses where complete group by file_no, layer`);
    const rows =
      await db.rows(`select layer, count(*) as files, sum(accesses) as accesses, avg(bytes) as bytes,
      avg(sd_bytes) as sd_bytes, avg(sd_seconds) as sd_seconds, count(sd_bytes) as n_bytes, count(sd_seconds) as n_seconds
      from reuse_layers group by layer`);
    const [facts] =
      await db.rows(`select count(*) filter (complete) as n, count(*) filter (complete and ranks = 1) as single,
      count(*) filter (complete and not coalesce(variance_bytes >= 0, false)) as unknown from reuse_accesses`);
    const values: Record<string, number> = {};
    for (const { name, key } of LAYERS) {
      const row = rows.find(({ layer }) => layer === name);
      if (row === undefined && key === "dfs") continue;
      values[`${key}Files`] = number(row?.files) || 0;
      values[`${key}Accesses`] = number(row?.accesses) || 0;
      for (const measure of MEASURES) values[`${key}${measure.key}`] = number(row?.[measure.column]);
    }
    const part = drawnPart(prepared.files, "file_no");
    const figures = [];
    for (const { column, label, unit, figure } of MEASURES) {
      const groups = [];
      for (const { name } of LAYERS) {
        const from = `reuse_layers where layer = '${name}' and ${column} > 0 and ${part.where}`;
        const mean = number(rows.find(({ layer }) => layer === name)?.[column]);
        groups.push({ name, role: "neutral" as const, values: await known(db, column, from), mean });
      }
      const chart = violinChart({ label, unit, scale: "log" }, "interface", groups);
      if (chart.groups.length > 0)
        figures.push(
          drawn({
            id: figure,
            title: `By interface: ${label}`,
            caption: `Per file the mean over its runs; values of zero have no place on a log axis; solid: mean over files.${part.note}`,
            summary: chart.groups
              .map(({ name, mean, n }) => `${name}: mean ${mean.toPrecision(3)} over ${n} files`)
              .join("; "),
            chart,
          }),
        );
    }
    return {
      n: number(facts?.n),
      unit: "accesses",
      dropped: {
        "accesses of incomplete modules": prepared.unusable.partial,
        "accesses without a variance over ranks": number(facts?.unknown),
      },
      values: { ...values, singleRankAccesses: number(facts?.single) },
      notes: ["Means over files of the means over their runs."],
      tables:
        rows.length === 0
          ? []
          : [
              table(
                "interfaces",
                "Means over files of the means over their runs.",
                [
                  ["interface", "Interface", "text", "Layer of the access."],
                  ["files", "Files", "files", "Files with accesses by this interface."],
                  ["accesses", "Accesses", "count", "Accesses by this interface."],
                  ["bytes", "Data", "bytes", "Bytes per run and file."],
                  ["sdBytes", "sd of bytes", "bytes", "Over ranks."],
                  ["sdSeconds", "sd of time", "seconds", "Over ranks."],
                ],
                rows.map((row) => [
                  row.layer === null ? null : String(row.layer),
                  number(row.files),
                  number(row.accesses),
                  number(row.bytes),
                  number(row.sd_bytes),
                  number(row.sd_seconds),
                ]),
              ),
            ],
      figures,
    };
  },
});
