/** BPS, IOPS, bandwidth and ARPT per layer and per file, from traces. */
import type { Cell, Section, TableColumn } from "../../../model/index.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { ReportInput } from "../input.ts";
import { type TracedMetrics, tracedMetrics } from "../traced-metrics.ts";

const FILES_MAX = 200;

export function metrics({ job }: ReportInput): Section {
  const common = { id: "metrics", title: "BPS and related metrics" };
  if (job.trace === undefined)
    return {
      ...common,
      detail: true,
      blocks: [
        {
          kind: "notice",
          level: "missing",
          text: "BPS, IOPS, bandwidth and response time need traces of single calls (DXT).",
          how: "See the timeline for how to record them.",
        },
      ],
    };
  const { layers, files } = tracedMetrics(job.trace);
  const path = (fileId: string) => job.file(fileId)?.path ?? `(record ${fileId})`;
  const shown = [...files]
    .sort((a, b) => b.metrics.ioTimeSeconds - a.metrics.ioTimeSeconds)
    .slice(0, FILES_MAX);
  return {
    ...common,
    intro: `${DEFINITIONS.metrics.text} Layers nest and are not added.`,
    blocks: [
      {
        kind: "table",
        id: "metrics-layers",
        caption: `Per layer, all files (${DEFINITIONS.metrics.id}).`,
        columns: [
          { key: "layer", label: "Layer", unit: "text", about: "Layer whose calls are counted." },
          ...COLUMNS,
        ],
        rows: layers.map(({ layer, metrics: one }) => [layer, ...cells(one)]),
      },
      {
        kind: "table",
        id: "metrics-files",
        caption: `Per file and layer, longest I/O time first (${DEFINITIONS.metrics.id}).`,
        columns: [
          { key: "path", label: "File", unit: "text", about: "Path of the file." },
          { key: "layer", label: "Layer", unit: "text", about: "Layer whose calls are counted." },
          ...COLUMNS,
        ],
        rows: shown.map(({ fileId, layer, metrics: one }) => [path(fileId), layer, ...cells(one)]),
        rowsTotal: files.length,
        sortedBy: "ioTimeSeconds",
        searchable: shown.length > 20,
      },
    ],
    detail: true,
  };
}

const COLUMNS: readonly TableColumn[] = [
  { key: "calls", label: "Calls", unit: "calls", about: "N: reads and writes in the trace." },
  { key: "bytes", label: "Bytes", unit: "bytes", about: "Bytes requested by the calls." },
  {
    key: "ioTimeSeconds",
    label: "T",
    unit: "seconds",
    about: "Time with at least one call in progress, over all ranks: union of all intervals (C02).",
  },
  { key: "bps", label: "BPS", unit: "blocks/s", about: "Blocks of 512 bytes per second of T (C03)." },
  { key: "iops", label: "IOPS", unit: "calls/s", about: "Calls per second of T (C04)." },
  {
    key: "bandwidth",
    label: "Bandwidth",
    unit: "bytes/s",
    about: "Requested bytes / T (C04); what the file system moved below is not in the trace.",
  },
  { key: "arpt", label: "ARPT", unit: "seconds", about: "Mean duration of a call (C04)." },
];

function cells(one: TracedMetrics): Cell[] {
  return [
    one.accesses,
    one.bytes,
    one.ioTimeSeconds,
    one.bps,
    one.iops,
    one.bandwidthBytesPerSecond,
    one.arptSeconds,
  ];
}
