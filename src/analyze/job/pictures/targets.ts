/** Storage targets side by side: rates where one is slow, bytes where they are loaded unevenly. */
import { formatBytes, formatMany, formatRate } from "../../../base/units.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { Job } from "../job.ts";
import type { Drawn } from "./picture.ts";

const ITEMS_MAX = 256;

interface Target {
  readonly name: string;
  readonly bytes: number;
  readonly seconds: number;
}

export function targets(job: Job, by: "rate" | "bytes"): Drawn | undefined {
  const all = job.osts.length > 0 ? ostTargets(job) : mountTargets(job);
  if (all.length < 2) return undefined;
  const isRate = by === "rate";
  const what = job.osts.length > 0 ? "OST" : "mount";
  const shown = all.filter(({ bytes, seconds }) => bytes > 0 && (!isRate || seconds > 0)).slice(0, ITEMS_MAX);
  if (shown.length < 2) return undefined;
  const amountOf = ({ bytes, seconds }: Target) => (isRate ? bytes / seconds : bytes);
  const values = shown.map(amountOf);
  const sorted = [...values].sort((a, b) => a - b);
  const median = sorted[sorted.length >> 1] as number;
  const culprit = values.indexOf(isRate ? (sorted[0] as number) : (sorted.at(-1) as number));
  const format = isRate ? formatRate : formatBytes;
  const name = (shown[culprit] as Target).name;
  const label = `${what} ${name}: ${format(values[culprit] as number)}`;
  return {
    title: isRate ? `Rate of each ${what} while calls are in progress` : `Bytes on each ${what}`,
    caption: `${formatMany(shown.length, what)}; median ${format(median)}.${isRate ? " Bytes over the time of the calls, summed over ranks." : ""}`,
    summary: `${label}; the median of ${shown.length} is ${format(median)}.`,
    definition: DEFINITIONS.osts.id,
    chart: {
      direction: "vertical",
      itemLabel: what,
      items: shown.map((target, at) => ({ name: target.name, value: values[at] as number })),
      value: isRate
        ? { label: "rate", unit: "bytes/s" as const }
        : { label: "bytes", unit: "bytes" as const },
      marked: [culprit],
      markLabel: label,
      line: { value: median, label: `median ${format(median)}` },
    },
  };
}

const ostTargets = (job: Job): Target[] =>
  job.osts.map(({ ost, bytesRead, bytesWritten, seconds }) => ({
    name: String(ost),
    bytes: (bytesRead || 0) + (bytesWritten || 0),
    seconds,
  }));

/** Without layouts a target shows only as a mount, or as the folder next to the root. */
function mountTargets(job: Job): Target[] {
  const byMount = grouped(job, ({ mount }) => mount ?? "");
  return byMount.length > 1 ? byMount : grouped(job, ({ path }) => /^\/[^/]+/.exec(path)?.[0] ?? "");
}

function grouped(job: Job, keyOf: (file: Job["files"][number]) => string): Target[] {
  const groups = new Map<string, { bytes: number; seconds: number }>();
  for (const file of job.files) {
    const key = keyOf(file);
    const bytes = (file.bytesRead || 0) + (file.bytesWritten || 0);
    if (key === "" || !(bytes > 0)) continue;
    const known = groups.get(key) ?? { bytes: 0, seconds: 0 };
    groups.set(key, { bytes: known.bytes + bytes, seconds: known.seconds + (file.seconds || 0) });
  }
  return [...groups].map(([name, sums]) => ({ name, ...sums })).sort((a, b) => (a.name < b.name ? -1 : 1));
}
