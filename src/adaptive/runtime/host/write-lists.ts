/** The writes of one process as it reports them: a list per column, since reports travel as JSON. */
import { assert } from "../../../base/assert.ts";
import { Operation, type WriteCalls } from "../../../model/index.ts";

/** `owner`: rank of the data; `fileId`: number of the file in the protocol; `host`: the process that wrote. */
const COLUMNS = [
  ...(["rank", "owner", "target", "fileId", "offset", "bytes"] as const),
  ...(["startNs", "endNs", "flags", "host"] as const),
] as const;
type Column = (typeof COLUMNS)[number];

/** Times in whole nanoseconds since the run began. */
export type WriteLists = { readonly [Name in Column]: number[] };

export const noWrites = (): WriteLists => Object.fromEntries(COLUMNS.map((name) => [name, []])) as never;

export function addWrite(writes: WriteLists, write: { readonly [Name in Column]: number }): void {
  assert(write.bytes > 0 && write.endNs >= write.startNs, "a recorded write moved bytes, and took time");
  for (const name of COLUMNS) writes[name].push(write[name]);
}

/** The writes of all processes, with the process and the file of each. */
export interface JoinedWrites {
  readonly calls: WriteCalls & { readonly offset: Float64Array };
  readonly host: Uint32Array;
  readonly fileId: Float64Array;
}

/** By start. */
export function joinedWrites(all: readonly WriteLists[]): JoinedWrites {
  const list = (name: Column): number[] => all.flatMap((writes) => writes[name]);
  const starts = list("startNs");
  const order = Uint32Array.from(starts, (_, i) => i);
  order.sort((a, b) => (starts[a] as number) - (starts[b] as number));
  const count = order.length;
  const sorted = (name: Column): Float64Array => {
    const values = list(name);
    assert(values.length === count, "every write of every process is joined once");
    return Float64Array.from(order, (i) => values[i] as number);
  };
  return {
    calls: {
      count,
      process: Uint32Array.from(sorted("rank")),
      owner: Uint32Array.from(sorted("owner")),
      file: Uint32Array.from(sorted("target")),
      offset: sorted("offset"),
      bytes: sorted("bytes"),
      startNs: sorted("startNs"),
      endNs: sorted("endNs"),
      operation: new Uint8Array(count).fill(Operation.write),
      layer: new Uint8Array(count),
      flags: Uint8Array.from(sorted("flags")),
    },
    host: Uint32Array.from(sorted("host")),
    fileId: sorted("fileId"),
  };
}
