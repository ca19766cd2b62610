/** Metrics of accesses in columns, e.g. of a simulation. */
import type { CallBlock } from "../../model/index.ts";
import { AccessCollector } from "./collector.ts";
import type { CollectorOptions, Metrics } from "./metrics.ts";

/** One entry per access in each. Times are on one clock; bytes that are NaN are not known. */
export interface AccessColumns {
  readonly startNs: Float64Array | readonly number[];
  readonly endNs: Float64Array | readonly number[];
  /** Requested by the application, successful or not. */
  readonly bytes: Float64Array | readonly number[];
  readonly movedBytes?: Float64Array | readonly number[];
}

const ROWS = 65_536;

export function accessMetrics(
  columns: AccessColumns,
  options: CollectorOptions = {},
): { readonly overall: Metrics } {
  const collector = new AccessCollector(options);
  const sink = collector.sink("accesses");
  sink.clock({ kind: "own", epochNs: 0n });
  const [process, file] = [sink.process({ pid: 0 }), sink.file({ path: "" })];
  const total = columns.startNs.length;
  const zeros = new Uint8Array(ROWS);
  const same = {
    ...{ process: new Uint32Array(ROWS).fill(process), file: new Uint32Array(ROWS).fill(file) },
    ...{ operation: zeros, layer: zeros, flags: zeros },
  };
  for (let from = 0; from < total; from += ROWS) {
    const cut = (column: Float64Array | readonly number[]) => doubles(column, from, from + ROWS);
    const block: CallBlock = {
      count: Math.min(ROWS, total - from),
      startNs: cut(columns.startNs),
      endNs: cut(columns.endNs),
      bytes: cut(columns.bytes),
      ...(columns.movedBytes === undefined ? {} : { movedBytes: cut(columns.movedBytes) }),
      ...same,
    };
    sink.block(block);
  }
  return { overall: collector.finish() };
}

function doubles(column: Float64Array | readonly number[], from: number, to: number): Float64Array {
  return column instanceof Float64Array
    ? column.subarray(from, to)
    : Float64Array.from(column.slice(from, to));
}
