/** Accesses as plain objects for tests, and the metrics by other means than ours. */
import {
  ACCESS_ERROR,
  ACCESS_NESTED,
  ACCESS_NONFILE,
  ACCESS_WRITE,
  type AccessClock,
  type AccessProcess,
  type AccessSink,
} from "../../model/access-stream.ts";
import { AccessCollector } from "./collector.ts";
import type { CollectorOptions, Metrics } from "./metrics.ts";

/** Times are in nanoseconds. */
export interface TestAccess {
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
  readonly moved?: number;
  readonly pid?: number;
  readonly process?: AccessProcess;
  readonly file?: string;
  readonly write?: boolean;
  readonly nested?: boolean;
  readonly error?: boolean;
  readonly nonFile?: boolean;
}

export const OWN: AccessClock = { kind: "own", epochNs: 0n };

/** Hands accesses to a sink in blocks. */
export function feed(
  sink: AccessSink,
  accesses: readonly TestAccess[],
  clock: AccessClock = OWN,
  blockRows = 7,
): void {
  sink.clock(clock);
  for (let from = 0; from < accesses.length; from += blockRows) {
    const rows = accesses.slice(from, from + blockRows);
    const column = (value: (one: TestAccess) => number) => Float64Array.from(rows, value);
    sink.block({
      count: rows.length,
      startNs: column(({ start }) => start),
      endNs: column(({ end }) => end),
      bytes: column(({ bytes }) => bytes),
      movedBytes: column(({ moved }) => moved ?? Number.NaN),
      process: Uint32Array.from(rows, ({ process, pid }) => sink.process(process ?? { pid: pid ?? 1 })),
      file: Uint32Array.from(rows, ({ file }) => sink.file({ path: file ?? "" })),
      flags: Uint8Array.from(rows, flagsOf),
    });
  }
}

function flagsOf({ write, nested, error, nonFile }: TestAccess): number {
  return (
    (write ? ACCESS_WRITE : 0) |
    (nested ? ACCESS_NESTED : 0) |
    (error ? ACCESS_ERROR : 0) |
    (nonFile ? ACCESS_NONFILE : 0)
  );
}

export function collect(accesses: readonly TestAccess[], options: CollectorOptions = {}): Metrics {
  const collector = new AccessCollector(options);
  feed(collector.sink("test"), accesses);
  return collector.finish();
}

/** How many accesses are under way in each nanosecond of small whole times: the definition, by counting. */
export function underWay(accesses: readonly TestAccess[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const { start, end } of accesses)
    for (let ns = start; ns < end; ns++) counts.set(ns, (counts.get(ns) ?? 0) + 1);
  return counts;
}
