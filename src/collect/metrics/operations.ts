/** The five numbers that are shown of a target or a job, made of the counters of all releases. */
import type { CounterTable, DeltaRows } from "../../formats/lustre/index.ts";

export const OPERATIONS = ["read_bytes", "write_bytes", "reads", "writes", "operations"] as const;
const [READ_BYTES, WRITE_BYTES, READS, WRITES, OTHERS] = [0, 1, 2, 3, 4];

/** One value for each of `OPERATIONS`. */
export type Values = bigint[];

export const noValues = (): Values => [0n, 0n, 0n, 0n, 0n];

export function addValues(into: Values, more: Values): void {
  for (let i = 0; i < into.length; i++) into[i] = (into[i] as bigint) + (more[i] as bigint);
}

/** Parts of `rename`, and what is no request of a client: latencies, halves of a read or write, and cache hits. */
const NOT_COUNTED =
  /^((samedir|crossdir)_rename|parallel_rename_\w+|rename_trylocks|read|write|preprw|commitrw|cache_\w+)$/;

/** What a counter grew by. */
interface Growth {
  readonly name: string;
  readonly unit: string;
  readonly samples: bigint;
  readonly sum: bigint;
}

const growthAt = (rows: DeltaRows, at: number, table: CounterTable): Growth => {
  const column = rows.column[at] as number;
  return {
    ...{ name: table.names[column] as string, unit: table.units[column] as string },
    ...{ samples: rows.samples[at] as bigint, sum: rows.sum[at] as bigint },
  };
};

/** Adds the difference at `at`. */
export const addDifference = (into: Values, rows: DeltaRows, at: number, table: CounterTable): void =>
  addGrowth(into, growthAt(rows, at, table));

/** The unit decides: `read` is bytes in old releases and a latency in new ones. */
export function addGrowth(into: Values, { name, unit, samples, sum }: Growth): void {
  if (unit === "bytes") {
    const isRead = name === "read_bytes" || name === "read";
    if (!isRead && name !== "write_bytes" && name !== "write") return;
    const [bytes, calls] = isRead ? [READ_BYTES, READS] : [WRITE_BYTES, WRITES];
    into[bytes as number] = (into[bytes as number] as bigint) + sum;
    into[calls as number] = (into[calls as number] as bigint) + samples;
  } else if (!NOT_COUNTED.test(name)) into[OTHERS as number] = (into[OTHERS as number] as bigint) + samples;
}

/** Times that targets count, in microseconds: of reads, of writes, and of other requests. */
export const TIMES = ["read", "write", "operation"] as const;

export const addTime = (into: Values, rows: DeltaRows, at: number, table: CounterTable): void =>
  addGrownTime(into, growthAt(rows, at, table));

/** Adds the time of a counter, where the release counts one. */
export function addGrownTime(into: Values, { name, unit, sum }: Growth): void {
  if (unit !== "usecs") return;
  const place = name === "read" ? 0 : name === "write" ? 1 : NOT_COUNTED.test(name) ? -1 : 2;
  if (place >= 0) into[place] = (into[place] as bigint) + sum;
}

/** How much it loads a target: a request weighs as much as 64 KiB. */
export function loadOf(values: Values): number {
  const [readBytes = 0n, writeBytes = 0n, reads = 0n, writes = 0n, others = 0n] = values;
  return Number(readBytes + writeBytes) + 65_536 * Number(reads + writes + others);
}
