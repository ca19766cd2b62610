/** Accesses as plain objects for tests, and the metrics by other means than ours. */
import {
  CALL_ERROR,
  CALL_NESTED,
  CALL_NONFILE,
  Operation,
  type CallClock,
  type CallProcess,
  type CallSink,
} from "../../model/calls.ts";
import { AccessCollector } from "./collector.ts";
import type { CollectorOptions, Metrics } from "./metrics.ts";

/** Times are in nanoseconds. */
export interface TestAccess {
  readonly start: number;
  readonly end: number;
  readonly bytes: number;
  readonly moved?: number;
  readonly offset?: number;
  readonly pid?: number;
  readonly process?: CallProcess;
  readonly file?: string;
  readonly write?: boolean;
  readonly nested?: boolean;
  readonly error?: boolean;
  readonly nonFile?: boolean;
}

export const OWN: CallClock = { kind: "own", epochNs: 0n };

/** Hands accesses to a sink in blocks. */
export function feed(
  sink: CallSink,
  accesses: readonly TestAccess[],
  clock: CallClock = OWN,
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
      offset: column(({ offset }) => offset ?? Number.NaN),
      process: Uint32Array.from(rows, ({ process, pid }) => sink.process(process ?? { pid: pid ?? 1 })),
      file: Uint32Array.from(rows, ({ file }) => sink.file({ path: file ?? "" })),
      operation: Uint8Array.from(rows, ({ write }) => (write ? Operation.write : Operation.read)),
      layer: new Uint8Array(rows.length),
      flags: Uint8Array.from(rows, flagsOf),
    });
  }
}

function flagsOf({ nested, error, nonFile }: TestAccess): number {
  return (nested ? CALL_NESTED : 0) | (error ? CALL_ERROR : 0) | (nonFile ? CALL_NONFILE : 0);
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
