import { cmfChart, drawnPart, known } from "./charts.ts";
import { defineItem, drawn, number, share } from "./item.ts";
import { prepare } from "./prepare.ts";
import { spreadTable } from "./tables.ts";

export const a15 = defineItem({
  id: "A15",
  definition: "A15@1",
  title: "Variation from run to run (figures 10a and 10b, finding 10)",
  about:
    "Per file the coefficient of variation, sd / mean, over its runs of (a) bytes and (b) I/O time. Both types together, or read and write runs apart (covRuns per-type: one value per file and type). Needs two runs and a mean above zero.",
  reading: "Amounts that hardly change beside times that do: the difference is what the storage adds.",
  options: ["ioTime", "ddof", "covRuns", "metadataOnly", "partial", "classRule", "classThreshold"],
  published: {
    meanCovBytes: 0.12,
    meanCovTime: 0.39,
    below5PercentBytes: 0.8,
    writeHeavyMeanCovBytes: 0.35,
    readHeavyMeanCovTime: 0.68,
  },
  async measure(db, options) {
    const prepared = await prepare(db, options);
    await spreadTable(prepared);
    const from = options.covRuns === "all" ? "reuse_spread" : await perType(prepared);
    const side = (name: string) => `count(${name}) as n_${name}, avg(${name}) as mean_${name},
      quantile_cont(${name}, 0.5) as median_${name}, count(*) filter (${name} < 0.05) as below_${name},
      avg(${name}) filter (class = 1) as rh_${name}, avg(${name}) filter (class = -1) as wh_${name},
      avg(${name}) filter (class = 0) as rw_${name}`;
    const [row] = await db.rows(`select count(*) as n, ${side("cov_bytes")}, ${side("cov_time")}
      from ${from} d join reuse_selected s on d.file_no = s.file_no`);
    const [nBytes, nTime] = [number(row?.n_cov_bytes), number(row?.n_cov_time)];
    const part = drawnPart(prepared.files, "file_no");
    const figure = async (id: string, title: string, column: string, meanValue: number, n: number) =>
      drawn({
        id,
        title,
        caption: `${n} files with two or more runs; dotted: mean.${part.note}`,
        summary: `The mean coefficient of variation is ${(100 * meanValue).toFixed(1)} %.`,
        chart: cmfChart({ label: "coefficient of variation", unit: "share" }, [
          {
            name: options.covRuns === "all" ? "files" : "files and types",
            role: "neutral",
            values: await known(db, column, `${from} where ${column} is not null and ${part.where}`),
            mean: meanValue,
            n,
          },
        ]),
      });
    const [meanCovBytes, meanCovTime] = [number(row?.mean_cov_bytes), number(row?.mean_cov_time)];
    const all = options.covRuns === "all" ? prepared.files : number(row?.n);
    return {
      n: Math.max(nBytes, nTime),
      unit: options.covRuns === "all" ? "files" : "files and types",
      dropped: {
        "without a variation of bytes (fewer than two runs, or no bytes)": all - nBytes,
        "without a variation of I/O time (fewer than two runs, or no time)": all - nTime,
      },
      values: {
        meanCovBytes,
        meanCovTime,
        below5PercentBytes: share(number(row?.below_cov_bytes), nBytes),
        medianCovBytes: number(row?.median_cov_bytes),
        medianCovTime: number(row?.median_cov_time),
        readHeavyMeanCovBytes: number(row?.rh_cov_bytes),
        writeHeavyMeanCovBytes: number(row?.wh_cov_bytes),
        readWriteMeanCovBytes: number(row?.rw_cov_bytes),
        readHeavyMeanCovTime: number(row?.rh_cov_time),
        writeHeavyMeanCovTime: number(row?.wh_cov_time),
        readWriteMeanCovTime: number(row?.rw_cov_time),
        filesBytes: nBytes,
        filesTime: nTime,
      },
      figures: [
        ...(nBytes > 0
          ? [
              await figure(
                "figure-10a-variation-of-data",
                "Variation of data from run to run",
                "cov_bytes",
                meanCovBytes,
                nBytes,
              ),
            ]
          : []),
        ...(nTime > 0
          ? [
              await figure(
                "figure-10b-variation-of-time",
                "Variation of I/O time from run to run",
                "cov_time",
                meanCovTime,
                nTime,
              ),
            ]
          : []),
      ],
    };
  },
});

async function perType({ db, options }: Awaited<ReturnType<typeof prepare>>): Promise<string> {
  const sd = options.ddof === 0 ? "stddev_pop" : "stddev_samp";
  const cov = (value: string) =>
    `case when count(${value}) >= 2 and avg(${value}) > 0 then ${sd}(${value}) / avg(${value}) end`;
  await db.run(`create or replace temp table reuse_spread_types as
    select file_no, type, ${cov("bytes")} as cov_bytes, ${cov("io")} as cov_time
    from (select file_no, type, io, cast(r as double) + w as bytes from reuse_accesses where complete and type <> 0)
    group by file_no, type`);
  return "reuse_spread_types";
}
