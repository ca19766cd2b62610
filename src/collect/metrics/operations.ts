/** The five numbers shown for a target or job, computed from the counters of any release. */
import type { CounterTable, DeltaRows } from "../../formats/lustre/index.ts";

export const OPERATIONS = ["read_bytes", "write_bytes", "reads", "writes", "operations"] as const;
const [READ_BYTES, WRITE_BYTES, READS, WRITES, OTHERS] = [0, 1, 2, 3, 4] as const;

/** One value per entry of `OPERATIONS`. */
export type Values = bigint[];

export const noValues = (): Values => [0n, 0n, 0n, 0n, 0n];

export function addValues(into: Values, more: Values): void {
  for (let i = 0; i < into.length; i++) into[i] = (into[i] as bigint) + (more[i] as bigint);
}

/** Parts of `rename`, and counters that are not client requests: latencies, parts of a read or write, cache hits. */
const NOT_COUNTED =
  /^((samedir|crossdir)_rename|parallel_rename_\w+|rename_trylocks|read|write|preprw|commitrw|cache_\w+)$/;

/** Adds the delta at `at`. No object per call: V8 treats objects allocated at hot sites as long-lived and frees them late. */
export function addDifference(into: Values, rows: DeltaRows, at: number, table: CounterTable): void {
  const column = rows.column[at] as number;
  const name = table.names[column] as string;
  const unit = table.units[column] as string;
  addGrowth(into, name, unit, rows.samples[at] as bigint, rows.sum[at] as bigint);
}

/** The unit decides: `read` is bytes in old releases and a latency in new ones. */
export function addGrowth(into: Values, name: string, unit: string, samples: bigint, sum: bigint): void {
  if (unit === "bytes") {
    const isRead = name === "read_bytes" || name === "read";
    if (!isRead && name !== "write_bytes" && name !== "write") return;
    const bytes = isRead ? READ_BYTES : WRITE_BYTES;
    const calls = isRead ? READS : WRITES;
    into[bytes] = (into[bytes] as bigint) + sum;
    into[calls] = (into[calls] as bigint) + samples;
  } else if (!NOT_COUNTED.test(name)) into[OTHERS] = (into[OTHERS] as bigint) + samples;
}

/** Times counted by targets, in microseconds: reads, writes, other requests. */
export const TIMES = ["read", "write", "operation"] as const;

export function addTime(into: Values, rows: DeltaRows, at: number, table: CounterTable): void {
  const column = rows.column[at] as number;
  addGrownTime(into, table.names[column] as string, table.units[column] as string, rows.sum[at] as bigint);
}

/** Adds the time of a counter, if the release has one. */
export function addGrownTime(into: Values, name: string, unit: string, sum: bigint): void {
  if (unit !== "usecs") return;
  const place = name === "read" ? 0 : name === "write" ? 1 : NOT_COUNTED.test(name) ? -1 : 2;
  if (place >= 0) into[place] = (into[place] as bigint) + sum;
}

/** Load on a target: a request counts like 64 KiB. */
export function loadOf(values: Values): number {
  const of = (place: number) => Number(values[place]);
  return of(READ_BYTES) + of(WRITE_BYTES) + 65_536 * (of(READS) + of(WRITES) + of(OTHERS));
}
