/** Where the I/O time goes: reads, writes, syncs, metadata. */
import { formatMany } from "../../../base/units.ts";
import { syncSeconds } from "../cost/remedies.ts";
import { DEFINITIONS } from "../definitions.ts";
import type { Job } from "../job.ts";
import { secondsText } from "../rules/index.ts";
import { usesMpi } from "../snippets/index.ts";
import type { Drawn } from "./picture.ts";

export function time(job: Job, wanted?: "syncs" | "metadata"): Drawn | undefined {
  // A flush of a stream only hands its buffer on: what it takes counts apart where it was measured.
  const synced = [
    ...job.layer("POSIX").filter((record) => record.syncs > 0),
    ...job.layer("STDIO").filter((record) => record.syncSeconds > 0),
  ];
  const syncs = synced.reduce((sum, record) => sum + syncSeconds(job, record), 0);
  const isEstimate = synced.some((record) => !(record.syncSeconds >= 0));
  const { readSeconds, writeSeconds, metaSeconds } = job.io;
  if (!(readSeconds > 0 || writeSeconds > 0 || metaSeconds > 0)) return undefined;
  // Processes without MPI mostly run one after another: their mean would hide the one that works.
  const mpi = usesMpi(job);
  const ranks = mpi ? Math.max(1, job.ranks) : 1;
  const writes = writeSeconds || 0;
  const inSyncs = Math.min(syncs, writes);
  const items = [
    { name: "reads", value: (readSeconds || 0) / ranks },
    { name: "writes", value: (writes - inSyncs) / ranks },
    ...(inSyncs > 0 ? [{ name: "syncs", value: inSyncs / ranks }] : []),
    ...(Number.isNaN(metaSeconds) ? [] : [{ name: "metadata", value: metaSeconds / ranks }]),
  ];
  const most = items.reduce((high, item) => (item.value > high.value ? item : high));
  const culprit = items.find(({ name }) => name === wanted) ?? most;
  return {
    title: `I/O time ${ranks > 1 ? "of a mean rank" : job.ranks > 1 ? "of all processes" : "of the program"}, by kind of call`,
    caption: `${ranks > 1 ? `Summed over ranks / ${formatMany(job.ranks, "rank")}.` : job.ranks > 1 ? `Summed over ${formatMany(job.ranks, "process", "processes")}.` : "Summed over all calls."}${inSyncs > 0 && isEstimate ? " Recorders count syncs as writes; they are separated by the longest write and the time for copying." : ""}`,
    summary: `${items.map(({ name, value }) => `${name} ${secondsText(value)}`).join(", ")}.`,
    definition: DEFINITIONS.cost.id,
    chart: {
      direction: "horizontal",
      itemLabel: "kind of call",
      items,
      value: { label: "time", unit: "seconds" },
      marked: [items.indexOf(culprit)],
      markLabel: `${culprit.name}: ${secondsText(culprit.value)} of ${secondsText(items.reduce((sum, { value }) => sum + value, 0))}`,
    },
  };
}
