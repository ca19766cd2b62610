/** The same bytes in each layer, side by side: what becomes of them on their way to storage. */
import { formatBytes, formatMany } from "../../../base/units.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { Job } from "../job.ts";
import { LAYER_ORDER, layerName } from "../layer-times.ts";
import { sumOf } from "../records.ts";
import type { Evident, PictureMaker } from "./picture.ts";

const COUNTED = LAYER_ORDER.filter((layer) => layer !== "H5F" && layer !== "PNETCDF_FILE");

export const layers: PictureMaker = (job, finding) => {
  const items = COUNTED.flatMap((layer) => layerItems(job, finding, layer));
  if (items.length < 2) return undefined;
  const top = items[0] as { value: number; name: string };
  const most = items.reduce((high, item) => (item.value > high.value ? item : high));
  const at = items.indexOf(most);
  const label =
    at === 0
      ? `${most.name}: ${formatBytes(most.value)}`
      : `${most.name}: ${formatBytes(most.value)}, ${(most.value / top.value).toPrecision(2)} times what the program asks for`;
  return {
    title: "Bytes in each layer",
    caption: `${finding.evidence.files.length > 0 ? formatMany(finding.evidence.filesTotal, "file") : "All files"}; upper layers first. The layers carry the same data: what one has more than the one above is its own doing.`,
    summary: `${items.map(({ name, value }) => `${name} ${formatBytes(value)}`).join(", ")}.`,
    definition: DEFINITIONS.bytes.id,
    chart: {
      direction: "horizontal",
      itemLabel: "layer and direction",
      items,
      value: { label: "bytes", unit: "bytes" },
      marked: [at],
      markLabel: label,
    },
  };
};

function layerItems(job: Job, { evidence }: Evident, layer: string) {
  const files = new Set(evidence.files.map(({ fileId }) => fileId));
  const records = job
    .layer(layer)
    .filter(({ fileId, parentId }) => files.size === 0 || files.has(fileId) || files.has(parentId));
  if (records.length === 0) return [];
  return [
    { name: `${layerName(layer)}, written`, value: sumOf(records, ({ bytesWritten }) => bytesWritten) },
    { name: `${layerName(layer)}, read`, value: sumOf(records, ({ bytesRead }) => bytesRead) },
  ].filter(({ value }) => value > 0);
}
