import type { Queryable } from "../../../model/index.ts";
import { densityChart, logBinSql } from "./charts.ts";
import { clusterSql } from "./cluster.ts";
import { defineItem, drawn, number, share, table } from "./item.ts";

const THRESHOLDS = [0.5, 0.8, 0.9, 0.95, 0.99];

export const a05 = defineItem({
  id: "A05",
  definition: "A05@1",
  title: "Read-heavy, write-heavy, or both",
  place: "figure 3a, finding 1",
  section: "types",
  about:
    "Per file R = bytes read, W = bytes written. Ratio rule: d = (R - W)/(R + W); read-heavy if d >= classThreshold, write-heavy if d <= -classThreshold, else both. Absolute rule: heavy on a side from classBytes. Cluster rule: 3-means on (log10(1 + R), log10(1 + W)), starting at the corners.",
  reading:
    "No threshold is published: the table shows whether the answer depends on it. Shares of the three classes add up to one.",
  options: ["classRule", "classThreshold", "classBytes", "partial"],
  values: {
    readHeavy: ["count", "read-heavy files"],
    writeHeavy: ["count", "write-heavy files"],
    readWrite: ["count", "read- and write-heavy files"],
    readHeavyShare: ["share", "read-heavy", 0.22],
    writeHeavyShare: ["share", "write-heavy", 0.07],
    readWriteShare: ["share", "read- and write-heavy", 0.71],
  },
  others: {
    readHeavyOverWriteHeavy: ["ratio", "read-heavy / write-heavy"],
  },
  narrative: ({ text }) =>
    `${text("readHeavyShare")} of the files (${text("readHeavy")}) transferred mostly read data, ${text("writeHeavyShare")} (${text("writeHeavy")}) mostly written data, and ${text("readWriteShare")} (${text("readWrite")}) are both read- and write-heavy. The paper has 22 %, 7 % and 71 %.`,
  async measure(prepared) {
    const { db, options } = prepared;
    const { files } = prepared;
    const [row] = await db.rows(`select count(*) filter (class = 1) as rh, count(*) filter (class = -1) as wh,
      count(*) filter (class = 0) as rw from reuse_selected`);
    const [readHeavy, writeHeavy, readWrite] = [number(row?.rh), number(row?.wh), number(row?.rw)];
    const n = readHeavy + writeHeavy + readWrite;
    const chart = await densityChart(
      db,
      `select case when class_r > 0 then ${logBinSql("cast(class_r as double)")} end as bin_x,
        case when class_w > 0 then ${logBinSql("cast(class_w as double)")} end as bin_y, count(*) as n
        from reuse_selected where d is not null group by bin_x, bin_y order by bin_x, bin_y`,
      {
        x: { label: "data read", unit: "bytes", scale: "log" },
        y: { label: "data written", unit: "bytes", scale: "log" },
        yBins: "log",
        countLabel: "files",
      },
    );
    return {
      n,
      unit: "files",
      dropped: { "files without a class": files - n },
      values: {
        readHeavy,
        writeHeavy,
        readWrite,
        readHeavyShare: share(readHeavy, n),
        writeHeavyShare: share(writeHeavy, n),
        readWriteShare: share(readWrite, n),
      },
      tables: n === 0 ? [] : [await sensitivity(db, options.classBytes)],
      figures: () =>
        chart === undefined
          ? []
          : [
              drawn({
                id: "figure-3a-read-and-written",
                title: "Data read and data written per file",
                caption: `${n} files; lower right read-heavy, upper left write-heavy, upper right both. Zeros are in the margins.`,
                summary: `${readHeavy} files are read-heavy, ${writeHeavy} write-heavy, ${readWrite} both.`,
                chart,
              }),
            ],
    };
  },
});

async function sensitivity(db: Queryable, classBytes: number) {
  const heavy = (side: string) => `${side} >= ${BigInt(Math.ceil(classBytes))}`;
  const rules = [
    ...THRESHOLDS.map((t) => ({
      name: `ratio, ${t}`,
      read: `d >= ${t}`,
      write: `d <= -${t}`,
      both: `d < ${t} and d > -${t}`,
    })),
    {
      name: `absolute, ${classBytes / 1e9} GB`,
      read: `${heavy("class_r")} and not ${heavy("class_w")}`,
      write: `${heavy("class_w")} and not ${heavy("class_r")}`,
      both: `${heavy("class_r")} and ${heavy("class_w")}`,
    },
  ];
  const cluster = await clusterSql(db, "reuse_selected");
  const columns = rules.flatMap(({ read, write, both }, i) => [
    `count(*) filter (${read}) as r${i}`,
    `count(*) filter (${write}) as w${i}`,
    `count(*) filter (${both}) as b${i}`,
  ]);
  const [row] = await db.rows(`select ${columns.join(", ")}, count(*) filter (k = 1) as rk,
    count(*) filter (k = -1) as wk, count(*) filter (k = 0) as bk
    from (select *, ${cluster} as k from reuse_selected) where d is not null`);
  const line = (name: string, key: string | number) => {
    const [r, w, b] = [number(row?.[`r${key}`]), number(row?.[`w${key}`]), number(row?.[`b${key}`])];
    const n = r + w + b;
    return [name, share(r, n), share(w, n), share(b, n), n];
  };
  return table(
    "class-sensitivity",
    "Class shares with other rules and thresholds.",
    [
      ["rule", "Rule", "text", "Rule and its threshold."],
      ["readHeavy", "Read-heavy", "share", "Read-heavy files."],
      ["writeHeavy", "Write-heavy", "share", "Write-heavy files."],
      ["readWrite", "Both", "share", "All other files."],
      ["files", "Files", "files", "Files with a class by this rule."],
    ],
    [...rules.map(({ name }, i) => line(name, i)), line("cluster", "k")],
  );
}
