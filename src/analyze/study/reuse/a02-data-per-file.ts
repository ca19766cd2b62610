import { densityChart } from "./charts.ts";
import { defineItem, drawn, number, share } from "./item.ts";

export const a02 = defineItem({
  id: "A02",
  definition: "A02@1",
  title: "Data per file and number of runs",
  place: "figure 2",
  section: "data",
  about:
    "Every file: bytes read and written over the period, and the number of runs that used it. The two marginal shares and their joint share are printed separately, since the paper's caption and text differ.",
  reading: "This is data moved, not the size of the file.",
  options: ["period", "zone", "excludeMounts", "minBytes", "minRuns"],
  values: {
    files: ["count", "files"],
    below1GB: ["share", "below 1 GB", 0.99, "over 99 %"],
    below100GB: ["share", "below 100 GB", undefined, "most files"],
    oneRun: ["share", "one run", undefined, "most files"],
    below1GBAndOneRun: ["share", "below 1 GB and one run"],
    below100GBAndOneRun: ["share", "below 100 GB and one run"],
  },
  narrative: ({ text }) =>
    `${text("below1GB")} of the files transferred less than 1 GB, and ${text("oneRun")} were accessed by only one run; ${text("below1GBAndOneRun")} are both. In the paper over 99 % transferred less than 1 GB.`,
  async measure(prepared) {
    const { db, options } = prepared;
    const [row] = await db.rows(`select coalesce(sum(files), 0) as n,
      coalesce(sum(files) filter (below_1gb), 0) as gb, coalesce(sum(files) filter (below_100gb), 0) as gb100,
      coalesce(sum(files) filter (once), 0) as once, coalesce(sum(files) filter (below_1gb and once), 0) as gb_once,
      coalesce(sum(files) filter (below_100gb and once), 0) as gb100_once from reuse_grouped`);
    const n = number(row?.n);
    const chart = await densityChart(
      db,
      `select bin_x, bin_y, sum(files) as n from reuse_grouped group by bin_x, bin_y order by bin_x, bin_y`,
      {
        x: { label: "data moved", unit: "bytes", scale: "log" },
        y: { label: "runs", unit: "count", scale: "log" },
        yBins: "digit",
        countLabel: "files",
        marks: [
          { axis: "x", value: options.minBytes, label: "selected from here" },
          { axis: "y", value: options.minRuns, label: "selected from here" },
        ],
      },
    );
    const values = {
      files: n,
      below1GB: share(number(row?.gb), n),
      below100GB: share(number(row?.gb100), n),
      oneRun: share(number(row?.once), n),
      below1GBAndOneRun: share(number(row?.gb_once), n),
      below100GBAndOneRun: share(number(row?.gb100_once), n),
    };
    return {
      n,
      unit: "files",
      values,
      figures: () =>
        chart === undefined
          ? []
          : [
              drawn({
                id: "figure-2-data-and-runs",
                title: "Data moved per file and number of runs",
                caption: `${n} files; colour is the decade of the number of files. Data moved is not file size.`,
                summary: `${(100 * values.below1GB).toFixed(1)} % of ${n} files moved less than 1 GB; ${(100 * values.oneRun).toFixed(1)} % were touched by one run.`,
                chart,
              }),
            ],
    };
  },
});
