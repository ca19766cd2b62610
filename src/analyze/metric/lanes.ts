/** Which process gets which lane of the picture. */
import type { Collection } from "./collector.ts";
import { type CollectedProcess, processName } from "./entities.ts";
import type { PicturePlan } from "./picture.ts";

const LANES_MAX = 24;

export function lanesOf({ tallies, entities, counts }: Collection, lastEndNs: number): PicturePlan {
  const bytes = new Float64Array(entities.processes.length).fill(-1);
  for (let at = 0; at < tallies.size; at++) {
    if (tallies.isNested(at) || tallies.accesses[at] === 0) continue;
    const process = tallies.process[at] as number;
    bytes[process] = Math.max(0, bytes[process] as number) + (tallies.bytes.low[at] as number);
  }
  const used = [...bytes.keys()].filter((process) => (bytes[process] as number) >= 0);
  const most = [...used].sort((a, b) => (bytes[b] as number) - (bytes[a] as number) || a - b);
  const own = most.slice(0, used.length > LANES_MAX ? LANES_MAX - 1 : LANES_MAX);
  const processOf = (at: number) => entities.processes[at] as CollectedProcess;
  own.sort((a, b) => byPlace(processOf(a), processOf(b)) || a - b);
  const others = used.length - own.length;
  // A host that all share would only take room.
  const oneHost = new Set(own.map((process) => processOf(process).host)).size === 1;
  const nameOf = (process: CollectedProcess) => processName(oneHost ? { ...process, host: "" } : process);
  const lanes = own.map((process) => ({ name: nameOf(processOf(process)), processes: 1 }));
  if (others > 0) lanes.push({ name: `${others} other processes`, processes: others });
  const laneOfProcess = new Uint32Array(entities.processes.length).fill(own.length);
  own.forEach((process, lane) => {
    laneOfProcess[process] = lane;
  });
  const laneOf = new Uint32Array(tallies.size);
  for (let at = 0; at < tallies.size; at++)
    laneOf[at] = laneOfProcess[tallies.process[at] as number] as number;
  return {
    ...{ lanes, laneOf, lastEndNs },
    processes: used.length,
    accesses: counts.accesses,
    writes: Uint8Array.from(laneOf, (_, tally) => Number(tallies.isWrite(tally))),
    pathOf: (tally) => entities.files[tallies.file[tally] as number]?.path ?? "",
  };
}

function byPlace(a: CollectedProcess, b: CollectedProcess): number {
  return (
    a.input - b.input ||
    (a.rank ?? -1) - (b.rank ?? -1) ||
    (a.host ?? "").localeCompare(b.host ?? "", "en") ||
    a.pid - b.pid
  );
}
