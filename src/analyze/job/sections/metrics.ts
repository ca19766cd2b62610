/** BPS, IOPS, bandwidth and ARPT per layer and per file, from traces. */
import { type Block, type Cell, type Section, type TableColumn, tableColumns } from "../../../model/index.ts";
import { PERCENTILE_COLUMNS, percentileCells } from "../../metric/index.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { ReportInput } from "../input.ts";
import { type TracedMetrics, tracedMetrics } from "../traced-metrics.ts";

const FILES_MAX = 200;
const OUTLIERS_MAX = 50;
const WAYS = ["read", "write"] as const;

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
        caption: "Per layer, all files.",
        columns: [
          { key: "layer", label: "Layer", unit: "text", about: "Layer whose calls are counted." },
          ...COLUMNS,
        ],
        rows: layers.map(({ layer, metrics: one }) => [layer, ...cells(one)]),
      },
      layerPercentiles(layers),
      {
        kind: "table",
        id: "metrics-files",
        caption: "Per file and layer, longest I/O time first.",
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
      ...durationBlocks(shown, path),
      ...(job.trace.joinedSeconds > 0
        ? [
            {
              kind: "notice" as const,
              level: "note" as const,
              text: `There are too many calls to keep each: pauses of up to ${1e3 * job.trace.joinedSeconds} ms between calls of a rank may count as I/O time.`,
            },
          ]
        : []),
    ],
    detail: true,
  };
}

/** How long calls took in each layer, all files. */
function layerPercentiles(layers: ReturnType<typeof tracedMetrics>["layers"]): Block {
  return {
    kind: "table",
    id: "metrics-layer-percentiles",
    caption: "How long calls took, per layer and direction: exact for up to 256 calls, within 0.8 % beyond.",
    columns: [
      { key: "layer", label: "Layer", unit: "text", about: "Layer whose calls are counted." },
      { key: "direction", label: "Direction", unit: "text", about: "Reads or writes." },
      ...PERCENTILE_COLUMNS,
    ],
    rows: layers.flatMap(({ layer, metrics: { percentiles } }) =>
      WAYS.flatMap((way) => {
        const own = percentiles[way];
        return own === null ? [] : [[layer, way, ...percentileCells(own)]];
      }),
    ),
  };
}

type TracedFile = ReturnType<typeof tracedMetrics>["files"][number];

/** Percentiles per file and direction, and calls far beyond them. */
function durationBlocks(files: readonly TracedFile[], path: (fileId: string) => string): Block[] {
  const ways = files.flatMap((file) => WAYS.map((way) => ({ ...file, way })));
  const rows = ways.flatMap(({ fileId, layer, way, metrics: { percentiles }, outliers }) => {
    const own = percentiles[way];
    if (own === null) return [];
    return [[path(fileId), layer, way, ...percentileCells(own), outliers[way]?.calls ?? "too few calls"]];
  });
  const far = ways
    .flatMap(({ fileId, layer, way, outliers }) =>
      (outliers[way]?.longest ?? []).map((call) => ({ fileId, layer, way, call })),
    )
    .sort((a, b) => b.call.seconds - a.call.seconds);
  const names: readonly TableColumn[] = [
    { key: "path", label: "File", unit: "text", about: "Path of the file." },
    { key: "layer", label: "Layer", unit: "text", about: "Layer whose calls are counted." },
    { key: "direction", label: "Direction", unit: "text", about: "Reads or writes." },
  ];
  return [
    {
      kind: "table",
      id: "metrics-percentiles",
      caption: "How long calls took, per file and direction: exact for up to 256 calls, within 0.8 % beyond.",
      columns: [
        ...names,
        ...PERCENTILE_COLUMNS,
        {
          key: "outliers",
          label: "Outliers",
          unit: "calls",
          about: "Calls that took over ten times the 95th percentile, and over a millisecond.",
        },
      ],
      rows,
      searchable: rows.length > 20,
    },
    ...(far.length === 0
      ? []
      : [
          {
            kind: "table" as const,
            id: "metrics-outliers",
            caption: "The longest of these outliers.",
            columns: [
              ...names,
              { key: "start", label: "At", unit: "seconds", about: "Its start, after that of the run." },
              { key: "seconds", label: "Took", unit: "seconds", about: "Duration." },
              { key: "rank", label: "Rank", unit: "count", about: "Who called." },
              { key: "offset", label: "Offset", unit: "bytes", about: "In the file." },
              { key: "bytes", label: "Bytes", unit: "bytes", about: "Requested." },
            ] as const,
            rows: far
              .slice(0, OUTLIERS_MAX)
              .map(({ fileId, layer, way, call }) => [
                ...[path(fileId), layer, way, call.startSeconds],
                ...[call.seconds, call.rank, call.offset, call.bytes],
              ]),
            rowsTotal: far.length,
          },
        ]),
  ];
}

const COLUMNS: readonly TableColumn[] = tableColumns`
  calls | Calls | calls | N: reads and writes in the trace.
  bytes | Bytes | bytes | Bytes requested by the calls.
  ioTimeSeconds | T | seconds | Time with at least one call in progress, over all ranks: union of all intervals (C02).
  bps | BPS | blocks/s | Blocks of 512 bytes per second of T (C03).
  iops | IOPS | calls/s | Calls per second of T (C04).
  bandwidth | Bandwidth | bytes/s | Requested bytes / T (C04); what the file system moved below is not in the trace.
  arpt | ARPT | seconds | Mean duration of a call (C04).
`;

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
