/** Outliers: accesses far longer than others of their file and direction. */
import { QuantileSketch } from "../../base/quantile-sketch.ts";
import type { Collection } from "./collector.ts";
import { callsIn, type LongCall, outliersOf } from "./durations.ts";
import { processName } from "./entities.ts";
import type { MetricOutlier, MetricOutliers } from "./metrics.ts";

const LONGEST_MAX = 10;

interface FileWay {
  readonly sketch: QuantileSketch;
  readonly calls: (LongCall & { readonly tally: number })[];
}

/** `shift` moves the times of a source to the axis of the collection. */
export function outliersByFile(collection: Collection, shift: Float64Array): MetricOutliers {
  const { tallies, entities } = collection;
  const ways = new Map<string, FileWay>();
  for (let at = 0; at < tallies.size; at++) {
    const durations = tallies.durations[at];
    if (tallies.isNested(at) || durations === undefined) continue;
    const path = entities.files[tallies.file[at] as number]?.path ?? "";
    const key = `${tallies.isWrite(at) ? "w" : "r"}${path}`;
    let way = ways.get(key);
    if (way === undefined) ways.set(key, (way = { sketch: new QuantileSketch(), calls: [] }));
    const { sketch, longest } = durations.data();
    way.sketch.merge(sketch);
    way.calls.push(...callsIn(longest).map((call) => ({ ...call, tally: at })));
  }
  let accesses = 0;
  const all: MetricOutlier[] = [];
  for (const { sketch, calls } of ways.values()) {
    const found = outliersOf(sketch, calls);
    if (found === null) continue;
    accesses += found.calls;
    for (const call of found.longest) all.push(told(call, sketch.quantile(0.95) / 1e9));
  }
  all.sort((a, b) => b.seconds - a.seconds || a.startSeconds - b.startSeconds);
  return { accesses, longest: all.slice(0, LONGEST_MAX) };

  function told(call: FileWay["calls"][number], p95Seconds: number): MetricOutlier {
    const { tally, durationNs, startNs, offset, bytes, owner } = call;
    const process = entities.processes[tallies.process[tally] as number];
    return {
      startSeconds: (startNs + (shift[owner] as number)) / 1e9,
      seconds: durationNs / 1e9,
      p95Seconds,
      direction: tallies.isWrite(tally) ? "write" : "read",
      process: process === undefined ? "" : processName(process),
      rank: process?.rank ?? null,
      file: entities.files[tallies.file[tally] as number]?.path ?? "",
      offset: Number.isNaN(offset) ? null : offset,
      bytes,
    };
  }
}
