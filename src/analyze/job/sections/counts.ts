import { formatCount } from "../../../base/units.ts";
import type { Figure, Role, Section } from "../../../model/index.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { ReportInput } from "../input.ts";
import type { Job } from "../job.ts";
import { LAYER_ORDER, layerName } from "../layer-times.ts";
import { type LayerRecord, sumOf } from "../records.ts";
import { whoOf } from "../who.ts";
import { counted, recordNoun } from "./counted.ts";

/** Kinds of calls; a layer shows those that it counts, also when there were none. */
const KINDS: readonly (readonly [name: string, role: Role, value: (record: LayerRecord) => number])[] = [
  ["opens", "metadata", ({ opens }) => opens],
  ["collective opens", "metadata", ({ collectiveOpens }) => collectiveOpens],
  ["reads", "read", ({ reads }) => reads],
  ["independent reads", "read", ({ independentReads }) => independentReads],
  ["collective reads", "read", ({ collectiveReads }) => collectiveReads],
  ["split reads", "read", ({ splitReads }) => splitReads],
  ["non-blocking reads", "read", ({ nonblockingReads }) => nonblockingReads],
  ["writes", "write", ({ writes }) => writes],
  ["independent writes", "write", ({ independentWrites }) => independentWrites],
  ["collective writes", "write", ({ collectiveWrites }) => collectiveWrites],
  ["split writes", "write", ({ splitWrites }) => splitWrites],
  ["non-blocking writes", "write", ({ nonblockingWrites }) => nonblockingWrites],
  ["seeks", "metadata", ({ seeks }) => seeks],
  ["stats", "metadata", ({ stats }) => stats],
  ["syncs and flushes", "metadata", ({ syncs }) => syncs],
  ["memory maps", "metadata", ({ mmaps }) => mmaps],
  ["file views", "metadata", ({ views }) => views],
];

export function counts({ job }: ReportInput): Section {
  const figures = LAYER_ORDER.filter((layer) => job.layer(layer).length > 0).map((layer) =>
    figureOf(job, layer),
  );
  return {
    id: "counts",
    title: "Operations",
    detail: true,
    blocks:
      figures.length === 0
        ? [{ kind: "notice", level: "missing", text: "No I/O was recorded." }]
        : figures.map((figure) => ({ kind: "figure", figure })),
  };
}

function figureOf(job: Job, layer: string): Figure {
  const records = job.layer(layer);
  const kinds = KINDS.map(([name, role, value]) => ({ name, role, calls: sumOf(records, value) })).filter(
    ({ calls }) => !Number.isNaN(calls),
  );
  const roles = ["read", "write", "metadata"] as const;
  return {
    id: `counts-${layer.toLowerCase().replace(/\W/g, "-")}`,
    title: `Operations, ${layerName(layer)}`,
    caption: `Calls over all ${whoOf(job).many} and ${counted(records.length, recordNoun(layer))}.`,
    summary: `${layerName(layer)}: ${kinds.map(({ name, calls }) => `${formatCount(calls)} ${name}`).join(", ")}.`,
    definition: DEFINITIONS.counts.id,
    options: { layer },
    chart: {
      kind: "bars",
      direction: "horizontal",
      stacked: true,
      categories: kinds.map(({ name }) => name),
      categoryLabel: "kind of call",
      value: { label: "calls", unit: "calls" },
      series: roles.map((role) => ({
        name: role,
        role,
        values: kinds.map((kind) => (kind.role === role ? kind.calls : 0)),
      })),
    },
  };
}
