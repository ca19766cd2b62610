/** Differences of a tracker as lines of a segment. */
import { assert } from "../../base/assert.ts";
import { type CounterTable, type DeltaRows, type Deltas, WHY_NAMES, unescapeJobId } from "../lustre/index.ts";
import { type CounterGrowth, SEGMENT_KINDS, type SegmentWriter, type Why } from "./server-segment.ts";

/**
 * Writes what `DeltaTracker.feed` gave. `sinceNs` is the one that the tracker was made with: rows that began after it count
 * already at a target's first reading.
 */
export function writeDeltas(writer: SegmentWriter, deltas: Deltas, sinceNs?: bigint): void {
  const { reading, toNs, gap, changed, carriedIn } = deltas;
  const { target, table } = reading;
  const kind = SEGMENT_KINDS.find((known) => known === reading.kind);
  assert(kind !== undefined, `${reading.kind} has no place in a segment`);
  const fromNs = deltas.fromNs ?? (changed.count > 0 ? sinceNs : undefined);
  const hasRows = kind === "job_stats" || kind === "export_stats";
  const counters = hasRows ? [] : growths(changed, 0, changed.count, table);
  writer.target({ target, kind, fromNs, toNs, gap, carriedIn: carriedIn.count, counters });
  if (!hasRows) return;
  for (let from = 0; from < changed.count; ) {
    const row = changed.row[from] as number;
    let to = from + 1;
    while (to < changed.count && changed.row[to] === row) to++;
    const counters = growths(changed, from, to, table);
    if (kind === "job_stats") writer.job({ target, id: unescapeJobId(reading.rawId(row)), counters });
    else writer.client({ target, client: reading.jobId(row), counters });
    from = to;
  }
}

function growths(rows: DeltaRows, from: number, to: number, table: CounterTable): CounterGrowth[] {
  const found: CounterGrowth[] = [];
  for (let at = from; at < to; at++) {
    const column = rows.column[at] as number;
    found.push({
      name: table.names[column] as string,
      unit: table.units[column] as string,
      samples: rows.samples[at] as bigint,
      sum: rows.sum[at] as bigint,
      why: WHY_NAMES[rows.why[at] as number] as Why,
    });
  }
  return found;
}
