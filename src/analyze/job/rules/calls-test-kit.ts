/** Jobs of calls that a test writes down one by one, as recordings have them. */
import {
  CALL_COLLECTIVE,
  CALL_LAYERS,
  type CallBlock,
  type CallSink,
  Operation,
  TablesBuilder,
} from "../../../model/index.ts";
import { buildJob, JobStreams } from "../build.ts";
import { CallSurvey } from "../call-survey.ts";
import type { Job } from "../job.ts";

export interface PlainCall {
  readonly rank: number;
  readonly file: string;
  readonly operation: keyof typeof Operation;
  /** Seconds. */
  readonly start: number;
  readonly end: number;
  readonly offset?: number;
  readonly bytes?: number;
  readonly layer?: (typeof CALL_LAYERS)[number];
  /** The calls of MPI-IO are told apart where one of them says so. */
  readonly collective?: boolean;
}

/** Ranks of MPI, unless `isApart`: then processes of their own. The run lasts from the first start to the last end. */
export function callsJob(calls: readonly PlainCall[], isApart = false, hasNoDirections = false): Job {
  const survey = new CallSurvey();
  const sink = survey.sink();
  if (hasNoDirections) sink.tellsNoDirections?.();
  feed(calls, sink, isApart);
  const tables = new TablesBuilder();
  const run = { runId: "1", source: "test", kind: "trace", recorder: "test" };
  const streams = new JobStreams([survey.finish(run, tables)]);
  feed(calls, streams.callsAs(survey.naming()), isApart);
  return buildJob(tables.finish(), streams);
}

/** Rank after rank, each in order of time, as recordings are read. */
function feed(calls: readonly PlainCall[], sink: CallSink, isApart: boolean): void {
  sink.clock({ kind: "own", epochNs: 0n });
  for (const rank of new Set(calls.map((one) => one.rank))) {
    const own = calls.filter((one) => one.rank === rank).sort((a, b) => a.start - b.start);
    const process = sink.process({
      ...{ pid: 100 + rank, tellsCollectives: calls.some(({ collective }) => collective !== undefined) },
      ...(isApart ? {} : { rank }),
    });
    const paths = [...new Set(own.map(({ file }) => file))];
    const numbers = new Map(paths.map((path) => [path, sink.file({ path })]));
    sink.block(blockOf(own, process, numbers));
  }
}

function blockOf(
  calls: readonly PlainCall[],
  process: number,
  files: ReadonlyMap<string, number>,
): CallBlock {
  const doubles = (value: (call: PlainCall) => number) => Float64Array.from(calls, value);
  const codes = (value: (call: PlainCall) => number) => Uint8Array.from(calls, value);
  return {
    count: calls.length,
    startNs: doubles(({ start }) => Math.round(start * 1e9)),
    endNs: doubles(({ end }) => Math.round(end * 1e9)),
    bytes: doubles(({ bytes = 0 }) => bytes),
    offset: doubles(({ offset = Number.NaN }) => offset),
    process: new Uint32Array(calls.length).fill(process),
    file: Uint32Array.from(calls, ({ file }) => files.get(file) as number),
    operation: codes(({ operation }) => Operation[operation]),
    layer: codes(({ layer = "POSIX" }) => CALL_LAYERS.indexOf(layer)),
    flags: codes(({ collective }) => (collective === true ? CALL_COLLECTIVE : 0)),
  };
}
