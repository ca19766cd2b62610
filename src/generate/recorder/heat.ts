/** Heat maps: bytes per bin of time, a record for each rank and layer with traffic. */
import type { HeatmapRecord } from "../../formats/darshan/records.ts";
import { heatmapRecord } from "../log-builder.ts";
import { type Call, countOf, type Layer } from "./calls.ts";

const BINS_MAX = 200;
/** HDF5 has no heat maps. */
const NAMES: Readonly<Partial<Record<Layer, string>>> = { POSIX: "POSIX", "MPI-IO": "MPIIO", STDIO: "STDIO" };

export function heatmaps(calls: Iterable<Call>, seconds: number): HeatmapRecord[] {
  let width = 0.1;
  while (BINS_MAX * width < seconds) width *= 2;
  const count = Math.max(1, Math.min(BINS_MAX, Math.ceil(seconds / width)));
  const maps = new Map<string, HeatmapRecord>();
  for (const call of calls) {
    const name = NAMES[call.layer];
    if (name === undefined || (call.kind !== "read" && call.kind !== "write")) continue;
    const key = `${call.layer} ${call.rank}`;
    let map = maps.get(key);
    if (map === undefined) {
      map = heatmapRecord(name, call.rank, width, new BigInt64Array(count));
      maps.set(key, map);
    }
    spread(call, width, call.kind === "write" ? map.writeBins : map.readBins);
  }
  return [...maps.values()].sort((a, b) => Number(a.rank - b.rank));
}

/** In proportion to time; what is rounded off in one bin is in the next, so that the sum is exact. */
function spread(call: Call, width: number, bins: BigInt64Array): void {
  const { start, end } = call;
  const bytes = call.bytes * countOf(call);
  const last = Math.min(bins.length - 1, Math.floor(end / width));
  let before = 0;
  for (let bin = Math.min(last, Math.floor(start / width)); bin <= last; bin++) {
    const share = ((bin + 1) * width - start) / (end - start);
    const until = bin === last ? bytes : Math.floor(bytes * Math.min(1, share));
    bins[bin] = (bins[bin] as bigint) + BigInt(until - before);
    before = until;
  }
}
