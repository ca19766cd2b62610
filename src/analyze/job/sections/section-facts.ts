/** What each section has to show, in a few words: the links to sections say it. */
import { formatBytes, formatCount, formatMany, formatShare } from "../../../base/units.ts";
import type { Section } from "../../../model/index.ts";
import type { Job } from "../job.ts";
import { LAYER_ORDER, layerName } from "../layer-times.ts";
import { SIZE_LABELS, sizesOf } from "../records.ts";

export function withFact(section: Section, job: Job): Section {
  const fact = job.files.length === 0 ? undefined : FACTS[section.id]?.(job);
  return fact === undefined ? section : { ...section, fact };
}

const FACTS: Readonly<Record<string, (job: Job) => string | undefined>> = {
  heat: ({ activity, ranks }) => {
    if (activity === undefined) return undefined;
    const active = new Set([...activity.rankBytesRead.keys(), ...activity.rankBytesWritten.keys()]).size;
    return active === ranks
      ? `all ${formatMany(ranks, "rank")}`
      : `${formatCount(active)} of ${formatMany(ranks, "rank")}`;
  },
  timeline: ({ trace }) => {
    const calls = (trace?.files ?? []).reduce(
      (sum, { read, write }) => sum + (read?.calls ?? 0) + (write?.calls ?? 0),
      0,
    );
    return calls > 0 ? `${formatMany(calls, "call")}` : undefined;
  },
  metrics: ({ trace }) => (trace === undefined ? undefined : "from single calls"),
  sizes: sizesFact,
  cost: ({ io }) => {
    const parts = [
      [io.readSeconds, "reads"],
      [io.writeSeconds, "writes"],
      [io.metaSeconds, "metadata"],
    ] as const;
    const all = parts.reduce((sum, [seconds]) => sum + (seconds || 0), 0);
    const [seconds, name] = parts.reduce((most, part) => ((part[0] || 0) > (most[0] || 0) ? part : most));
    return all > 0 ? `${formatShare((seconds || 0) / all)} ${name}` : undefined;
  },
  counts: (job) => {
    const opens = job.layer("POSIX").reduce((sum, record) => sum + (record.opens || 0), 0);
    return opens > 0 ? formatMany(opens, "open") : undefined;
  },
  layers: (job) =>
    LAYER_ORDER.filter((layer) => job.layer(layer).length > 0)
      .map(layerName)
      .join(", "),
  files: ({ files, io }) =>
    `${formatMany(files.length, "file")}, ${formatBytes((io.bytesRead || 0) + (io.bytesWritten || 0))}`,
  storage: ({ osts }) => (osts.length > 0 ? formatMany(osts.length, "OST") : undefined),
  counters: ({ modules }) => [...modules].slice(0, 4).join(", "),
  about: ({ runs }) => formatMany(runs.length, "log"),
};

function sizesFact(job: Job): string | undefined {
  let best: { count: number; text: string } | undefined;
  for (const layer of ["POSIX", "MPI-IO", "DFS"])
    for (const way of ["read", "write"] as const) {
      const counts = sizesOf(job.layer(layer), way);
      counts.forEach((count, at) => {
        if (count > (best?.count ?? 0))
          best = { count, text: `${formatMany(count, way)} of ${SIZE_LABELS[at]}` };
      });
      if (best !== undefined && layer === "POSIX" && way === "write") return best.text;
    }
  return best?.text;
}
