/** Which columns of `minutes` and `targets` a counter of Lustre goes to. */
import { assert } from "../../base/assert.ts";
import { MDT_CALLS } from "../../model/index.ts";
import type { CounterTable } from "../../formats/lustre/index.ts";

/** Columns that differences fill, in the order of their slots. */
export const SLOT_COLUMNS: readonly string[] = [
  ...["bytes_read", "bytes_written", "reads", "writes", "metadata_calls"],
  ...["read_usecs", "write_usecs", "metadata_usecs"],
  ...["opens", "closes", "mknods", "links", "unlinks", "mkdirs", "rmdirs", "renames"],
  ...["getattrs", "setattrs", "getxattrs", "setxattrs", "statfs", "syncs"],
];
const slot = (column: string) => {
  const index = SLOT_COLUMNS.indexOf(column);
  assert(index >= 0 && index < 31, `${column} has a slot, and a bit in a mask`);
  return index;
};
const [BYTES_READ, BYTES_WRITTEN, READS, WRITES] = [0, 1, 2, 3];
const [READ_USECS, WRITE_USECS, METADATA_USECS] = [5, 6, 7];
export const METADATA_SLOT = slot("metadata_calls");
export const NO_SLOT = -1;

/** Operations of an MDT. Renames within and across folders are counted under `rename` too. */
const METADATA = new Set([...MDT_CALLS, "migrate", "fallocate"]);
const OWN_SLOTS: ReadonlyMap<string, number> = new Map(
  MDT_CALLS.map((name) => [name, slot(name === "statfs" ? name : `${name}s`)]),
);
const isTime = (unit: string) => unit === "usecs" || unit === "usec";

interface Slots {
  /** Where the sum goes, and the samples. */
  readonly sum: number;
  readonly samples: number;
  /** Whether the samples are metadata operations as well. */
  readonly metadata: boolean;
}

/** The unit decides: `read` is bytes in old releases and microseconds in new ones. */
export function slotsOf(name: string, unit: string, role: "OST" | "MDT"): Slots | undefined {
  if (unit === "bytes" && (name === "read_bytes" || name === "read"))
    return { sum: BYTES_READ, samples: READS, metadata: false };
  if (unit === "bytes" && (name === "write_bytes" || name === "write"))
    return { sum: BYTES_WRITTEN, samples: WRITES, metadata: false };
  // Calls whose bytes the source has lost.
  if (unit === "calls" && (name === "read_bytes" || name === "write_bytes"))
    return { sum: NO_SLOT, samples: name === "read_bytes" ? READS : WRITES, metadata: false };
  // Their samples are those of the bytes.
  if (isTime(unit) && (name === "read" || name === "write"))
    return { sum: name === "read" ? READ_USECS : WRITE_USECS, samples: NO_SLOT, metadata: false };
  if (role === "OST" || !METADATA.has(name)) return undefined;
  const sum = isTime(unit) ? METADATA_USECS : NO_SLOT;
  return { sum, samples: OWN_SLOTS.get(name) ?? NO_SLOT, metadata: true };
}

/** The same for the numbers of a table of counters, in arrays that grow with it. */
export class CounterSlots {
  sum = new Int8Array(0);
  samples = new Int8Array(0);
  metadata = new Uint8Array(0);
  readonly #role: "OST" | "MDT";

  constructor(role: "OST" | "MDT") {
    this.#role = role;
  }

  /** Learns of counters that the table has got since. */
  follow({ size, names, units }: CounterTable): void {
    const known = this.sum.length;
    if (size === known) return;
    const [sum, samples, metadata] = [new Int8Array(size), new Int8Array(size), new Uint8Array(size)];
    sum.set(this.sum);
    samples.set(this.samples);
    metadata.set(this.metadata);
    for (let column = known; column < size; column++) {
      const slots = slotsOf(names[column] as string, units[column] as string, this.#role);
      sum[column] = slots?.sum ?? NO_SLOT;
      samples[column] = slots?.samples ?? NO_SLOT;
      metadata[column] = slots?.metadata === true ? 1 : 0;
    }
    this.sum = sum;
    this.samples = samples;
    this.metadata = metadata;
  }
}
