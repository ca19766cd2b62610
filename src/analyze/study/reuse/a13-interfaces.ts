import { mean } from "../../../base/statistics.ts";
import { drawnNote, drawnValues } from "../common/charts.ts";
import type { ValueInfos } from "../common/values.ts";
import { violinChart } from "./charts.ts";
import { defineItem, drawn, table } from "./item.ts";
import { type Column, LAYER_NAMES, type Layers } from "./sweep/index.ts";

const LAYERS = [
  { name: "POSIX", key: "posix" },
  { name: "MPI-IO", key: "mpiio" },
  { name: "STDIO", key: "stdio" },
  { name: "DFS", key: "dfs" },
] as const;

const MEASURES = [
  {
    key: "BytesPerRun",
    name: "bytes per run",
    column: "bytes",
    label: "data per run and file",
    unit: "bytes",
    figure: "figure-8a-data",
  },
  {
    key: "SdBytes",
    name: "sd of bytes",
    column: "sdBytes",
    label: "sd of bytes over ranks",
    unit: "bytes",
    figure: "figure-8b-sd-bytes",
  },
  {
    key: "SdSeconds",
    name: "sd of I/O time",
    column: "sdSeconds",
    label: "sd of I/O time over ranks",
    unit: "seconds",
    figure: "figure-8c-sd-time",
  },
] as const;

/** What the paper prints: numbers for POSIX alone. */
const PUBLISHED: Readonly<Record<string, readonly [published: number | undefined, words?: string]>> = {
  posixBytesPerRun: [260e9],
  posixSdBytes: [1.5e9, "below 1.5 GB"],
  posixSdSeconds: [undefined, "especially high"],
  stdioAccesses: [undefined, "least"],
};

const VALUES: ValueInfos<number> = {
  ...Object.fromEntries(
    LAYERS.flatMap(({ name, key }) => [
      [`${key}Files`, ["count", `${name} files`] as const],
      [`${key}Accesses`, ["count", `${name} accesses`, ...(PUBLISHED[`${key}Accesses`] ?? [])] as const],
      ...MEASURES.map((one) => {
        const full = `${key}${one.key}`;
        return [full, [one.unit, `${name} ${one.name}`, ...(PUBLISHED[full] ?? [])] as const] as const;
      }),
    ]),
  ),
  singleRankAccesses: ["count", "accesses of a single rank"],
};

export const a13 = defineItem({
  id: "A13",
  from: "files",
  definition: "A13@1",
  title: "Variation over ranks by interface",
  place: "figures 8a to 8c, finding 8",
  section: "ranks",
  about:
    "Every access belongs to MPI-IO if it has an MPI-IO record, else to STDIO if only STDIO moved bytes, else to POSIX. Per access: bytes, and the standard deviation over ranks of bytes and of I/O time, from the variances of the log. Mean over the runs of a file, then mean over files.",
  reading:
    "Means over files, not over runs (A11). Variances cover the ranks with a record: for a shared record all ranks, including idle ones.",
  options: ["partial"],
  values: VALUES,
  others: {
    posixOverMpiio: ["ratio", "sd of time, POSIX / MPI-IO"],
    posixBytesSpread: ["share", "sd of bytes / bytes, POSIX"],
  },
  narrative: ({ number, text }) =>
    `With POSIX ${text("posixBytesPerRun")} are moved per run and file on average (paper: 260 GB), with a standard deviation over ranks of ${text("posixSdBytes")} (below 1.5 GB). The standard deviation of I/O time over ranks is ${number("posixSdSeconds")} s with POSIX, ${number("mpiioSdSeconds")} s with MPI-IO and ${number("stdioSdSeconds")} s with STDIO.`,
  async measure(prepared) {
    const { layers, facts } = prepared.scan;
    const rows = perLayer(layers);
    const valuesOf = (code: number, column: Column) => {
      const of = layers.layer.values();
      return column.passing((value, i) => of[i] === code && value > 0);
    };
    const values: Record<string, number> = {};
    for (const { name, key } of LAYERS) {
      const row = rows.find(({ layer }) => layer === name);
      if (row === undefined && key === "dfs") continue;
      values[`${key}Files`] = row?.files ?? 0;
      values[`${key}Accesses`] = row?.accesses ?? 0;
      for (const measure of MEASURES) values[`${key}${measure.key}`] = row?.[measure.column] ?? Number.NaN;
    }
    const figures = () => {
      const drawings = [];
      for (const { column, label, unit, figure } of MEASURES) {
        const groups = rows.map((row) => ({
          name: row.layer ?? "not known",
          role: "neutral" as const,
          values: drawnValues(valuesOf(row.code, layers[column])),
          mean: row[column],
        }));
        const chart = violinChart({ label, unit, scale: "log" }, "interface", groups);
        if (chart.groups.length > 0)
          drawings.push(
            drawn({
              id: figure,
              title: `By interface: ${label}`,
              caption: `Per file the mean over its runs; zeros are not on the log axis; solid: mean over files.${drawnNote(prepared.files)}`,
              summary: chart.groups
                .map(({ name, mean, n }) => `${name}: mean ${mean.toPrecision(3)} over ${n} files`)
                .join("; "),
              chart,
            }),
          );
      }
      return drawings;
    };
    return {
      n: facts.complete,
      unit: "accesses",
      dropped: {
        "accesses of incomplete modules": facts.partial,
        "accesses without a variance over ranks": facts.completeNoVariance,
      },
      values: { ...values, singleRankAccesses: facts.completeSingleRank },
      notes: ["Means over files of means over their runs."],
      tables:
        rows.length === 0
          ? []
          : [
              table(
                "interfaces",
                "Means over files of means over their runs.",
                [
                  ["interface", "Interface", "text", "I/O layer."],
                  ["files", "Files", "files", "Files with accesses by this interface."],
                  ["accesses", "Accesses", "count", "Accesses by this interface."],
                  ["bytes", "Data", "bytes", "Bytes per run and file."],
                  ["sdBytes", "sd of bytes", "bytes", "Over ranks."],
                  ["sdSeconds", "sd of time", "seconds", "Over ranks."],
                ],
                rows.map((row) => [
                  row.layer,
                  row.files,
                  row.accesses,
                  row.bytes,
                  row.sdBytes,
                  row.sdSeconds,
                ]),
              ),
            ],
      figures,
    };
  },
});

/** Means over files of each layer that occurs. */
function perLayer(layers: Layers) {
  const of = layers.layer.values();
  return LAYER_NAMES.flatMap((layer, code) => {
    const mine = (column: Column) => column.passing((value, i) => of[i] === code && !Number.isNaN(value));
    const accesses = mine(layers.accesses);
    if (accesses.length === 0) return [];
    return [
      {
        layer,
        code,
        files: accesses.length,
        accesses: accesses.reduce((sum, count) => sum + count, 0),
        bytes: mean(mine(layers.bytes)),
        sdBytes: mean(mine(layers.sdBytes)),
        sdSeconds: mean(mine(layers.sdSeconds)),
      },
    ];
  });
}
