import { formatCount, formatShare } from "../../../base/units.ts";
import type { Block, Figure, Section } from "../../../model/index.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { ReportInput } from "../input.ts";
import type { Job } from "../job.ts";
import { LAYER_ORDER, layerName } from "../layer-times.ts";
import { SIZE_LABELS, sizesOf } from "../records.ts";
import { counted, recordNoun } from "./counted.ts";

export function sizes({ job }: ReportInput): Section {
  const common = { id: "sizes", title: "Access sizes" };
  const blocks = LAYER_ORDER.flatMap((layer) => layerBlocks(job, layer));
  if (blocks.length === 0)
    return {
      ...common,
      detail: true,
      blocks: [
        {
          kind: "notice",
          level: "missing",
          text:
            job.files.length === 0
              ? "No I/O was recorded."
              : "None of the layers in this log records access sizes (STDIO does not).",
        },
      ],
    };
  return {
    ...common,
    intro:
      "Sizes of single reads and writes. Storage prefers large ones: below about 1 MiB the cost of a call outweighs that of its data.",
    blocks,
    detail: true,
  };
}

function layerBlocks(job: Job, layer: string): Block[] {
  const records = job.layer(layer);
  const [reads, writes] = [sizesOf(records, "read"), sizesOf(records, "write")];
  const total = (values: Float64Array) => values.reduce((sum, value) => sum + (value || 0), 0);
  if (!(total(reads) + total(writes) > 0)) return [];
  const name = layerName(layer);
  const small = (values: Float64Array) => total(values.subarray(0, 5));
  const part = (what: string, values: Float64Array) =>
    total(values) === 0
      ? `no ${what}`
      : `${formatShare(small(values) / total(values))} of ${what} (${formatCount(small(values))} of ${formatCount(total(values))}) are of 1 MiB or less`;
  const figure: Figure = {
    id: `access-sizes-${layer.toLowerCase().replace(/\W/g, "-")}`,
    title: `Access sizes, ${name}`,
    caption: `${counted(total(reads), "read")} and ${counted(total(writes), "write")} of ${counted(records.length, recordNoun(layer))}.`,
    summary: `${name}: ${part("reads", reads)}; ${part("writes", writes)}.`,
    definition: DEFINITIONS.sizes.id,
    options: { layer },
    chart: {
      kind: "bars",
      direction: "vertical",
      stacked: false,
      categories: SIZE_LABELS,
      categoryLabel: "size of the call",
      value: { label: "calls", unit: "calls", scale: "log" },
      series: [
        { name: "reads", role: "read", values: Array.from(reads) },
        { name: "writes", role: "write", values: Array.from(writes) },
      ],
    },
  };
  return [{ kind: "figure", figure }, ...commonSizes(job, layer)];
}

/** The most frequent sizes over all files; each file names its four. */
function commonSizes(job: Job, layer: string): Block[] {
  const counts = new Map<number, number>();
  for (const { accesses } of job.layer(layer))
    for (const { bytes, count } of accesses) counts.set(bytes, (counts.get(bytes) ?? 0) + count);
  if (counts.size === 0) return [];
  const rows = [...counts].sort((a, b) => b[1] - a[1] || b[0] - a[0]).slice(0, 4);
  return [
    {
      kind: "table",
      id: `common-sizes-${layer.toLowerCase().replace(/\W/g, "-")}`,
      caption: `Most frequent sizes, ${layerName(layer)}: reads and writes together, from the four that each file record keeps.`,
      columns: [
        { key: "bytes", label: "Size", unit: "bytes", about: "ACCESS1…4_ACCESS of the records." },
        { key: "exact", label: "Bytes", unit: "index", about: "The same, all digits." },
        { key: "count", label: "Calls", unit: "calls", about: "ACCESS1…4_COUNT, added over files." },
      ],
      rows: rows.map(([bytes, count]) => [bytes, bytes, count]),
    },
  ];
}
