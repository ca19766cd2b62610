/** How large calls are, with those marked that the finding is about. */
import { formatCount, formatMany, formatSize } from "../../../base/units.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { Job } from "../job.ts";
import { layerName } from "../layer-times.ts";
import { SIZE_LABELS, sizesOf } from "../records.ts";
import type { PictureOf } from "../rule.ts";
import type { Drawn, Evident } from "./picture.ts";

/** Upper bounds of Darshan's classes, of those that have one. */
const BOUNDS = [
  100,
  2 ** 10,
  10 * 2 ** 10,
  100 * 2 ** 10,
  2 ** 20,
  4 * 2 ** 20,
  10 * 2 ** 20,
  100 * 2 ** 20,
  2 ** 30,
];
const LAYERS = ["MPI-IO", "POSIX", "DFS", "DAOS"] as const;

export function sizes(
  job: Job,
  finding: Evident,
  { way: named, upTo }: PictureOf<"sizes">,
): Drawn | undefined {
  const { readSeconds, writeSeconds } = job.io;
  const way = named ?? ((writeSeconds || 0) >= (readSeconds || 0) ? "write" : "read");
  const found = sizesIn(job, finding, way) ?? sizesIn(job, finding, way === "read" ? "write" : "read");
  if (found === undefined) return undefined;
  const { counts, layer, noun } = found;
  const total = counts.reduce((sum, count) => sum + count, 0);
  const limit = (typeof upTo === "string" ? limitOf(finding, upTo) : upTo) ?? 0;
  const largest = counts.indexOf(counts.reduce((most, count) => Math.max(most, count), 0));
  const small = counts.flatMap((count, at) =>
    count > 0 && (BOUNDS[at] ?? Number.POSITIVE_INFINITY) <= limit ? [at] : [],
  );
  const marked = small.length > 0 ? small : [largest];
  const inMarked = marked.reduce((sum, at) => sum + (counts[at] as number), 0);
  const label =
    small.length > 0
      ? `${formatMany(inMarked, noun)} of at most ${formatSize(limit)}`
      : `${formatMany(inMarked, noun)} of ${SIZE_LABELS[largest]}`;
  const [first, last] = [counts.findIndex((count) => count > 0), lastAbove(counts)];
  // A class on either side shows that nothing is there.
  const [from, to] = [
    Math.max(0, first - 1),
    Math.max(Math.min(counts.length, last + 2), BOUNDS.indexOf(2 ** 20) + 2),
  ];
  return {
    title: `Sizes of ${noun}s, ${layerName(layer)}`,
    caption: `${formatMany(total, noun)} by size class; ${formatCount(inMarked)} are marked.`,
    summary: `${label}, of ${formatMany(total, noun)}.`,
    definition: DEFINITIONS.sizes.id,
    chart: {
      direction: "vertical",
      itemLabel: `size of a ${noun}`,
      items: counts.slice(from, to).map((value, at) => ({ name: SIZE_LABELS[from + at] as string, value })),
      value: { label: `${noun}s`, unit: "calls" },
      marked: marked.map((at) => at - from),
      markLabel: label,
    },
  };
}

function sizesIn(job: Job, { evidence }: Evident, way: "read" | "write") {
  const files = new Set(evidence.files.map(({ fileId }) => fileId));
  // Fewer files are named than there are: then those stand for all.
  const isWhole = evidence.filesTotal === evidence.files.length && files.size > 0;
  for (const layer of LAYERS) {
    const records = job.layer(layer);
    const own = isWhole ? records.filter(({ fileId }) => files.has(fileId)) : records;
    const counts = Array.from(sizesOf(own, way), (count) => count || 0);
    if (counts.some((count) => count > 0)) return { counts, layer, noun: way };
  }
  return undefined;
}

/** As the rule was judged by it. */
const limitOf = ({ threshold }: Evident, limit: string) =>
  threshold.find(({ name }) => name === limit)?.value;

const lastAbove = (counts: readonly number[]) => counts.findLastIndex((count) => count > 0);
