/** The same bytes in each layer, side by side: what becomes of them on their way to storage. */
import { formatBytes, formatMany } from "../../../base/units.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { Job } from "../job.ts";
import { LAYER_ORDER, layerName } from "../layer-times.ts";
import { sumOf } from "../records.ts";
import type { Drawn, Evident } from "./picture.ts";

const COUNTED = LAYER_ORDER.filter((layer) => layer !== "H5F" && layer !== "PNETCDF_FILE");

export function layers(job: Job, finding: Evident): Drawn | undefined {
  const items = COUNTED.flatMap((layer) => layerItems(job, finding, layer));
  if (items.length < 2) return undefined;
  const most = items.reduce((high, item) =>
    beyondAsked(items, item) > beyondAsked(items, high) ? item : high,
  );
  const at = items.indexOf(most);
  const asked = askedFor(items, most);
  const times =
    asked === most.value
      ? ""
      : asked > 0
        ? `, ${(most.value / asked).toPrecision(2)} times what the program requests`
        : ", of which the program requests none";
  const label = `${most.name}: ${formatBytes(most.value)}${times}`;
  return {
    title: "Bytes in each layer",
    caption: `${finding.evidence.files.length > 0 ? formatMany(finding.evidence.filesTotal, "file") : "All files"}; upper layers first. The layers carry the same data: bytes beyond those of the layer above come from the layer itself.`,
    summary: `${items.map(({ name, value }) => `${name} ${formatBytes(value)}`).join(", ")}.`,
    definition: DEFINITIONS.bytes.id,
    chart: {
      direction: "horizontal",
      itemLabel: "layer and direction",
      items: items.map(({ name, value }) => ({ name, value })),
      value: { label: "bytes", unit: "bytes" },
      marked: [at],
      markLabel: label,
    },
  };
}

interface Item {
  readonly layer: string;
  readonly way: "read" | "written";
  readonly name: string;
  readonly value: number;
}

/** The bytes of the same direction in the uppermost layer. */
const askedFor = (items: readonly Item[], { way }: Item): number =>
  items.find((one) => one.layer === items[0]?.layer && one.way === way)?.value ?? 0;

const beyondAsked = (items: readonly Item[], item: Item) => item.value - askedFor(items, item);

function layerItems(job: Job, { evidence }: Evident, layer: string): Item[] {
  const files = new Set(evidence.files.map(({ fileId }) => fileId));
  const records = job
    .layer(layer)
    .filter(({ fileId, parentId }) => files.size === 0 || files.has(fileId) || files.has(parentId));
  if (records.length === 0) return [];
  const item = (way: Item["way"], value: number): Item => ({
    ...{ layer, way, value },
    name: `${layerName(layer)}, ${way}`,
  });
  return [
    item(
      "written",
      sumOf(records, ({ bytesWritten }) => bytesWritten),
    ),
    item(
      "read",
      sumOf(records, ({ bytesRead }) => bytesRead),
    ),
  ].filter(({ value }) => value > 0);
}
